package pgknowledge

import (
	"context"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/jackc/pgx/v5"
)

// forgottenSQL is the beginning of an SQL expression for the digest of a person who was forgotten.
// $1 is the tenant. The caller appends the person's address and "), 'UTF8'))".
const forgottenSQL = `sha256(k.key || convert_to(concat_ws(chr(31), $1::text, 'knowledge', 'person', `

// Forget deletes the facts about a person with an e-mail address: the entity, its names and facts,
// and the operator's statements. It also prevents new facts about the person from documents that
// are read later. It does not change the documents. It reports whether there was anything to
// delete.
func (g *Graph) Forget(ctx context.Context, tenant access.TenantID, email string) (was bool, err error) {
	email = strings.ToLower(email)
	err = g.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		// Wait for transactions that write facts.
		if _, err := tx.Exec(ctx, `select from index_shard where tenant_id = $1 order by shard for update`, string(tenant)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `insert into identity_forgotten (tenant_id, digest) select $1, `+forgottenSQL+`$2::text), 'UTF8')) from identity_key k on conflict do nothing`, string(tenant), email); err != nil {
			return err
		}
		for _, statement := range []string{
			`delete from edge g using entity e where e.tenant_id = $1 and e.kind = $2 and e.key = $3 and g.tenant_id = $1 and g.subject = e.id`,
			`delete from edge g using entity e where e.tenant_id = $1 and e.kind = $2 and e.key = $3 and g.tenant_id = $1 and g.object = e.id`,
			`delete from alias a using entity e where e.tenant_id = $1 and e.kind = $2 and e.key = $3 and a.tenant_id = $1 and a.entity = e.id and a.entity <> 0`,
			`delete from entity where tenant_id = $1 and kind = $2 and key = $3`,
			`delete from entity_merge where tenant_id = $1 and (kind = $2 and key = $3 or other_kind = $2 and other_key = $3)`,
			`delete from entity_apart where tenant_id = $1 and (kind = $2 and key = $3 or other_kind = $2 and other_key = $3)`,
		} {
			tag, err := tx.Exec(ctx, statement, string(tenant), string(knowledge.Person), email)
			if err != nil {
				return err
			}
			was = was || tag.RowsAffected() > 0
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("forget what documents state of a person: %w", err)
	}
	return was, nil
}

func dropForgotten(ctx context.Context, tx pgx.Tx, tenant access.TenantID, docs []Written) error {
	var addresses []string
	person := func(e *knowledge.Entity) bool {
		return e != nil && e.Kind == knowledge.Person && strings.Contains(e.Key, "@")
	}
	for _, d := range docs {
		for _, f := range d.Reading.Facts {
			for _, e := range []*knowledge.Entity{f.Subject, f.Object} {
				if person(e) {
					addresses = append(addresses, e.Key)
				}
			}
		}
	}
	if len(addresses) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `
		select a from (select distinct a from unnest($2::text[]) a) a, identity_key k
		where exists (select from identity_forgotten f where f.tenant_id = $1 and f.digest = `+forgottenSQL+`a), 'UTF8')))`, string(tenant), addresses)
	if err != nil {
		return fmt.Errorf("look up who was forgotten: %w", err)
	}
	forgotten := make(map[string]bool)
	var address string
	if _, err := pgx.ForEachRow(rows, []any{&address}, func() error { forgotten[address] = true; return nil }); err != nil {
		return fmt.Errorf("look up who was forgotten: %w", err)
	}
	if len(forgotten) == 0 {
		return nil
	}
	for i := range docs {
		var kept []knowledge.Fact
		for _, f := range docs[i].Reading.Facts {
			if !(person(f.Subject) && forgotten[f.Subject.Key]) && !(person(f.Object) && forgotten[f.Object.Key]) {
				kept = append(kept, f)
			}
		}
		docs[i].Reading.Facts = kept
	}
	return nil
}
