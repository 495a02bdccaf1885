package pgindex

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/jackc/pgx/v5"
)

// Pack packs all new chunks into segments, and merges segments if that is worthwhile. It does not
// change search results. Any process may call it at any time. It skips shards that another process
// is packing.
//
// Searches and writes continue. A writer of the shard waits only for the last step of each
// transaction.
func (x *Index) Pack(ctx context.Context, tenant access.TenantID) error {
	shards, err := x.shardNumbers(ctx, tenant)
	if err != nil {
		return err
	}
	for _, shard := range shards {
		if err := x.seal(ctx, tenant, shard); err != nil {
			return fmt.Errorf("pack index shard %d: %w", shard, err)
		}
		for more := true; more; {
			if more, err = x.merge(ctx, tenant, shard); err != nil {
				return fmt.Errorf("merge segments of index shard %d: %w", shard, err)
			}
		}
	}
	return nil
}

func (x *Index) shardNumbers(ctx context.Context, tenant access.TenantID) ([]int16, error) {
	rows, err := x.db.Pool.Query(ctx, `select shard from index_shard where tenant_id = $1 order by shard`, string(tenant))
	if err != nil {
		return nil, fmt.Errorf("list index shards: %w", err)
	}
	shards, err := pgx.CollectRows(rows, pgx.RowTo[int16])
	if err != nil {
		return nil, fmt.Errorf("list index shards: %w", err)
	}
	return shards, nil
}

// packerLock is the first key of the packers' advisory locks: "pack" as bytes.
const packerLock = 0x7061636b

// becomePacker takes the packer's lock of a shard until the transaction ends. It returns false if
// another transaction holds the lock.
func becomePacker(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16) (bool, error) {
	var taken bool
	err := tx.QueryRow(ctx, `select pg_try_advisory_xact_lock($1::int, hashtext($2::text || ' ' || $3::text))`,
		packerLock, string(tenant), fmt.Sprint(shard)).Scan(&taken)
	if err != nil {
		return false, fmt.Errorf("take the packer's lock: %w", err)
	}
	return taken, nil
}

// readShard reads a shard's state without locking it. All chunks with an id below nextChunk in the
// result are committed.
func readShard(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16) (shardRow, error) {
	rows, err := tx.Query(ctx, `
		select shard, xmin::text::bigint, sealed_to, next_chunk, chunks, languages from index_shard where tenant_id = $1 and shard = $2`, string(tenant), shard)
	if err != nil {
		return shardRow{}, fmt.Errorf("read the shard's state: %w", err)
	}
	s, err := pgx.CollectExactlyOneRow(rows, scanShard)
	if err != nil {
		return s, fmt.Errorf("read the shard's state: %w", err)
	}
	return s, nil
}

// seal moves the postings of new chunks from fresh_posting into new segments, one per block of
// chunk ids. It does nothing if another process is packing the shard.
func (x *Index) seal(ctx context.Context, tenant access.TenantID, shard int16) error {
	return x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		mine, err := becomePacker(ctx, tx, tenant, shard)
		if err != nil || !mine {
			return err
		}
		s, err := readShard(ctx, tx, tenant, shard)
		if err != nil || s.sealedTo == s.nextChunk {
			return err
		}
		builders, err := buildFresh(ctx, tx, tenant, s)
		if err != nil {
			return err
		}
		for _, b := range builders {
			if err := b.store(ctx, tx, tenant, shard); err != nil {
				return err
			}
		}
		// Up to here nothing that others see has changed. From here on no writer of the shard runs.
		state, err := lockShard(ctx, tx, tenant, shard)
		if err != nil {
			return err
		}
		for _, b := range builders {
			if err := b.countDead(ctx, tx, tenant, shard); err != nil {
				return err
			}
		}
		// Served by fresh_posting_run.
		if _, err := tx.Exec(ctx, `delete from fresh_posting where tenant_id = $1 and shard = $2 and first_chunk < $3`,
			string(tenant), shard, s.nextChunk); err != nil {
			return fmt.Errorf("delete packed postings: %w", err)
		}
		state.sealedTo = s.nextChunk
		return saveShard(ctx, tx, tenant, shard, state)
	})
}

func buildFresh(ctx context.Context, tx pgx.Tx, tenant access.TenantID, s shardRow) ([]*segmentBuilder, error) {
	var builders []*segmentBuilder
	byBlock := make(map[int32]*segmentBuilder)
	for low := s.sealedTo; low < s.nextChunk; {
		high := min(s.nextChunk, (low/bm25.BlockSize+1)*bm25.BlockSize)
		b := newSegmentBuilder(low, high, 0)
		if err := b.readLive(ctx, tx, tenant, s.shard); err != nil {
			return nil, err
		}
		if b.chunks > 0 {
			builders = append(builders, b)
		}
		block, _ := bm25.Split(low)
		byBlock[block] = b
		low = high
	}
	rows, err := tx.Query(ctx, `select first_chunk, field, term, payload from fresh_posting
		where tenant_id = $1 and shard = $2 and first_chunk >= $3 and first_chunk < $4 order by first_chunk`,
		string(tenant), s.shard, s.sealedTo, s.nextChunk)
	if err != nil {
		return nil, fmt.Errorf("read fresh postings: %w", err)
	}
	var first int64
	var field int16
	var term string
	var payload []byte
	if _, err := pgx.ForEachRow(rows, []any{&first, &field, &term, &payload}, func() error {
		block, _ := bm25.Split(first)
		b := byBlock[block]
		for i := range bm25.FreshLen(payload) {
			offset, tf, dl := bm25.Fresh(payload, i)
			b.add(field, term, offset, tf, dl)
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read fresh postings: %w", err)
	}
	return builders, nil
}
