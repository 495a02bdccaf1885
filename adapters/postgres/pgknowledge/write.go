// Package pgknowledge stores the facts that documents state, and the names in each passage
// (core/knowledge). Its tables are entity, entity_name, alias, edge, mention, entity_merge and
// entity_apart. Tables extraction and extracted store the facts that a model extracted
// (core/extract). Rows are written and deleted in the transaction of their document. The writer
// holds the lock of the document's shard.
package pgknowledge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/jackc/pgx/v5"
)

// ReadingVersion is the version of the code that finds facts and names in documents. Documents that
// an earlier version has read are read again from their stored text. The index document_older
// contains the same number.
const ReadingVersion = 2

// mostNames limits the number of cached names, at 100 bytes of memory each. Only cached names are
// searched for in text. Questions can use all names.
const mostNames = 500_000

// Writer writes the facts and names of documents. It caches the names of each tenant. It is safe
// for concurrent use.
type Writer struct {
	mu      sync.Mutex
	tenants map[access.TenantID]*names
}

type names struct {
	mu      sync.Mutex
	lexicon *knowledge.Lexicon
	last    int64 // id of the newest name that was read
}

// NewWriter returns a writer with an empty cache.
func NewWriter() *Writer { return &Writer{tenants: make(map[access.TenantID]*names)} }

// Written is a document that is being stored, with its shard and row.
type Written struct {
	Shard    int16
	Row      int64 // row id of the document
	First    int64 // id of the first chunk
	Document *document.Document
	Chunks   []document.Chunk
	Reading  knowledge.Reading
}

// Put stores the facts and names of one tenant's documents. The documents must not have stored
// facts yet.
func (w *Writer) Put(ctx context.Context, tx pgx.Tx, tenant access.TenantID, docs []Written) error {
	known, err := w.names(ctx, tx, tenant)
	if err != nil {
		return err
	}
	known.mu.Lock()
	last := known.last
	known.mu.Unlock()
	if err := dropForgotten(ctx, tx, tenant, docs); err != nil {
		return err
	}
	rows := collect(docs)
	if err := rows.assignIDs(ctx, tx, tenant); err != nil {
		return err
	}
	fresh := knowledge.NewLexicon() // names that exist only if this transaction commits
	for form, id := range rows.names {
		if id > last {
			fresh.Add(form, knowledge.NameID(id))
		}
	}
	rows.find(docs, known, fresh)
	if err := rows.dropDeletedNames(ctx, tx, tenant); err != nil {
		return err
	}
	return rows.copy(ctx, tx, tenant)
}

// names returns the cached names of a tenant, after adding newly committed names. The caller must
// hold the lock of a shard, so that names become visible in the order of their ids.
func (w *Writer) names(ctx context.Context, tx pgx.Tx, tenant access.TenantID) (*names, error) {
	w.mu.Lock()
	n := w.tenants[tenant]
	if n == nil {
		n = &names{lexicon: knowledge.NewLexicon()}
		w.tenants[tenant] = n
	}
	w.mu.Unlock()
	n.mu.Lock()
	last := n.last
	n.mu.Unlock()
	rows, err := tx.Query(ctx, `select id, form from entity_name where tenant_id = $1 and id > $2 order by id limit $3`, string(tenant), last, mostNames)
	if err != nil {
		return nil, fmt.Errorf("read new names: %w", err)
	}
	type name struct {
		id   int64
		form string
	}
	fresh, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (n name, err error) { return n, row.Scan(&n.id, &n.form) })
	if err != nil {
		return nil, fmt.Errorf("read new names: %w", err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, f := range fresh {
		if f.id > n.last {
			n.last = f.id
			if n.lexicon.Len() < mostNames {
				n.lexicon.Add(f.form, knowledge.NameID(f.id))
			}
		}
	}
	return n, nil
}

type entityKey struct{ kind, key string }

type batch struct {
	names    map[string]int64 // by form
	entities map[entityKey]int64
	aliases  []aliasRow
	edges    []edgeRow
	mentions []mentionRow
}

type aliasRow struct {
	doc    *Written
	entity entityKey // zero: the document itself
	form   string
	shown  string
}

type edgeRow struct {
	doc             *Written
	chunk           int64
	subject, object entityKey // zero: the document itself
	relation        knowledge.Relation
}

type mentionRow struct {
	shard int16
	chunk int64
	name  knowledge.NameID
}

// longestShown is the maximum stored length of a name in bytes.
const longestShown = 300

// collect returns the rows to insert for documents. The ids of names and entities in them are still
// 0.
func collect(docs []Written) *batch {
	b := &batch{names: make(map[string]int64), entities: make(map[entityKey]int64)}
	for i := range docs {
		d := &docs[i]
		seen := make(map[[3]string]bool)
		name := func(e entityKey, shown string) {
			shown = postgres.Storable(shown)
			form := knowledge.Form(shown)
			if key := [3]string{e.kind, e.key, form}; form == "" || len(form) > knowledge.MaxNameBytes || seen[key] {
				return
			} else {
				seen[key] = true
			}
			b.names[form] = 0
			b.aliases = append(b.aliases, aliasRow{d, e, form, shown[:min(len(shown), longestShown)]})
		}
		for _, title := range d.Reading.Titles {
			name(entityKey{}, title)
		}
		for _, term := range d.Reading.Terms {
			key := entityKey{string(term.Kind), postgres.Storable(term.Key)}
			b.entities[key] = 0
			for _, n := range term.Names() {
				name(key, n)
			}
		}
		for _, f := range d.Reading.Facts {
			keys := [2]entityKey{}
			for i, e := range [2]*knowledge.Entity{f.Subject, f.Object} {
				if e == nil {
					continue
				}
				keys[i] = entityKey{string(e.Kind), postgres.Storable(e.Key)}
				b.entities[keys[i]] = 0
				if e.Kind == knowledge.Document {
					continue // it has its own titles
				}
				for _, n := range e.Names() {
					name(keys[i], n)
				}
			}
			chunk := d.First + int64(f.Chunk)
			b.edges = append(b.edges, edgeRow{d, chunk, keys[0], keys[1], f.Relation})
		}
	}
	return b
}

// assignIDs inserts new names and entities, and sets the ids of all names and entities in the
// batch. It inserts in sorted order, which prevents deadlocks between writers of different shards.
func (b *batch) assignIDs(ctx context.Context, tx pgx.Tx, tenant access.TenantID) error {
	forms := make([]string, 0, len(b.names))
	for form := range b.names {
		forms = append(forms, form)
	}
	slices.Sort(forms)
	keys := make([]entityKey, 0, len(b.entities))
	for key := range b.entities {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b entityKey) int {
		return cmp.Or(strings.Compare(a.kind, b.kind), strings.Compare(a.key, b.key))
	})
	kinds, idents := make([]string, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		kinds[i], idents[i] = k.kind, k.key
	}
	var work pgx.Batch
	work.Queue(`insert into entity_name (tenant_id, form) select $1, f from unnest($2::text[]) with ordinality u (f, n)
		where not exists (select from entity_name where tenant_id = $1 and form = f) order by n on conflict do nothing`, string(tenant), forms)
	work.Queue(`insert into entity (tenant_id, kind, key) select $1, k, i from unnest($2::text[], $3::text[]) with ordinality u (k, i, n)
		where not exists (select from entity where tenant_id = $1 and kind = k and key = i) order by n on conflict do nothing`, string(tenant), kinds, idents)
	work.Queue(`select form, id from entity_name where tenant_id = $1 and form = any($2::text[])`, string(tenant), forms).Query(func(rows pgx.Rows) error {
		var form string
		var id int64
		_, err := pgx.ForEachRow(rows, []any{&form, &id}, func() error {
			b.names[form] = id
			return nil
		})
		return err
	})
	work.Queue(`select e.kind, e.key, e.id from unnest($2::text[], $3::text[]) u (k, i) join entity e on e.tenant_id = $1 and e.kind = k and e.key = i`,
		string(tenant), kinds, idents).Query(func(rows pgx.Rows) error {
		var key entityKey
		var id int64
		_, err := pgx.ForEachRow(rows, []any{&key.kind, &key.key, &id}, func() error {
			b.entities[key] = id
			return nil
		})
		return err
	})
	if err := tx.SendBatch(ctx, &work).Close(); err != nil {
		return fmt.Errorf("number names and entities: %w", err)
	}
	return nil
}

// find searches the passages of documents for known and fresh names, and adds each as a mention. It
// omits the titles of the document itself.
func (b *batch) find(docs []Written, known *names, fresh *knowledge.Lexicon) {
	known.mu.Lock()
	defer known.mu.Unlock()
	for i := range docs {
		d := &docs[i]
		own := make(map[knowledge.NameID]bool)
		for _, title := range d.Reading.Titles {
			own[knowledge.NameID(b.names[knowledge.Form(postgres.Storable(title))])] = true
		}
		for n, c := range d.Chunks {
			words := c.Words()
			found := known.lexicon.Find(words)
			for _, id := range fresh.Find(words) {
				if !slices.Contains(found, id) {
					found = append(found, id)
				}
			}
			kept := 0
			for _, id := range found {
				if kept == knowledge.MaxNames {
					break
				}
				if !own[id] {
					kept++
					b.mentions = append(b.mentions, mentionRow{d.Shard, d.First + int64(n), id})
				}
			}
		}
	}
}

// dropDeletedNames drops mentions of names that were deleted after they were cached.
func (b *batch) dropDeletedNames(ctx context.Context, tx pgx.Tx, tenant access.TenantID) error {
	var ids []int64
	for _, m := range b.mentions {
		ids = append(ids, int64(m.name))
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `select id from entity_name where tenant_id = $1 and id = any($2::bigint[])`, string(tenant), ids)
	if err != nil {
		return fmt.Errorf("look names up: %w", err)
	}
	there, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return fmt.Errorf("look names up: %w", err)
	}
	if len(there) == len(ids) {
		return nil
	}
	live := make(map[int64]bool, len(there))
	for _, id := range there {
		live[id] = true
	}
	b.mentions = slices.DeleteFunc(b.mentions, func(m mentionRow) bool { return !live[int64(m.name)] })
	return nil
}

func (b *batch) copy(ctx context.Context, tx pgx.Tx, tenant access.TenantID) error {
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"alias"}, []string{"tenant_id", "shard", "document", "entity", "name", "shown"},
		pgx.CopyFromSlice(len(b.aliases), func(i int) ([]any, error) {
			a := b.aliases[i]
			return []any{string(tenant), a.doc.Shard, a.doc.Row, b.entities[a.entity], b.names[a.form], strings.ToValidUTF8(a.shown, "")}, nil
		})); err != nil {
		return fmt.Errorf("copy aliases: %w", err)
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"edge"}, []string{"tenant_id", "shard", "document", "chunk", "subject", "relation", "object", "at"},
		pgx.CopyFromSlice(len(b.edges), func(i int) ([]any, error) {
			e := b.edges[i]
			return []any{string(tenant), e.doc.Shard, e.doc.Row, e.chunk, b.entities[e.subject], string(e.relation), b.entities[e.object],
				postgres.OrNull(e.doc.Document.UpdatedAt)}, nil
		})); err != nil {
		return fmt.Errorf("copy edges: %w", err)
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"mention"}, []string{"tenant_id", "shard", "chunk", "name"},
		pgx.CopyFromSlice(len(b.mentions), func(i int) ([]any, error) {
			m := b.mentions[i]
			return []any{string(tenant), m.shard, m.chunk, int64(m.name)}, nil
		})); err != nil {
		return fmt.Errorf("copy mentions: %w", err)
	}
	return nil
}

// KeepLinks adds the stored links of documents to their Reading. Call it before a document is read
// again from its stored text, which lacks links that only the source reported. The statement uses
// the primary keys.
func KeepLinks(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16, docs []Written) error {
	at, ids := make(map[int64]int, len(docs)), make([]int64, len(docs))
	for i := range docs {
		at[docs[i].Row], ids[i] = i, docs[i].Row
	}
	rows, err := tx.Query(ctx, `select g.document, g.chunk, e.key from edge g join entity e on e.tenant_id = $1 and e.id = g.object and e.kind = $4
		where g.tenant_id = $1 and g.shard = $2 and g.document = any($3::bigint[]) and g.subject = 0 and g.relation = $5 order by g.document, g.chunk`,
		string(tenant), shard, ids, string(knowledge.Document), string(knowledge.LinksTo))
	if err != nil {
		return fmt.Errorf("look up the links of documents: %w", err)
	}
	links := make([][]knowledge.Fact, len(docs))
	var document, chunk int64
	var key string
	if _, err := pgx.ForEachRow(rows, []any{&document, &chunk, &key}, func() error {
		i := at[document]
		// otherwise the chunk is of an earlier version
		if place := chunk - docs[i].First; place >= 0 && place < int64(len(docs[i].Chunks)) {
			links[i] = append(links[i], knowledge.Fact{Relation: knowledge.LinksTo, Object: &knowledge.Entity{Kind: knowledge.Document, Key: key, Name: key}, Chunk: int(place)})
		}
		return nil
	}); err != nil {
		return fmt.Errorf("look up the links of documents: %w", err)
	}
	for i := range docs {
		docs[i].Reading = docs[i].Reading.With(links[i], knowledge.MaxFacts)
	}
	return nil
}

// Drop queues statements that delete the facts, names and mentions of documents. rows has the row
// ids of the documents. firsts and counts have the id of the first chunk and the number of chunks
// of each. The statements use the primary keys.
func Drop(work *pgx.Batch, tenant access.TenantID, shard int16, rows, firsts []int64, counts []int32) {
	work.Queue(`delete from alias where tenant_id = $1 and shard = $2 and document = any($3::bigint[])`, string(tenant), shard, rows)
	work.Queue(`delete from edge where tenant_id = $1 and shard = $2 and document = any($3::bigint[])`, string(tenant), shard, rows)
	work.Queue(`delete from extracted where tenant_id = $1 and shard = $2 and document = any($3::bigint[])`, string(tenant), shard, rows)
	work.Queue(`delete from mention m using unnest($3::bigint[], $4::int[]) as gone (first, n)
		where m.tenant_id = $1 and m.shard = $2 and m.chunk >= gone.first and m.chunk < gone.first + gone.n`, string(tenant), shard, firsts, counts)
}
