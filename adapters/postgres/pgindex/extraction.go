package pgindex

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/extract"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/jackc/pgx/v5"
)

var _ extract.Store = (*Extraction)(nil)

// Extraction stores the facts that a model extracts from the documents of an index. It implements
// extract.Store and is safe for concurrent use.
type Extraction struct {
	*pgknowledge.Texts
	index *Index
}

// Extraction returns the store of the facts that a model extracts from the index's documents.
func (x *Index) Extraction() *Extraction { return &Extraction{pgknowledge.NewTexts(x.db), x} }

// dueSQL is the FROM clause of a query for the documents of a tenant ($1) that a model must still
// read. $2 is the digest of the model and its instructions. It uses the primary keys of both
// tables.
const dueSQL = ` from document d where d.tenant_id = $1 and d.chunk_count > 0
	and not exists (select from extracted x where x.tenant_id = $1 and x.shard = d.shard and x.document = d.id and x.first_chunk = d.first_chunk and x.way = $2)`

// Due implements extract.Store. It returns documents that a model must still read, beginning behind
// the document after. way is the digest of the model and its instructions. The last parameter is
// the maximum number of documents.
func (e *Extraction) Due(ctx context.Context, tenant access.TenantID, way extract.Digest, after extract.Document, most int) ([]extract.Document, error) {
	rows, err := e.index.db.Pool.Query(ctx, `
		select w.*, c.heading, c.lead, c.text from (select d.shard, d.id, d.first_chunk, d.chunk_count, d.title`+dueSQL+` and (d.shard, d.id) > ($3, $4) order by d.shard, d.id limit $5) w
		join chunk c on c.tenant_id = $1 and c.shard = w.shard and c.id >= w.first_chunk and c.id < w.first_chunk + w.chunk_count order by w.shard, w.id, c.id`,
		string(tenant), way[:], after.Shard, after.Row, most)
	if err != nil {
		return nil, fmt.Errorf("look for documents to be read: %w", err)
	}
	var docs []extract.Document
	var d extract.Document
	var count int32
	var p extract.Passage
	var c document.Chunk
	if _, err := pgx.ForEachRow(rows, []any{&d.Shard, &d.Row, &d.First, &count, &d.Title, &p.Heading, &c.Lead, &c.Text}, func() error {
		p.Text = c.Words()
		if last := len(docs) - 1; last < 0 || docs[last].Shard != d.Shard || docs[last].Row != d.Row {
			docs = append(docs, d)
		}
		last := &docs[len(docs)-1]
		last.Passages = append(last.Passages, p)
		p.Heading = nil
		return nil
	}); err != nil {
		return nil, fmt.Errorf("look for documents to be read: %w", err)
	}
	return docs, nil
}

// IsDue reports whether a model must still read any document. way is the digest of the model and
// its instructions. If way is nil, IsDue reports whether a model has read any document.
func (e *Extraction) IsDue(ctx context.Context, tenant access.TenantID, way *extract.Digest) (is bool, err error) {
	if way == nil {
		err = e.index.db.Pool.QueryRow(ctx, `select exists (select from extracted where tenant_id = $1)`, string(tenant)).Scan(&is)
	} else {
		err = e.index.db.Pool.QueryRow(ctx, `select exists (select`+dueSQL+`)`, string(tenant), way[:]).Scan(&is)
	}
	if err != nil {
		return false, fmt.Errorf("look for documents to be read: %w", err)
	}
	return is, nil
}

// Write implements extract.Store. It replaces the facts that a model has found in a document. way
// is the digest of the model and its instructions, and texts are the digests of the passages. Write
// does nothing if the document has changed since Due.
func (e *Extraction) Write(ctx context.Context, tenant access.TenantID, way extract.Digest, d extract.Document, texts []extract.Digest, facts []knowledge.Fact) error {
	err := e.index.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		there, err := e.replaceFacts(ctx, tx, tenant, d, facts)
		if !there || err != nil {
			return err
		}
		return pgknowledge.Extracted(ctx, tx, tenant, way, d, texts)
	})
	if err != nil {
		return fmt.Errorf("write what a document states: %w", err)
	}
	return nil
}

// replaceFacts replaces the facts that a model extracted from a document. It returns false if the
// document was changed or deleted in the meantime.
func (e *Extraction) replaceFacts(ctx context.Context, tx pgx.Tx, tenant access.TenantID, d extract.Document, facts []knowledge.Fact) (bool, error) {
	if err := lockShardQuietly(ctx, tx, tenant, d.Shard); err != nil {
		return false, err
	}
	docs, err := storedDocuments(ctx, tx, tenant, d.Shard, `id = $3 and first_chunk = $4`, d.Row, d.First)
	if err != nil || len(docs) == 0 {
		return false, err
	}
	return true, e.index.reread(ctx, tx, tenant, d.Shard, docs, func(r knowledge.Reading) knowledge.Reading { return r.With(facts, extract.MostFacts) })
}

// Withdraw removes the facts that a model extracted. Call it after extraction was switched off. It
// checks the deadline until between documents, and returns true if documents remain. Zero means no
// deadline.
//
// Facts that were found without a model remain. The model's results stay cached for one or two
// days.
func (e *Extraction) Withdraw(ctx context.Context, tenant access.TenantID, until time.Time) (more bool, err error) {
	for {
		if reached(until) {
			return true, nil
		}
		var d extract.Document
		err := e.index.db.Pool.QueryRow(ctx, `select shard, document, first_chunk from extracted where tenant_id = $1 order by shard, document limit 1`, string(tenant)).Scan(&d.Shard, &d.Row, &d.First)
		if errors.Is(err, pgx.ErrNoRows) {
			return false, nil
		}
		if err == nil {
			err = e.index.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
				if _, err := e.replaceFacts(ctx, tx, tenant, d, nil); err != nil {
					return err
				}
				_, err := tx.Exec(ctx, `delete from extracted where tenant_id = $1 and shard = $2 and document = $3`, string(tenant), d.Shard, d.Row)
				return err
			})
		}
		if err != nil {
			return false, fmt.Errorf("take out what a model read: %w", err)
		}
	}
}
