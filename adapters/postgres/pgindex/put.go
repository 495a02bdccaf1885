package pgindex

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// Put implements index.Store. It stores documents in one transaction. Each document replaces its
// previous version entirely.
//
// Put analyses the texts before the transaction. After the commit it packs new chunks into segments
// if there are many (Config.FreshLimit), and only logs an error in packing.
func (x *Index) Put(ctx context.Context, tenant access.TenantID, entries []index.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	lap := x.laps()
	prepared := make([]*preparedEntry, len(entries))
	var analysis errgroup.Group
	analysis.SetLimit(runtime.GOMAXPROCS(0))
	for i := range entries {
		analysis.Go(func() (err error) {
			prepared[i], err = x.prepare(&entries[i])
			return err
		})
	}
	if err := analysis.Wait(); err != nil {
		return err
	}
	lap("analyse")
	models, err := x.modelsOf(ctx, tenant, entries)
	if err != nil {
		return err
	}
	fresh := 0
	err = x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		byShard, err := shardwise(ctx, tx, tenant, prepared)
		if err == nil {
			fresh, err = x.putShards(ctx, tx, tenant, prepared, byShard, models)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("store %d documents in the index: %w", len(entries), err)
	}
	lap("write")
	ids := make([]document.ID, len(entries))
	for i := range entries {
		ids[i] = entries[i].Document.ID
	}
	if err := x.notifyEngine(ctx, tenant, ids); err != nil {
		return err
	}
	lap("engine")
	if fresh >= x.cfg.FreshLimit {
		defer lap("pack")
		if err := x.Pack(ctx, tenant); err != nil && ctx.Err() == nil {
			x.cfg.Logger.WarnContext(ctx, "packing the keyword index failed; searches stay right and grow slower", "error", err)
		}
	}
	return nil
}

func (x *Index) laps() func(stage string) {
	clock := time.Now()
	return func(stage string) {
		now := time.Now()
		x.cfg.Measure(stage, now.Sub(clock))
		clock = now
	}
}

// defaultShard is the shard for new documents. Other shards exist only in an index that an earlier
// release divided. Documents in those shards stay there.
const defaultShard int16 = 0

// shardwise groups entries by shard. A document that is already in the index stays in its shard.
func shardwise(ctx context.Context, tx pgx.Tx, tenant access.TenantID, entries []*preparedEntry) (map[int16][]*preparedEntry, error) {
	ids := make([]document.ID, len(entries))
	for i, p := range entries {
		ids[i] = p.Document.ID
	}
	home, err := shardsOf(ctx, tx, tenant, ids)
	if err != nil {
		return nil, err
	}
	byShard := make(map[int16][]*preparedEntry)
	for _, p := range entries {
		shard, found := home[p.Document.ID]
		if !found {
			shard = defaultShard
		}
		byShard[shard] = append(byShard[shard], p)
	}
	return byShard, nil
}

// putShards writes entries to their shards. It returns the largest number of chunks in one of these
// shards that are not packed into segments.
func (x *Index) putShards(
	ctx context.Context, tx pgx.Tx, tenant access.TenantID, entries []*preparedEntry, byShard map[int16][]*preparedEntry, models map[string]model,
) (int, error) {
	lists, err := internACLs(ctx, tx, tenant, entries)
	if err != nil {
		return 0, err
	}
	sources, err := sourceNumbers(ctx, tx, tenant, entries)
	if err != nil {
		return 0, err
	}
	fresh := 0
	// Always in the same order, so that concurrent writers cannot deadlock.
	for _, shard := range sortedKeys(byShard) {
		w := shardWriter{tx: tx, tenant: tenant, shard: shard, lists: lists, sources: sources, models: models, names: x.names, measure: x.cfg.Measure}
		if err := w.write(ctx, byShard[shard]); err != nil {
			return 0, err
		}
		fresh = max(fresh, int(w.state.nextChunk-w.state.sealedTo))
	}
	return fresh, nil
}

// shardsOf returns the shards of those documents that are in the index. It uses document's unique
// constraint.
func shardsOf(ctx context.Context, tx pgx.Tx, tenant access.TenantID, ids []document.ID) (map[document.ID]int16, error) {
	rows, err := tx.Query(ctx, `
		select d.external_id, d.shard from index_shard s join document d on d.tenant_id = s.tenant_id and d.shard = s.shard
		where s.tenant_id = $1 and d.external_id = any($2::text[])`, string(tenant), strs(ids))
	if err != nil {
		return nil, fmt.Errorf("find the shards of documents: %w", err)
	}
	home := make(map[document.ID]int16)
	var id string
	var shard int16
	if _, err := pgx.ForEachRow(rows, []any{&id, &shard}, func() error {
		home[document.ID(id)] = shard
		return nil
	}); err != nil {
		return nil, fmt.Errorf("find the shards of documents: %w", err)
	}
	return home, nil
}

type shardState struct {
	nextDocument, nextChunk, sealedTo       int64
	chunks, flatLength, titleLength, titled int64
	languages                               []string
}

// lockShard makes the caller the only writer of a shard until the transaction ends. It gives the
// shard's row a new version, which invalidates the data that searches have cached (outline). Every
// change of segments, documents or permissions must lock the shard.
func lockShard(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16) (shardState, error) {
	var s shardState
	_, err := tx.Exec(ctx, `insert into index_shard (tenant_id, shard) values ($1, $2) on conflict do nothing`, string(tenant), shard)
	if err != nil {
		return s, fmt.Errorf("create index shard %d: %w", shard, err)
	}
	err = tx.QueryRow(ctx, `
		update index_shard set next_chunk = next_chunk where tenant_id = $1 and shard = $2
		returning next_document, next_chunk, sealed_to, chunks, flat_length, title_length, titled, languages`, string(tenant), shard).
		Scan(&s.nextDocument, &s.nextChunk, &s.sealedTo, &s.chunks, &s.flatLength, &s.titleLength, &s.titled, &s.languages)
	if err != nil {
		return s, fmt.Errorf("lock index shard %d: %w", shard, err)
	}
	return s, nil
}

func saveShard(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16, s shardState) error {
	_, err := tx.Exec(ctx, `
		update index_shard set next_document = $3, next_chunk = $4, sealed_to = $5, chunks = $6, flat_length = $7, title_length = $8,
		       titled = $9, languages = $10::text[]
		where tenant_id = $1 and shard = $2`, string(tenant), shard, s.nextDocument, s.nextChunk, s.sealedTo, s.chunks, s.flatLength,
		s.titleLength, s.titled, s.languages)
	if err != nil {
		return fmt.Errorf("save the state of index shard %d: %w", shard, err)
	}
	return nil
}

// allocate reserves n consecutive new chunk ids and returns the first. The ids are all in one block
// of bm25.BlockSize ids.
func (s *shardState) allocate(n int) int64 {
	first := s.nextChunk
	if n > 0 && first/bm25.BlockSize != (first+int64(n)-1)/bm25.BlockSize {
		first = (first/bm25.BlockSize + 1) * bm25.BlockSize
	}
	s.nextChunk = first + int64(n)
	return first
}

// clean replaces invalid UTF-8 by U+FFFD and removes NUL bytes, which PostgreSQL cannot store.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// strs converts names, ids and addresses to an argument of a statement. People and assistants may
// send any bytes as an id or an address, and text that cannot be stored names nothing.
func strs[S ~string](in []S) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = postgres.Storable(string(s))
	}
	return out
}

func sortedKeys[K int16 | int32 | string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
