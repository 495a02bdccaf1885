package pgindex

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/pgvector/pgvector-go"
)

type shardWriter struct {
	tx      pgx.Tx
	tenant  access.TenantID
	shard   int16
	lists   map[string]int32            // access lists by key
	sources map[document.SourceID]int32 // numbers of sources
	models  map[string]model
	names   *pgknowledge.Writer
	state   shardState
	measure func(stage string, took time.Duration)
}

type numberedEntry struct {
	*preparedEntry
	id    int64
	first int64 // chunk id
	acl   []string
	list  int32 // number of acl
	read  time.Time
}

func (w *shardWriter) write(ctx context.Context, entries []*preparedEntry) error {
	var err error
	if w.state, err = lockShard(ctx, w.tx, w.tenant, w.shard); err != nil {
		return err
	}
	ids := make([]document.ID, len(entries))
	for i, p := range entries {
		ids[i] = p.Document.ID
	}
	old, err := w.deleteDocuments(ctx, "", ids)
	if err != nil {
		return err
	}
	docs := make([]numberedEntry, len(entries))
	for i, p := range entries {
		was, found := old[p.Document.ID]
		if !found {
			was.id = w.state.nextDocument
			w.state.nextDocument++
		}
		n, acl := len(p.Chunks), sortedACL(p.Document.ACL)
		docs[i] = numberedEntry{preparedEntry: p, id: was.id, first: w.state.allocate(n), acl: acl, list: w.lists[aclKey(acl)], read: p.ACLReadAt}
		if index.NewerACL(was.read, p.ACLReadAt) {
			docs[i].acl, docs[i].list, docs[i].read = was.acl, was.list, was.read
		}
		w.state.chunks += int64(n)
		w.state.flatLength += p.flatLength
		w.state.titleLength += p.titleLength
		if p.titleLength > 0 {
			w.state.titled += int64(n)
		}
		if !slices.Contains(w.state.languages, p.language) {
			w.state.languages = append(w.state.languages, p.language)
		}
	}
	for _, step := range []struct {
		name string
		run  func(context.Context, []numberedEntry) error
	}{
		{"write documents", w.copyDocuments}, {"write chunks", w.copyChunks}, {"write vectors", w.copyVectors}, {"write postings", w.copyPostings},
		{"write knowledge", w.putKnowledge}, {"note for the engine", w.queueNew},
	} {
		began := time.Now()
		if err := step.run(ctx, docs); err != nil {
			return err
		}
		w.measure(step.name, time.Since(began))
	}
	return saveShard(ctx, w.tx, w.tenant, w.shard, w.state)
}

func (w *shardWriter) copyDocuments(ctx context.Context, docs []numberedEntry) error {
	_, err := w.tx.CopyFrom(ctx, pgx.Identifier{"document"}, []string{"tenant_id", "shard", "id", "source_id", "external_id", "kind", "title", "url",
		"updated_at", "modified_at", "content_hash", "acl", "access_number", "metadata", "language", "first_chunk", "chunk_count",
		"flat_length", "title_length", "knowledge", "acl_read_at", "chunking"},
		pgx.CopyFromSlice(len(docs), func(i int) ([]any, error) {
			d := docs[i]
			doc := &d.Document
			metadata := make(map[string]string, len(doc.Metadata))
			for k, v := range doc.Metadata {
				metadata[clean(k)] = clean(v)
			}
			return []any{string(w.tenant), w.shard, d.id, string(doc.Source), string(doc.ID), string(doc.Kind), clean(doc.Title), clean(doc.URL),
				nullTime(doc.UpdatedAt), nullTime(d.Stamp.UpdatedAt), d.Hash[:], d.acl, d.list, metadata, d.language,
				d.first, int32(len(d.Chunks)), d.flatLength, d.titleLength, pgknowledge.ReadingVersion, readAt(d.read), int16(d.Chunking)}, nil
		}))
	if err != nil {
		return fmt.Errorf("copy documents: %w", err)
	}
	return nil
}

func (w *shardWriter) copyChunks(ctx context.Context, docs []numberedEntry) error {
	rows := chunkRows(docs)
	_, err := w.tx.CopyFrom(ctx, pgx.Identifier{"chunk"}, []string{"tenant_id", "shard", "id", "document", "ordinal", "text", "lead", "enrichment",
		"heading", "anchor", "start_rune", "end_rune", "tokens", "place_starts", "place_anchors"},
		pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
			d, n := rows[i].doc, rows[i].ordinal
			c := &d.Chunks[n]
			heading := make([]string, len(c.Heading))
			for j, h := range c.Heading {
				heading[j] = clean(h)
			}
			starts, anchors := columnsOf(c.Places)
			return []any{string(w.tenant), w.shard, d.first + int64(n), d.id, int32(n), clean(c.Text), clean(c.Lead), clean(d.enrichment(n)), heading,
				clean(c.Anchor), int32(c.Start), int32(c.End), int32(c.Tokens), starts, anchors}, nil
		}))
	if err != nil {
		return fmt.Errorf("copy chunks: %w", err)
	}
	return nil
}

func columnsOf(places []document.Place) (starts []int32, anchors []string) {
	for _, p := range places {
		starts, anchors = append(starts, int32(p.Start)), append(anchors, clean(p.Anchor))
	}
	return starts, anchors
}

func (w *shardWriter) copyVectors(ctx context.Context, docs []numberedEntry) error {
	var rows []chunkRow
	for _, r := range chunkRows(docs) {
		if r.doc.Vectors != nil && len(r.doc.Vectors[r.ordinal]) > 0 {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := w.tx.CopyFrom(ctx, pgx.Identifier{"embedding"}, []string{"tenant_id", "shard", "chunk", "model", "access_number", "source", "emb", "emb_full"},
		pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
			d, n := rows[i].doc, rows[i].ordinal
			m := w.models[d.Model]
			v := d.Vectors[n]
			if err := m.check(len(v)); err != nil {
				return nil, fmt.Errorf("vectors of %s: %w", d.Document.ID, err)
			}
			half, full := m.columns(v)
			return []any{string(w.tenant), w.shard, d.first + int64(n), m.number, d.list,
				w.sources[d.Document.Source], half, full}, nil
		}))
	if err != nil {
		return fmt.Errorf("copy vectors: %w", err)
	}
	return nil
}

// copyPostings writes the documents' terms, one row per term, field and block of chunk ids.
func (w *shardWriter) copyPostings(ctx context.Context, docs []numberedEntry) error {
	type key struct {
		block int32
		field int16
		term  string
	}
	lists := make(map[key][]byte)
	lowest := make(map[int32]int64)
	for _, r := range chunkRows(docs) { // in ascending order of ids, as posting lists require
		d := r.doc
		id := d.first + int64(r.ordinal)
		block, offset := bm25.Split(id)
		if _, found := lowest[block]; !found {
			lowest[block] = id
		}
		for term, tf := range d.flat[r.ordinal].Frequency {
			k := key{block, fieldFlat, term}
			lists[k] = bm25.AppendFresh(lists[k], offset, tf, d.flat[r.ordinal].Length)
		}
		for term, tf := range d.title.Frequency {
			k := key{block, fieldTitle, term}
			lists[k] = bm25.AppendFresh(lists[k], offset, tf, d.title.Length)
		}
	}
	keys := make([]key, 0, len(lists))
	for k := range lists {
		keys = append(keys, k)
	}
	// in the order of the primary key, which makes the insertion cheap
	slices.SortFunc(keys, func(a, b key) int {
		switch {
		case a.term != b.term && a.term < b.term:
			return -1
		case a.term != b.term:
			return 1
		case a.field != b.field:
			return int(a.field - b.field)
		}
		return int(a.block - b.block)
	})
	_, err := w.tx.CopyFrom(ctx, pgx.Identifier{"fresh_posting"}, []string{"tenant_id", "shard", "first_chunk", "field", "term", "payload"},
		pgx.CopyFromSlice(len(keys), func(i int) ([]any, error) {
			k := keys[i]
			return []any{string(w.tenant), w.shard, lowest[k.block], k.field, k.term, lists[k]}, nil
		}))
	if err != nil {
		return fmt.Errorf("copy postings: %w", err)
	}
	return nil
}

func (w *shardWriter) putKnowledge(ctx context.Context, docs []numberedEntry) error {
	written := make([]pgknowledge.Written, len(docs))
	for i, d := range docs {
		written[i] = pgknowledge.Written{Shard: w.shard, Row: d.id, First: d.first, Document: &d.Document, Chunks: d.Chunks, Reading: d.reading}
	}
	return w.names.Put(ctx, w.tx, w.tenant, written)
}

type chunkRow struct {
	doc     *numberedEntry
	ordinal int
}

func chunkRows(docs []numberedEntry) []chunkRow {
	var rows []chunkRow
	for i := range docs {
		for n := range docs[i].Chunks {
			rows = append(rows, chunkRow{&docs[i], n})
		}
	}
	return rows
}

// readAt converts a time for the column acl_read_at. The zero time becomes -infinity.
func readAt(t time.Time) pgtype.Timestamptz {
	if t.IsZero() {
		return pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}
	}
	return pgtype.Timestamptz{Time: t, Valid: true}
}

func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// columns returns the values of the columns emb and emb_full. The value of the column that the
// model does not use is nil.
func (m model) columns(v []float32) (half, full any) {
	if m.precision == precisionFull {
		return nil, pgvector.NewVector(normalise(v))
	}
	return pgvector.NewHalfVector(normalise(v)), nil
}
