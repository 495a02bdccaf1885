package pgaccess

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/links.sql
var linksSQL string

// link is who a listener is in a source that grants something at present.
type link struct {
	listener       int
	source, person string
	name           string // of the person, for readers
	known          bool   // the source has told of the person
	said           bool   // by the operator; else by an address
}

// Common implements access.Grants.
func (s *Store) Common(ctx context.Context, tenant access.TenantID, listeners []access.Listener, domains []string) ([]access.Held, error) {
	if len(listeners) == 0 {
		return nil, nil
	}
	held, err := s.common(ctx, tenant, listeners, domains)
	if err != nil {
		return nil, fmt.Errorf("ask what %d people hold of sources: %w", len(listeners), err)
	}
	return held, nil
}

func (s *Store) common(ctx context.Context, tenant access.TenantID, listeners []access.Listener, domains []string) ([]access.Held, error) {
	links, err := s.links(ctx, tenant, listeners, domains, false)
	if err != nil {
		return nil, err
	}
	held := shared(links, len(listeners))
	groups, err := s.groups(ctx, tenant, links, len(listeners))
	if err != nil {
		return nil, err
	}
	held = append(held, groups...)
	sets, err := s.setsOf(ctx, tenant, listeners, links, held)
	if err != nil {
		return nil, err
	}
	return ordered(append(held, sets...)), nil
}

// links finds out who the listeners are in sources that grant something at present, or in all.
func (s *Store) links(ctx context.Context, tenant access.TenantID, listeners []access.Listener, domains []string, all bool) ([]link, error) {
	var numbers []int32
	var platforms, workspaces, accounts, emails []string
	for i, l := range listeners {
		email := ""
		if _, domain, ok := strings.Cut(l.Account.Email, "@"); ok && l.Account.Full && slices.Contains(domains, domain) {
			email = l.Account.Email
		}
		numbers, platforms, workspaces = append(numbers, int32(i)), append(platforms, l.Account.Platform), append(workspaces, l.Account.Workspace.ID)
		accounts, emails = append(accounts, l.Account.ID), append(emails, email)
	}
	rows, err := s.db.Pool.Query(ctx, linksSQL, string(tenant), numbers, platforms, workspaces, accounts, emails, all)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (link, error) {
		var l link
		err := row.Scan(&l.listener, &l.source, &l.person, &l.name, &l.known, &l.said)
		return l, err
	})
}

// from says by which identity a single listener holds something of a source.
func (l link) from() string {
	if l.said {
		return fmt.Sprintf("in %s, where you are %s, as the operator says", l.source, cmp.Or(l.name, l.person))
	}
	return fmt.Sprintf("in %s, where you are %s, by your address", l.source, cmp.Or(l.name, l.person))
}

// shared is what all listeners hold as people of sources.
func shared(links []link, listeners int) []access.Held {
	var held []access.Held
	all, same := make(map[string]int), make(map[[2]string]int)
	for _, l := range links {
		from := "everybody here is " + l.name + " in " + l.source
		if listeners == 1 {
			from = "yourself " + l.from()
		}
		if same[[2]string{l.source, l.person}]++; same[[2]string{l.source, l.person}] == listeners {
			held = append(held, access.Held{Principal: access.SourceGroup(l.source, access.SourcePerson, l.person), From: from})
		}
		if !l.known {
			continue
		}
		from = "everybody here is somebody in " + l.source
		if listeners == 1 {
			from = "everybody " + l.from()
		}
		if all[l.source]++; all[l.source] == listeners {
			held = append(held, access.Held{Principal: access.SourceAll(l.source), From: from})
		}
	}
	return held
}

// groups are those in which all listeners are.
func (s *Store) groups(ctx context.Context, tenant access.TenantID, links []link, listeners int) ([]access.Held, error) {
	count := make(map[string]int)
	for _, l := range links {
		count[l.source]++
	}
	links = slices.DeleteFunc(slices.Clone(links), func(l link) bool { return count[l.source] < listeners })
	if len(links) == 0 {
		return nil, nil
	}
	by := make(map[string]link, len(links)) // for words, where there is one listener
	people := make(map[[2]string]bool)      // several listeners may be one person
	for _, l := range links {
		by[l.source] = l
		people[[2]string{l.source, l.person}] = true
	}
	need := make(map[string]int32)
	for p := range people {
		need[p[0]]++
	}
	var sources, persons []string
	var needs []int32
	for p := range people {
		sources, persons, needs = append(sources, p[0]), append(persons, p[1]), append(needs, need[p[0]])
	}
	// Served by the primary keys of source_member and source_group.
	rows, err := s.db.Pool.Query(ctx, `
		select c.principal, c.source, g.name
		from (
			select m.principal, p.source, max(p.need) as need, count(*) as has
			from unnest($2::text[], $3::text[], $4::int[]) as p (source, person, need)
			join source_member m on m.tenant_id = $1 and m.source_id = p.source and m.person = p.person
			group by m.principal, p.source
		) c
		join source_group g on g.tenant_id = $1 and g.principal = c.principal and g.source_id = c.source and (g.until is null or g.until > now())
		where c.has = c.need`, string(tenant), sources, persons, needs)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (access.Held, error) {
		var h access.Held
		var source, name string
		if err := row.Scan(&h.Principal, &source, &name); err != nil {
			return h, err
		}
		if name = cmp.Or(name, string(h.Principal)); listeners == 1 {
			h.From = name + " " + by[source].from()
		} else {
			h.From = "everybody here is in " + name + " in " + source
		}
		return h, nil
	})
}

// ordered sorts what is held by principal, each once.
func ordered(held []access.Held) []access.Held {
	byPrincipal := make(map[access.Principal]access.Held, len(held))
	for _, h := range held {
		byPrincipal[h.Principal] = h
	}
	return slices.SortedFunc(maps.Values(byPrincipal), func(a, b access.Held) int { return cmp.Compare(a.Principal, b.Principal) })
}
