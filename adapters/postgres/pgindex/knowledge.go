package pgindex

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/jackc/pgx/v5"
)

const (
	// readStep is the number of documents that are read again in one transaction. scanStep is the
	// number of passages that are searched for new names in one transaction.
	readStep, scanStep = 200, 2000
	// maxLookups is the maximum number of new names for which single passages are read, per
	// thousand passages of the index. For more names, all passages are read.
	maxLookups = 20
	// maxPassagesOfName limits the passages that are read for one name.
	maxPassagesOfName = 2000
)

// tidyKnowledge updates the facts and names of older documents. It reads again the documents that
// an earlier release stored, and then searches passages for names that were found later. It checks
// the deadline until between steps, and returns true if work remains.
func (x *Index) tidyKnowledge(ctx context.Context, tenant access.TenantID, until time.Time) (more bool, err error) {
	shards, err := x.shardNumbers(ctx, tenant)
	if err != nil {
		return false, err
	}
	for _, shard := range shards {
		for again := true; again; {
			if reached(until) {
				return true, nil
			}
			if again, err = x.readUnread(ctx, tenant, shard); err != nil {
				return false, fmt.Errorf("read what documents state: %w", err)
			}
		}
	}
	graph := pgknowledge.New(x.db)
	began := time.Now()
	defer func() { x.cfg.Measure("look for names", time.Since(began)) }()
	for {
		fresh, err := graph.Unsearched(ctx, tenant, maxNewNames)
		if err != nil || len(fresh) == 0 {
			return false, err
		}
		if reached(until) {
			return true, nil
		}
		var chunks int
		if err := x.db.Pool.QueryRow(ctx, `select coalesce(sum(chunks), 0) from index_shard where tenant_id = $1`, string(tenant)).Scan(&chunks); err != nil {
			return false, fmt.Errorf("count passages: %w", err)
		}
		if len(fresh) > maxLookups*(1+chunks/1000) {
			err = x.searchAllPassages(ctx, tenant, shards, fresh)
		} else {
			fresh = fresh[:min(len(fresh), maxLookups)]
			err = x.searchPostings(ctx, tenant, fresh)
		}
		if err != nil {
			return false, fmt.Errorf("look for new names: %w", err)
		}
	}
}

const maxNewNames = 100_000

// lockShardQuietly makes the caller the only writer of a shard, like lockShard. It does not change
// the shard's version, because search results do not change.
func lockShardQuietly(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16) error {
	if _, err := tx.Exec(ctx, `select from index_shard where tenant_id = $1 and shard = $2 for update`, string(tenant), shard); err != nil {
		return fmt.Errorf("lock index shard %d: %w", shard, err)
	}
	return nil
}

// readUnread extracts the facts of up to readStep documents that an earlier release stored. It
// returns true if there may be more. It uses the index document_older.
func (x *Index) readUnread(ctx context.Context, tenant access.TenantID, shard int16) (more bool, err error) {
	err = x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		var there bool
		if err := tx.QueryRow(ctx, `select exists (select from document where tenant_id = $1 and shard = $2 and knowledge < 2)`, string(tenant), shard).Scan(&there); err != nil || !there {
			return err
		}
		if err := lockShardQuietly(ctx, tx, tenant, shard); err != nil {
			return err
		}
		docs, err := storedDocuments(ctx, tx, tenant, shard, `knowledge < 2 order by id limit $3`, readStep)
		if err != nil {
			return err
		}
		more = len(docs) == readStep
		return x.reread(ctx, tx, tenant, shard, docs, func(r knowledge.Reading) knowledge.Reading { return r })
	})
	return more, err
}

// storedDocuments returns the stored documents of a shard that meet an SQL condition. The
// condition's parameters begin at $3.
func storedDocuments(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16, condition string, args ...any) ([]pgknowledge.Written, error) {
	rows, err := tx.Query(ctx, `
		select id, external_id, source_id, kind, title, url, updated_at, metadata, first_chunk,
		       array(select text from chunk c where c.tenant_id = $1 and c.shard = $2 and c.id >= d.first_chunk and c.id < d.first_chunk + d.chunk_count order by c.id),
		       array(select lead from chunk c where c.tenant_id = $1 and c.shard = $2 and c.id >= d.first_chunk and c.id < d.first_chunk + d.chunk_count order by c.id)
		from document d where tenant_id = $1 and shard = $2 and `+condition, append([]any{string(tenant), shard}, args...)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (pgknowledge.Written, error) {
		var texts, leads []string
		var updated *time.Time
		d := pgknowledge.Written{Shard: shard, Document: new(document.Document)}
		err := row.Scan(&d.Row, &d.Document.ID, &d.Document.Source, &d.Document.Kind, &d.Document.Title, &d.Document.URL, &updated, &d.Document.Metadata, &d.First, &texts, &leads)
		if updated != nil {
			d.Document.UpdatedAt = updated.UTC()
		}
		for i, text := range texts {
			d.Chunks = append(d.Chunks, document.Chunk{Text: text, Lead: leads[i]})
		}
		return d, err
	})
}

// reread extracts facts from stored documents again, and replaces their stored facts. The function
// more may add facts to what was read. The caller must hold the shard's lock.
func (x *Index) reread(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16, docs []pgknowledge.Written, more func(knowledge.Reading) knowledge.Reading) error {
	ids, firsts, counts := make([]int64, len(docs)), make([]int64, len(docs)), make([]int32, len(docs))
	for i := range docs {
		docs[i].Reading = knowledge.Read(docs[i].Document, docs[i].Chunks)
		ids[i], firsts[i], counts[i] = docs[i].Row, docs[i].First, int32(len(docs[i].Chunks))
	}
	if err := pgknowledge.KeepLinks(ctx, tx, tenant, shard, docs); err != nil {
		return err
	}
	for i := range docs {
		docs[i].Reading = more(docs[i].Reading)
	}
	var work pgx.Batch // an earlier release may have replaced a document whose statements were stored
	pgknowledge.Drop(&work, tenant, shard, ids, firsts, counts)
	work.Queue(`update document set knowledge = $4 where tenant_id = $1 and shard = $2 and id = any($3::bigint[])`, string(tenant), shard, ids, pgknowledge.ReadingVersion)
	if err := tx.SendBatch(ctx, &work).Close(); err != nil {
		return err
	}
	return x.names.Put(ctx, tx, tenant, docs)
}

// searchAllPassages searches all passages of the shards for names, and then marks the names as
// searched.
func (x *Index) searchAllPassages(ctx context.Context, tenant access.TenantID, shards []int16, names []pgknowledge.Name) error {
	for _, shard := range shards {
		for after := int64(-1); ; {
			var passages []pgknowledge.Passage
			err := x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
				if err := lockShardQuietly(ctx, tx, tenant, shard); err != nil {
					return err
				}
				rows, err := tx.Query(ctx, `select id, lead, text from chunk where tenant_id = $1 and shard = $2 and id > $3 order by id limit $4`, string(tenant), shard, after, scanStep)
				if err != nil {
					return err
				}
				if passages, err = pgx.CollectRows(rows, scanPassageText); err != nil {
					return err
				}
				return x.names.Find(ctx, tx, tenant, shard, passages, names)
			})
			if err != nil {
				return err
			}
			if len(passages) == 0 {
				break
			}
			after = passages[len(passages)-1].Chunk
		}
	}
	return x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error { return pgknowledge.Searched(ctx, tx, tenant, names) })
}

func scanPassageText(row pgx.CollectableRow) (p pgknowledge.Passage, err error) {
	var c document.Chunk
	err = row.Scan(&p.Chunk, &c.Lead, &c.Text)
	p.Text = c.Words()
	return p, err
}

// searchPostings searches only the passages that contain all words of a name, according to the
// postings. It also marks the names as searched.
func (x *Index) searchPostings(ctx context.Context, tenant access.TenantID, names []pgknowledge.Name) error {
	return x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		holding := make(map[int16]map[int64]bool)
		for _, name := range names {
			if !knowledge.Nameable(name.Form) {
				continue // not searched for in texts
			}
			for _, spelling := range append(name.Spellings, name.Form) {
				if err := addPassagesWith(ctx, tx, tenant, spelling, holding); err != nil {
					return err
				}
			}
		}
		for _, shard := range slices.Sorted(maps.Keys(holding)) {
			if err := lockShardQuietly(ctx, tx, tenant, shard); err != nil {
				return err
			}
			rows, err := tx.Query(ctx, `
				select c.id, c.lead, c.text from unnest($3::bigint[]) as w (id)
				cross join lateral (select * from chunk where tenant_id = $1 and shard = $2 and id = w.id offset 0) c order by c.id`,
				string(tenant), shard, slices.Sorted(maps.Keys(holding[shard])))
			if err != nil {
				return err
			}
			passages, err := pgx.CollectRows(rows, scanPassageText)
			if err != nil {
				return err
			}
			if err := x.names.Find(ctx, tx, tenant, shard, passages, names); err != nil {
				return err
			}
		}
		return pgknowledge.Searched(ctx, tx, tenant, names)
	})
}

// addPassagesWith looks up the passages that contain all words of a name, in each language of the
// index. It adds them to the map holding, by shard and chunk id. It adds at most maxPassagesOfName
// per language. The statements use the primary keys of both posting tables.
func addPassagesWith(ctx context.Context, tx pgx.Tx, tenant access.TenantID, spelling string, holding map[int16]map[int64]bool) error {
	var languages []string
	if err := tx.QueryRow(ctx, `select array(select distinct l from index_shard, unnest(languages) l where tenant_id = $1 order by 1)`, string(tenant)).Scan(&languages); err != nil {
		return fmt.Errorf("ask for the languages of the index: %w", err)
	}
	for _, language := range languages {
		terms := slices.Sorted(maps.Keys(analyse.Text(spelling, language).Frequency))
		if len(terms) == 0 {
			continue
		}
		rows, err := tx.Query(ctx, `
			select shard, first_chunk, true, term, payload from fresh_posting where tenant_id = $1 and term = any($2::text[]) and field = 0
			union all
			select p.shard, s.low, false, p.term, p.payload from posting p join segment s on s.tenant_id = p.tenant_id and s.shard = p.shard and s.number = p.segment
			where p.tenant_id = $1 and p.term = any($2::text[]) and p.field = 0`, string(tenant), terms)
		if err != nil {
			return fmt.Errorf("read postings: %w", err)
		}
		counts := make(map[document.ChunkID]int)
		var shard int16
		var low int64
		var fresh bool
		var term string
		var payload []byte
		if _, err := pgx.ForEachRow(rows, []any{&shard, &low, &fresh, &term, &payload}, func() error {
			block, _ := bm25.Split(low)
			if fresh {
				for i := range bm25.FreshLen(payload) {
					offset, _, _ := bm25.Fresh(payload, i)
					counts[chunkID(shard, bm25.Join(block, offset))]++
				}
				return nil
			}
			for i := range bm25.SealedLen(payload) {
				offset, _ := bm25.Sealed(payload, i)
				counts[chunkID(shard, bm25.Join(block, offset))]++
			}
			return nil
		}); err != nil {
			return fmt.Errorf("read postings: %w", err)
		}
		kept := 0
		for _, id := range slices.Sorted(maps.Keys(counts)) {
			if counts[id] < len(terms) {
				continue
			}
			if kept++; kept > maxPassagesOfName {
				break
			}
			shard, chunk := splitID(id)
			if holding[shard] == nil {
				holding[shard] = make(map[int64]bool)
			}
			holding[shard][chunk] = true
		}
	}
	return nil
}

func (x *Index) purgeKnowledge(ctx context.Context, tenant access.TenantID, shards []int16, until time.Time) (more bool, err error) {
	for again := true; again; {
		if reached(until) {
			return true, nil
		}
		err = x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
			for _, shard := range shards {
				if err := lockShardQuietly(ctx, tx, tenant, shard); err != nil {
					return err
				}
			}
			again, err = pgknowledge.Purge(ctx, tx, tenant)
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return false, nil
}
