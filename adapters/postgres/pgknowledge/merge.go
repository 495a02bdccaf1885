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

// Same says that two entities are one.
type Same struct {
	Kind, OtherKind knowledge.Kind
	Key, OtherKey   string
	Reason, By      string
	At              time.Time
}

// ErrAlready reports two entities that count as one already, ErrApart two that do not, and ErrItself one that was named twice.
var (
	ErrAlready = errors.New("they count as one already")
	ErrApart   = errors.New("nobody said that they are one")
	ErrItself  = errors.New("both are the same entity")
)

// ordered puts the two into the order in which they are kept, so that a merge is kept once.
func (s Same) ordered() Same {
	if s.Kind > s.OtherKind || s.Kind == s.OtherKind && s.Key > s.OtherKey {
		s.Kind, s.Key, s.OtherKind, s.OtherKey = s.OtherKind, s.OtherKey, s.Kind, s.Key
	}
	return s
}

// Merge keeps that two entities are one. It changes nothing that documents state: whoever asks for one of them is told of both, as far as they may read what states
// it. Split undoes it, whatever was stated meanwhile.
func (g *Graph) Merge(ctx context.Context, tenant access.TenantID, s Same) error {
	s = s.ordered()
	if s.Kind == s.OtherKind && s.Key == s.OtherKey {
		return ErrItself
	}
	tag, err := g.db.Pool.Exec(ctx, `
		insert into entity_merge (tenant_id, kind, key, other_kind, other_key, reason, said_by) values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
		string(tenant), string(s.Kind), s.Key, string(s.OtherKind), s.OtherKey, s.Reason, s.By)
	if err != nil {
		return fmt.Errorf("merge entities: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return ErrAlready
	}
	return nil
}

// Split takes a merge back.
func (g *Graph) Split(ctx context.Context, tenant access.TenantID, s Same) error {
	s = s.ordered()
	tag, err := g.db.Pool.Exec(ctx, `
		delete from entity_merge where tenant_id = $1 and kind = $2 and key = $3 and other_kind = $4 and other_key = $5`,
		string(tenant), string(s.Kind), s.Key, string(s.OtherKind), s.OtherKey)
	if err != nil {
		return fmt.Errorf("split entities: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return ErrApart
	}
	return nil
}

// Merges lists what was said to be one, the newest first.
func (g *Graph) Merges(ctx context.Context, tenant access.TenantID) ([]Same, error) {
	rows, err := g.db.Pool.Query(ctx, `
		select kind, key, other_kind, other_key, reason, said_by, created_at from entity_merge where tenant_id = $1 order by created_at desc, kind, key`, string(tenant))
	if err != nil {
		return nil, fmt.Errorf("list merged entities: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Same, err error) {
		return s, row.Scan(&s.Kind, &s.Key, &s.OtherKind, &s.OtherKey, &s.Reason, &s.By, &s.At)
	})
	if err != nil {
		return nil, fmt.Errorf("list merged entities: %w", err)
	}
	return all, nil
}

// Size is how much a tenant's graph holds.
type Size struct {
	Documents  int64 // that were read
	Unread     int64 // stored by an earlier version, to be read by serve
	Names      int64
	Unsearched int64 // names that are still to be looked for in older passages
	Mentions   int64
	Entities   map[knowledge.Kind]int64
	Statements map[knowledge.Relation]int64
	Merges     int64
	Bytes      int64 // of the tables, of all tenants
}

// Size counts a tenant's graph, for its operator: it asks nobody's rights.
func (g *Graph) Size(ctx context.Context, tenant access.TenantID) (Size, error) {
	s := Size{Entities: make(map[knowledge.Kind]int64), Statements: make(map[knowledge.Relation]int64)}
	err := g.db.Pool.QueryRow(ctx, `
		select (select count(*) from document where tenant_id = $1 and knowledge > 0), (select count(*) from document where tenant_id = $1 and knowledge = 0),
		       (select count(*) from entity_name where tenant_id = $1), (select count(*) from entity_name where tenant_id = $1 and not searched),
		       (select count(*) from mention where tenant_id = $1), (select count(*) from entity_merge where tenant_id = $1),
		       pg_total_relation_size('entity_name') + pg_total_relation_size('entity') + pg_total_relation_size('alias') + pg_total_relation_size('edge')
		       + pg_total_relation_size('mention')`, string(tenant)).
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
