package pgindex

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve/engine"
	"github.com/jackc/pgx/v5"
)

// SweepEngine compares a tenant's chunks in the search engine with the database. It queues missing
// and outdated chunks for [Index.Drive], and deletes surplus chunks. It returns the number of wrong
// chunks.
//
// For each block of chunk ids it compares the count and the sum of versions. It compares single
// chunks only in blocks that differ.
func (x *Index) SweepEngine(ctx context.Context, tenant access.TenantID) (int, error) {
	if x.cfg.Engine == nil {
		return 0, ErrNoEngine
	}
	if _, err := x.db.Pool.Exec(ctx, noteMissingSQL, false); err != nil {
		return 0, fmt.Errorf("note documents for the search engine: %w", err)
	}
	state, err := x.EngineState(ctx)
	if err != nil || state.Serving == "" {
		return 0, err
	}
	// Read the engine before the database. A chunk that is written in between makes its block
	// differ, and repair then finds the chunk correct.
	have, err := x.cfg.Engine.Tally(ctx, state.Serving, tenant)
	if err != nil {
		return 0, err
	}
	want, err := x.tallies(ctx, tenant)
	if err != nil {
		return 0, err
	}
	blocks := make(map[int64]bool)
	for block, t := range want {
		blocks[block] = have[block] != t
	}
	for block := range have {
		if _, known := want[block]; !known {
			blocks[block] = true
		}
	}
	wrong := 0
	for block, differs := range blocks {
		if !differs {
			continue
		}
		n, err := x.repair(ctx, state.Serving, tenant, block)
		wrong += n
		if err != nil {
			return wrong, err
		}
	}
	return wrong, nil
}

// entryBlock is an SQL expression for the block of chunk ids to which a row of search_entry
// belongs. All chunks of a document are in one block.
const entryBlock = `((shard::bigint << 32 | first_chunk) >> 16)`

func (x *Index) tallies(ctx context.Context, tenant access.TenantID) (map[int64]engine.Tally, error) {
	rows, err := x.db.Pool.Query(ctx, `
		select `+entryBlock+`, sum(chunk_count)::bigint, sum(chunk_count * version)::bigint from search_entry
		where tenant_id = $1 and not gone group by 1`, string(tenant))
	if err != nil {
		return nil, fmt.Errorf("count the chunks of tenant %s: %w", tenant, err)
	}
	out := make(map[int64]engine.Tally)
	var block int64
	var t engine.Tally
	if _, err := pgx.ForEachRow(rows, []any{&block, &t.Chunks, &t.Versions}, func() error {
		out[block] = t
		return nil
	}); err != nil {
		return nil, fmt.Errorf("count the chunks of tenant %s: %w", tenant, err)
	}
	return out, nil
}

// repair compares one block of the search engine's index with the database, chunk by chunk, and
// returns the number of wrong chunks. It ignores chunks that are already queued.
func (x *Index) repair(ctx context.Context, index string, tenant access.TenantID, block int64) (int, error) {
	// Read the engine before the entries. Otherwise a new chunk would have no entry and look
	// surplus.
	have, err := x.cfg.Engine.Versions(ctx, index, tenant, block)
	if err != nil {
		return 0, err
	}
	low, high := block*engine.BlockSize, (block+1)*engine.BlockSize
	shard, first := splitID(document.ChunkID(low))
	rows, err := x.db.Pool.Query(ctx, `select `+entryColumns+` from search_entry
		where tenant_id = $1 and shard = $2 and first_chunk >= $3 and first_chunk < $4`, string(tenant), shard, first, first+high-low)
	if err != nil {
		return 0, fmt.Errorf("list what the search engine should have: %w", err)
	}
	entries, err := pgx.CollectRows(rows, scanEntry)
	if err != nil {
		return 0, fmt.Errorf("list what the search engine should have: %w", err)
	}
	wrong := 0
	var again []int64
	for _, e := range entries {
		amiss := 0
		for i := range int64(e.count) {
			id := chunkID(e.shard, e.first+i)
			if version, there := have[id]; !there || version != e.version {
				amiss++
			}
			delete(have, id)
		}
		if amiss > 0 && !e.gone && e.applied >= e.version {
			again, wrong = append(again, e.first), wrong+amiss
		}
	}
	if len(again) > 0 {
		slices.Sort(again)
		err := x.db.InTxAgain(ctx, func(tx pgx.Tx) error {
			if _, err := lockShard(ctx, tx, tenant, shard); err != nil { // versions grow with changes
				return err
			}
			_, err := tx.Exec(ctx, queueChangedSQL, string(tenant), shard, again)
			return err
		})
		if err != nil {
			return wrong, fmt.Errorf("have documents brought to the search engine again: %w", err)
		}
	}
	return wrong + len(have), x.deleteSurplus(ctx, index, tenant, have)
}

// deleteSurplus deletes chunks that the database does not have. strays holds their versions.
func (x *Index) deleteSurplus(ctx context.Context, index string, tenant access.TenantID, strays map[document.ChunkID]int64) error {
	if len(strays) == 0 {
		return nil
	}
	changes := make([]engine.Change, 0, len(strays))
	for id, version := range strays {
		changes = append(changes, engine.Change{Tenant: tenant, Chunk: id, Version: version, Gone: true})
	}
	if err := x.cfg.Engine.Apply(ctx, index, changes, false); err != nil {
		return errors.Join(errors.New("take out of the search engine what the database does not have"), err)
	}
	return nil
}
