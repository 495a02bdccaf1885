package pgknowledge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/jackc/pgx/v5"
)

// Same says that two entities are the same, according to the operator. If Apart is set, it says
// that they are different.
type Same struct {
	Apart           bool
	Kind, OtherKind knowledge.Kind
	Key, OtherKey   string
	Reason, By      string
	At              time.Time
}

// ErrAlready means that the operator has already made the same statement about two entities.
// ErrUnknown means that no document names the entity. ErrItself means that both entities are the
// same.
var (
	ErrAlready = errors.New("that was said already")
	ErrUnknown = errors.New("no document names it")
	ErrItself  = errors.New("both are the same entity")
)

// ordered returns s with its two entities in a fixed order.
func (s Same) ordered() Same {
	if s.Kind > s.OtherKind || s.Kind == s.OtherKind && s.Key > s.OtherKey {
		s.Kind, s.Key, s.OtherKind, s.OtherKey = s.OtherKind, s.OtherKey, s.Kind, s.Key
	}
	return s
}

// Merge records that two entities are the same, so that queries for one return the readable facts
// of both. If the operator has said before that they are different, Merge only deletes that record
// and returns back = true. [Graph.Split] undoes a merge.
func (g *Graph) Merge(ctx context.Context, tenant access.TenantID, s Same) (back bool, err error) {
	return g.state(ctx, tenant, s, "entity_apart", `insert into entity_merge (tenant_id, kind, key, other_kind, other_key, said_by, reason) values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`, s.Reason)
}

// Split deletes the record of a [Graph.Merge] and returns back = true. The documents then decide
// whether the entities are the same. If there is no such record, Split records that the entities
// are separate, whatever documents state.
func (g *Graph) Split(ctx context.Context, tenant access.TenantID, s Same) (back bool, err error) {
	return g.state(ctx, tenant, s, "entity_merge", `insert into entity_apart (tenant_id, kind, key, other_kind, other_key, said_by) values ($1, $2, $3, $4, $5, $6) on conflict do nothing`)
}

// state deletes the record about two entities in the table before, and returns back = true. If
// there is no such record, it executes instead, an SQL statement that inserts the opposite record.
// more has further arguments of that statement.
func (g *Graph) state(ctx context.Context, tenant access.TenantID, s Same, before, instead string, more ...any) (back bool, err error) {
	s = s.ordered()
	if s.Kind == s.OtherKind && s.Key == s.OtherKey {
		return false, ErrItself
	}
	err = g.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `delete from `+before+` where tenant_id = $1 and kind = $2 and key = $3 and other_kind = $4 and other_key = $5`,
			string(tenant), string(s.Kind), s.Key, string(s.OtherKind), s.OtherKey)
		if back = err == nil && tag.RowsAffected() > 0; err != nil || back {
			return err
		}
		tag, err = tx.Exec(ctx, instead, append([]any{string(tenant), string(s.Kind), s.Key, string(s.OtherKind), s.OtherKey, s.By}, more...)...)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrAlready
		}
		for _, id := range []knowledge.ID{{Kind: s.Kind, Key: s.Key}, {Kind: s.OtherKind, Key: s.OtherKey}} {
			var there bool
			if err := tx.QueryRow(ctx, `
				select exists (select from entity where tenant_id = $1 and kind = $2 and key = $3)
				    or $2 in ('person', 'team') and exists (select from entity_name where tenant_id = $1 and form = $3)`, string(tenant), string(id.Kind), id.Key).Scan(&there); err != nil {
				return err
			}
			if !there {
				return fmt.Errorf("%s:%s: %w", id.Kind, id.Key, ErrUnknown)
			}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("say which entities are one: %w", err)
	}
	return back, nil
}

// Said lists the merges and separations by the operator, newest first, up to the given number.
func (g *Graph) Said(ctx context.Context, tenant access.TenantID, most int) ([]Same, error) {
	rows, err := g.db.Pool.Query(ctx, `
		select false, kind, key, other_kind, other_key, reason, said_by, created_at from entity_merge where tenant_id = $1
		union all select true, kind, key, other_kind, other_key, '', said_by, created_at from entity_apart where tenant_id = $1 order by created_at desc, kind, key limit $2`, string(tenant), most)
	if err != nil {
		return nil, fmt.Errorf("list merged entities: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Same, err error) {
		return s, row.Scan(&s.Apart, &s.Kind, &s.Key, &s.OtherKind, &s.OtherKey, &s.Reason, &s.By, &s.At)
	})
	if err != nil {
		return nil, fmt.Errorf("list merged entities: %w", err)
	}
	return all, nil
}

// Size counts the contents of a tenant's graph.
type Size struct {
	Documents  int64 // documents read
	Unread     int64 // documents stored by an earlier version, which serve will read
	Names      int64
	Unsearched int64 // names not yet searched for in older passages
	Mentions   int64
	Entities   map[knowledge.Kind]int64
	Statements map[knowledge.Relation]int64
	Merges     int64
	Bytes      int64 // size of the tables, for all tenants
}

// Size returns counts of a tenant's graph, for its operator. It does not check permissions.
func (g *Graph) Size(ctx context.Context, tenant access.TenantID) (Size, error) {
	s := Size{Entities: make(map[knowledge.Kind]int64), Statements: make(map[knowledge.Relation]int64)}
	err := g.db.Pool.QueryRow(ctx, `
		select (select count(*) from document where tenant_id = $1 and knowledge >= $2), (select count(*) from document where tenant_id = $1 and knowledge < $2),
		       (select count(*) from entity_name where tenant_id = $1), (select count(*) from entity_name where tenant_id = $1 and not searched),
		       (select count(*) from mention where tenant_id = $1), (select count(*) from entity_merge where tenant_id = $1),
		       pg_total_relation_size('entity_name') + pg_total_relation_size('entity') + pg_total_relation_size('alias') + pg_total_relation_size('edge')
		       + pg_total_relation_size('mention')`, string(tenant), ReadingVersion).
		Scan(&s.Documents, &s.Unread, &s.Names, &s.Unsearched, &s.Mentions, &s.Merges, &s.Bytes)
	if err != nil {
		return s, fmt.Errorf("count what documents state: %w", err)
	}
	rows, err := g.db.Pool.Query(ctx, `
		select 'k', kind, count(*) from entity where tenant_id = $1 group by kind union all select 'r', relation, count(*) from edge where tenant_id = $1 group by relation`, string(tenant))
	if err != nil {
		return s, fmt.Errorf("count what documents state: %w", err)
	}
	var sort, name string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&sort, &name, &n}, func() error {
		if sort == "k" {
			s.Entities[knowledge.Kind(name)] = n
		} else {
			s.Statements[knowledge.Relation(name)] = n
		}
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("count what documents state: %w", err)
	}
	return s, nil
}
