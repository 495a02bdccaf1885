package pgindex

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"golang.org/x/net/idna"
)

// Addressed returns the ids of the documents at the given addresses, by address. It compares
// addresses exactly. It returns only documents that everyone in the audience may read. If sources
// is not nil, it returns only documents of these sources. Of several documents with one address, it
// returns the first by id.
func (x *Index) Addressed(
	ctx context.Context, audience access.Audience, sources []document.SourceID, addresses []string,
) (map[string]document.ID, error) {
	found := make(map[string]document.ID, len(addresses))
	if audience.Tenant() == "" || len(addresses) == 0 {
		return found, nil
	}
	var within []string // null: all sources
	if sources != nil {
		within = append([]string{}, strs(sources)...)
	}
	rows, err := x.db.Pool.Query(ctx, `
		select d.url, min(d.external_id)
		from document d
		where d.tenant_id = $1 and d.url <> '' and md5(d.url) = any (select md5(a) from unnest($2::text[]) a) and d.url = any($2::text[])
			and `+pgaccess.MayRead("$1", "$3")+` and ($4::text[] is null or d.source_id = any($4::text[]))
		group by d.url`, string(audience.Tenant()), strs(addresses), strs(audience.Principals()), within)
	if err != nil {
		return nil, fmt.Errorf("look %d addresses up in the index: %w", len(addresses), err)
	}
	defer rows.Close()
	for rows.Next() {
		var address string
		var id document.ID
		if err := rows.Scan(&address, &id); err != nil {
			return nil, fmt.Errorf("look %d addresses up in the index: %w", len(addresses), err)
		}
		found[address] = id
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look %d addresses up in the index: %w", len(addresses), err)
	}
	return found, nil
}

// Withheld reports whether the audience may not read some document at an address. It ignores
// differences in spelling, and also checks similar addresses, such as the same path with another
// query. If the look-up fails, it returns true and the error.
func (x *Index) Withheld(ctx context.Context, audience access.Audience, address string) (bool, error) {
	var withheld bool
	err := x.db.Pool.QueryRow(ctx, `
		select exists (
			select from document d
			where d.tenant_id = $1 and d.url <> '' and md5(address_key(d.url)) in (select md5(address_key(a)) from unnest($2::text[]) a)
				and not `+pgaccess.MayRead("$1", "$3")+`)`, string(audience.Tenant()), spellings(address), strs(audience.Principals())).Scan(&withheld)
	if err != nil {
		return true, fmt.Errorf("look an address up in the index: %w", err)
	}
	return withheld, nil
}

// spellings returns an address, and the same address with its host in ASCII (punycode) or in
// Unicode if that differs. The database normalises all other differences.
func spellings(address string) []string {
	address = postgres.Storable(address)
	all := []string{address}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return all
	}
	for _, spell := range []func(string) (string, error){idna.Lookup.ToASCII, idna.Display.ToUnicode} {
		host, err := spell(u.Hostname())
		if err != nil || host == u.Hostname() {
			continue // not a valid name, or the same spelling
		}
		if port := u.Port(); port != "" {
			host += ":" + port
		}
		all = append(all, u.Scheme+"://"+host+u.EscapedPath())
	}
	return all
}

// Holders implements index.Store. It returns the documents of all sources at each address.
// Addresses are compared exactly.
func (x *Index) Holders(ctx context.Context, tenant access.TenantID, addresses []string) (map[string][]document.ID, error) {
	found := make(map[string][]document.ID)
	rows, err := x.db.Pool.Query(ctx, `
		select d.url, d.external_id
		from document d
		where d.tenant_id = $1 and d.url <> '' and md5(d.url) = any (select md5(a) from unnest($2::text[]) a) and d.url = any($2::text[])`,
		string(tenant), addresses)
	if err != nil {
		return nil, fmt.Errorf("look up who holds %d addresses: %w", len(addresses), err)
	}
	defer rows.Close()
	for rows.Next() {
		var address string
		var id document.ID
		if err := rows.Scan(&address, &id); err != nil {
			return nil, fmt.Errorf("look up who holds %d addresses: %w", len(addresses), err)
		}
		found[address] = append(found[address], id)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look up who holds %d addresses: %w", len(addresses), err)
	}
	return found, nil
}
