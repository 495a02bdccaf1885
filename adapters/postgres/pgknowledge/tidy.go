package pgknowledge

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/jackc/pgx/v5"
)

// Name is a newly found name that must be searched for in the passages that were stored before it.
type Name struct {
	ID        int64
	Form      string
	Spellings []string // as documents write it, at most mostSpellings
}

// mostSpellings limits the spellings of a name that are searched for in older passages. Spellings
// with different accents are different words in the index.
const mostSpellings = 4

// Unsearched returns names that must be searched for in older passages. The last parameter is the
// maximum number of names.
func (g *Graph) Unsearched(ctx context.Context, tenant access.TenantID, most int) ([]Name, error) {
	rows, err := g.db.Pool.Query(ctx, `
		select id, form, array(select distinct shown from alias a where a.tenant_id = $1 and a.name = n.id order by 1 limit $3)
		from entity_name n where tenant_id = $1 and not searched order by id limit $2`, string(tenant), most, mostSpellings)
	if err != nil {
		return nil, fmt.Errorf("look for new names: %w", err)
	}
	names, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (n Name, err error) { return n, row.Scan(&n.ID, &n.Form, &n.Spellings) })
	if err != nil {
		return nil, fmt.Errorf("look for new names: %w", err)
	}
	return names, nil
}

// Searched records that names were searched for in all older passages.
func Searched(ctx context.Context, tx pgx.Tx, tenant access.TenantID, names []Name) error {
	ids := make([]int64, len(names))
	for i, n := range names {
		ids[i] = n.ID
	}
	if _, err := tx.Exec(ctx, `update entity_name set searched = true where tenant_id = $1 and id = any($2::bigint[])`, string(tenant), ids); err != nil {
		return fmt.Errorf("note that names were looked for: %w", err)
	}
	return nil
}

// Passage is a stored chunk of a document, with its text.
type Passage struct {
	Chunk int64
	Text  string
}

// Find searches passages of a shard for names, and stores which passage contains which name. The
// caller must hold the shard's lock.
func (w *Writer) Find(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16, passages []Passage, names []Name) error {
	known, err := w.names(ctx, tx, tenant)
	if err != nil {
		return err
	}
	wanted := make(map[knowledge.NameID]bool, len(names))
	for _, n := range names {
		wanted[knowledge.NameID(n.ID)] = true
	}
	var found batch
	known.mu.Lock()
	for _, p := range passages {
		here := known.lexicon.Find(p.Text)
		for _, id := range here[:min(len(here), knowledge.MaxNames)] {
			if wanted[id] {
				found.mentions = append(found.mentions, mentionRow{shard, p.Chunk, id})
			}
		}
	}
	known.mu.Unlock()
	if err := found.dropDeletedNames(ctx, tx, tenant); err != nil || len(found.mentions) == 0 {
		return err
	}
	chunks, ids := make([]int64, len(found.mentions)), make([]int64, len(found.mentions))
	for i, m := range found.mentions {
		chunks[i], ids[i] = m.chunk, int64(m.name)
	}
	// A document's own titles are no mentions. The lateral joins make the planner use the primary
	// keys, once per pair. In another order it would read whole tables for each pair.
	if _, err := tx.Exec(ctx, `
		insert into mention (tenant_id, shard, chunk, name)
		select $1, $2, u.chunk, u.name from unnest($3::bigint[], $4::bigint[]) as u (chunk, name)
		cross join lateral (select document from chunk where tenant_id = $1 and shard = $2 and id = u.chunk offset 0) c
		where not exists (select from alias a where a.tenant_id = $1 and a.shard = $2 and a.document = c.document and a.entity = 0 and a.name = u.name offset 0)
		on conflict do nothing`, string(tenant), shard, chunks, ids); err != nil {
		return fmt.Errorf("keep where names stand: %w", err)
	}
	return nil
}

// purgeStep is the largest number of names, and of entities, that one call of Purge deletes.
const purgeStep = 5000

// Purge deletes names and entities that no document uses. It returns true if there may be more. The
// caller must hold the locks of all shards of the tenant, so that no other transaction can start to
// use them.
func Purge(ctx context.Context, tx pgx.Tx, tenant access.TenantID) (more bool, err error) {
	names, err := tx.Exec(ctx, `
		with unused as (
			select id from entity_name n where tenant_id = $1 and not exists (select from alias a where a.tenant_id = $1 and a.name = n.id) limit $2
		), mentions as (delete from mention m using unused u where m.tenant_id = $1 and m.name = u.id)
		delete from entity_name n using unused u where n.tenant_id = $1 and n.id = u.id`, string(tenant), purgeStep)
	if err != nil {
		return false, fmt.Errorf("delete names that nothing uses: %w", err)
	}
	entities, err := tx.Exec(ctx, `
		delete from entity e using (
			select id from entity e where tenant_id = $1
			  and not exists (select from edge g where g.tenant_id = $1 and g.subject = e.id and g.subject <> 0)
			  and not exists (select from edge g where g.tenant_id = $1 and g.object = e.id and g.object <> 0)
			  and not exists (select from alias a where a.tenant_id = $1 and a.entity = e.id and a.entity <> 0) limit $2
		) u where e.tenant_id = $1 and e.id = u.id`, string(tenant), purgeStep)
	if err != nil {
		return false, fmt.Errorf("delete entities that nothing uses: %w", err)
	}
	return names.RowsAffected() == purgeStep || entities.RowsAffected() == purgeStep, nil
}
