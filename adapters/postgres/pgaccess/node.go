package pgaccess

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/put_nodes.sql
var putNodesSQL string

//go:embed queries/family.sql
var familySQL string

// PutNodes implements index.AccessStore. It stores a batch in one transaction, so all changes
// become visible at the same time.
func (s *Store) PutNodes(ctx context.Context, tenant access.TenantID, run index.AccessRun, b index.NodeBatch) error {
	return s.put(ctx, tenant, run, func(tx pgx.Tx) error {
		w := nodeWriter{tx: tx, tenant: tenant, run: run}
		if err := w.upgrade(ctx); err != nil {
			return err
		}
		if err := w.store(ctx, b.Nodes); err != nil {
			return err
		}
		if err := w.unread(ctx, b.Unread); err != nil {
			return err
		}
		if err := w.remove(ctx, b); err != nil {
			return err
		}
		if err := w.recomputeReaders(ctx); err != nil {
			return err
		}
		if b.Complete {
			if err := w.sweep(ctx); err != nil {
				return err
			}
		}
		if err := advance(ctx, tx, tenant, run, b.Next, b.Complete); err != nil || !w.changed {
			return err
		}
		return TouchIndex(ctx, tx, tenant)
	})
}

type nodeWriter struct {
	tx      pgx.Tx
	tenant  access.TenantID
	run     index.AccessRun
	roots   []string // nodes to recompute, with their descendants
	changed bool     // the readers of a node changed
}

// readersForm is the version of the format in which the readers of nodes, such as folders, are
// stored. If it is increased, the readers of all nodes are computed again.
const readersForm = 1

// upgrade selects all nodes of the source, so that their readers are computed again. It does
// nothing if the stored readers have the format version readersForm.
func (w *nodeWriter) upgrade(ctx context.Context) (err error) {
	w.roots, err = w.ids(ctx, `
		with older as (
			update source_access set readers_form = $3
			where tenant_id = $1 and source_id = $2 and loop = 'nodes' and readers_form < $3 returning source_id
		)
		select n.id from older join access_node n on n.tenant_id = $1 and n.source_id = older.source_id`,
		string(w.tenant), string(w.run.Source), readersForm)
	return err
}

type nodeRow struct {
	ID        string          `json:"id"`
	Principal string          `json:"principal"`
	Name      string          `json:"name"`
	Parent    string          `json:"parent"`
	Inherit   int             `json:"inherit"`
	Clauses   json.RawMessage `json:"clauses"`
}

func (w *nodeWriter) store(ctx context.Context, nodes []index.Node) error {
	if len(nodes) == 0 {
		return nil
	}
	rows := make(map[string]nodeRow, len(nodes)) // of two with the same id, the last one counts
	for _, n := range nodes {
		if n.ID == "" || clean(n.ID) != n.ID {
			return fmt.Errorf("the source has a node whose id %q is no text", n.ID)
		}
		clauses := make([][]string, len(n.Clauses))
		for i, c := range n.Clauses {
			clauses[i] = make([]string, len(c))
			for j, p := range c {
				clauses[i][j] = clean(string(p))
			}
		}
		stored, err := json.Marshal(clauses)
		if err != nil {
			return fmt.Errorf("write the readers of node %s: %w", n.ID, err)
		}
		rows[n.ID] = nodeRow{n.ID, string(access.Node(string(w.run.Source), n.ID)), clean(n.Name), clean(n.Parent), int(n.Inherit), stored}
	}
	list := make([]nodeRow, 0, len(rows))
	for _, r := range rows {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b nodeRow) int { return cmp.Compare(a.ID, b.ID) })
	input, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("write %d nodes: %w", len(nodes), err)
	}
	roots, err := w.ids(ctx, putNodesSQL, string(w.tenant), string(w.run.Source), input, w.run.StartedAt, w.run.PassStartedAt)
	w.roots = append(w.roots, roots...)
	return err
}

// unread marks nodes, such as folders, that could not be read. Their stored readers stay valid
// until index.NodeGrace after the last pass that read them.
func (w *nodeWriter) unread(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	roots, err := w.ids(ctx, `
		update access_node n set seen_at = $4, unread = true, read_at = case when n.unread then n.read_at else greatest(n.read_at, a.succeeded_at) end
		from source_access a
		where a.tenant_id = $1 and a.source_id = $2 and a.loop = 'nodes' and n.tenant_id = $1 and n.source_id = $2 and n.id = any($3::text[])
		returning n.id`, string(w.tenant), string(w.run.Source), ids, w.run.PassStartedAt)
	w.roots = append(w.roots, roots...)
	return err
}

// remove deletes the nodes in b.Denied, and after a complete pass all nodes that the pass did not
// report. Documents of a deleted node are hidden from everyone.
func (w *nodeWriter) remove(ctx context.Context, b index.NodeBatch) error {
	if len(b.Denied) == 0 && !b.Complete {
		return nil
	}
	gone, err := w.ids(ctx, `
		delete from access_node where tenant_id = $1 and source_id = $2 and (id = any($3::text[]) or $4 and seen_at < $5)
		returning id`, string(w.tenant), string(w.run.Source), b.Denied, b.Complete, w.run.PassStartedAt)
	w.roots = append(w.roots, gone...)
	w.changed = w.changed || len(gone) > 0
	return err
}

func (w *nodeWriter) ids(ctx context.Context, sql string, args ...any) ([]string, error) {
	rows, err := w.tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

type familyNode struct {
	index.Node
	readers []string
	readAt  time.Time
	unread  bool
	until   *time.Time
	now     time.Time
}

func (r familyNode) expires() time.Time { return r.readAt.Add(index.NodeGrace) }

// recomputeReaders updates the stored readers of the changed nodes and of their descendants.
func (w *nodeWriter) recomputeReaders(ctx context.Context) error {
	rows, err := w.tx.Query(ctx, familySQL, string(w.tenant), string(w.run.Source), w.roots)
	if err != nil {
		return err
	}
	family, err := pgx.CollectRows(rows, scanRelative)
	if err != nil {
		return err
	}
	if len(family) == 0 {
		return nil
	}
	counting := make(map[string]index.Node, len(family))
	for _, r := range family {
		if !r.unread || r.expires().After(r.now) {
			counting[r.ID] = r.Node
		}
	}
	readers, until := index.ReadersOf(string(w.run.Source), counting), untilOf(family)
	var changes []readerRow
	sets := make(map[access.Principal]index.Set)
	for _, r := range family {
		now, to := readers[r.ID], until[r.ID]
		if _, counts := counting[r.ID]; !counts {
			to = nil
		}
		if slices.Equal(strs(now.List), r.readers) && equalTime(to, r.until) {
			continue
		}
		changes = append(changes, readerRow{r.ID, append([]string{}, strs(now.List)...), to})
		for _, set := range now.Sets {
			sets[set.Principal] = set
		}
	}
	if len(changes) == 0 {
		return nil
	}
	w.changed = true
	if err := w.storeSets(ctx, sets); err != nil {
		return err
	}
	return w.storeReaders(ctx, changes)
}

func scanRelative(row pgx.CollectableRow) (familyNode, error) {
	var r familyNode
	var clauses []byte
	if err := row.Scan(&r.ID, &r.Parent, &r.Inherit, &clauses, &r.readers, &r.readAt, &r.unread, &r.until, &r.now); err != nil {
		return r, err
	}
	if err := json.Unmarshal(clauses, &r.Clauses); err != nil {
		return r, fmt.Errorf("read who may read node %s: %w", r.ID, err)
	}
	return r, nil
}

// untilOf returns until when the readers of nodes are valid, by node id. It contains only nodes
// whose readers depend on a node that could not be read.
func untilOf(family []familyNode) map[string]*time.Time {
	below := make(map[string][]string)
	for _, r := range family {
		if r.Inherit != index.Own {
			below[r.Parent] = append(below[r.Parent], r.ID)
		}
	}
	until := make(map[string]*time.Time)
	for _, r := range family {
		if !r.unread || !r.expires().After(r.now) {
			continue
		}
		end := r.expires()
		for next := []string{r.ID}; len(next) > 0; {
			id := next[len(next)-1]
			next = next[:len(next)-1]
			if earlier := until[id]; earlier == nil || end.Before(*earlier) { // this also ends cycles
				until[id] = &end
				next = append(next, below[id]...)
			}
		}
	}
	return until
}

func equalTime(a, b *time.Time) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Equal(*b)
}

type readerRow struct {
	ID      string     `json:"id"`
	Readers []string   `json:"readers"`
	Until   *time.Time `json:"until"`
}

func (w *nodeWriter) storeReaders(ctx context.Context, changes []readerRow) error {
	input, err := json.Marshal(changes)
	if err != nil {
		return fmt.Errorf("write the readers of %d nodes: %w", len(changes), err)
	}
	_, err = w.tx.Exec(ctx, `
		update access_node n set readers = array(select jsonb_array_elements_text(c.readers)), until = c.until
		from jsonb_to_recordset($3::jsonb) as c (id text, readers jsonb, until timestamptz)
		where n.tenant_id = $1 and n.source_id = $2 and n.id = c.id`, string(w.tenant), string(w.run.Source), input)
	return err
}

func (w *nodeWriter) storeSets(ctx context.Context, sets map[access.Principal]index.Set) error {
	batch := &pgx.Batch{}
	for _, set := range sets {
		batch.Queue(`insert into access_set (tenant_id, source_id, principal, clauses) values ($1, $2, $3, $4) on conflict do nothing`,
			string(w.tenant), string(w.run.Source), string(set.Principal), len(set.Clauses))
		for i, c := range set.Clauses {
			batch.Queue(`insert into access_set_clause (tenant_id, principal, clause, needs) select $1, $2, $3, unnest($4::text[]) on conflict do nothing`,
				string(w.tenant), string(set.Principal), i, strs(c))
		}
	}
	return w.tx.SendBatch(ctx, batch).Close()
}

// sweep deletes each stored [index.Set] that no node uses any more.
func (w *nodeWriter) sweep(ctx context.Context) error {
	_, err := w.tx.Exec(ctx, `
		with unused as (
			delete from access_set s
			where s.tenant_id = $1 and s.source_id = $2
			  and not exists (select from access_node n where n.tenant_id = $1 and n.readers @> array[s.principal])
			returning principal
		)
		delete from access_set_clause c using unused where c.tenant_id = $1 and c.principal = unused.principal`, string(w.tenant), string(w.run.Source))
	return err
}
