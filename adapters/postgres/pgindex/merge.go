package pgindex

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/jackc/pgx/v5"
)

const (
	// mergeWidth is the number of adjacent segments of a level that are merged into one segment of
	// the next level.
	mergeWidth = 4
	// purgeShare is the share of deleted chunks at which a segment is rewritten.
	purgeShare = 0.25
)

// merge performs one merge of a shard's segments. It returns false if no merge is useful or another
// process is packing the shard.
func (x *Index) merge(ctx context.Context, tenant access.TenantID, shard int16) (bool, error) {
	return x.mergeFrom(ctx, tenant, shard, purgeShare)
}

// mergeFrom is like merge, but rewrites a segment whose share of deleted chunks is at least purge.
// With purge 0 it rewrites every segment with deleted chunks.
func (x *Index) mergeFrom(ctx context.Context, tenant access.TenantID, shard int16, purge float64) (bool, error) {
	done := false
	err := x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		mine, err := becomePacker(ctx, tx, tenant, shard)
		if err != nil || !mine {
			return err
		}
		s, err := readShard(ctx, tx, tenant, shard)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `select `+segmentColumns+` from segment where tenant_id = $1 and shard = $2 order by low`, string(tenant), shard)
		if err != nil {
			return fmt.Errorf("list segments: %w", err)
		}
		segments, err := pgx.CollectRows(rows, scanSegment)
		if err != nil {
			return fmt.Errorf("list segments: %w", err)
		}
		chosen := planMerge(segments, s, purge)
		if len(chosen) == 0 {
			return nil
		}
		done = true
		return mergeSegments(ctx, tx, tenant, s, chosen)
	})
	return done && err == nil, err
}

// planMerge returns the segments to merge or rewrite next, or nil if there are none. It looks for
// these in order:
//
//   - All segments of a block of chunk ids in which no id is free.
//   - At least mergeWidth adjacent segments of the same level.
//   - One segment with many deleted chunks, or with stale scores.
func planMerge(segments []segmentRow, s shardRow, purge float64) []segmentRow {
	for start := 0; start < len(segments); {
		end := start + 1
		block := segments[start].low / bm25.BlockSize
		for end < len(segments) && segments[end].low/bm25.BlockSize == block {
			end++
		}
		inBlock := segments[start:end]
		if s.sealedTo >= (block+1)*bm25.BlockSize && len(inBlock) > 1 {
			return inBlock
		}
		for i := range inBlock {
			j := i
			for j < len(inBlock) && inBlock[j].level == inBlock[i].level {
				j++
			}
			if j-i >= mergeWidth {
				return inBlock[i:j]
			}
		}
		start = end
	}
	for i, seg := range segments {
		if seg.dead > 0 && float64(seg.dead) >= purge*float64(seg.chunks) || seg.stale() {
			return segments[i : i+1]
		}
	}
	return nil
}

// stale reports whether the scores in the segment were computed with other average field lengths
// than those of this release.
func (s segmentRow) stale() bool {
	return s.flatAvg != averageLength[fieldFlat] || s.titleAvg != averageLength[fieldTitle]
}

func mergeSegments(ctx context.Context, tx pgx.Tx, tenant access.TenantID, s shardRow, old []segmentRow) error {
	level := old[0].level
	if len(old) > 1 {
		level++
	}
	b := newSegmentBuilder(old[0].low, old[len(old)-1].high, level)
	if err := b.readLive(ctx, tx, tenant, s.shard); err != nil {
		return err
	}
	numbers := make([]int32, len(old))
	for i, seg := range old {
		numbers[i] = seg.number
		if b.chunks == 0 {
			continue
		}
		if err := b.addSegment(ctx, tx, tenant, seg); err != nil {
			return err
		}
	}
	if b.chunks > 0 {
		if err := b.store(ctx, tx, tenant, s.shard); err != nil {
			return err
		}
	}
	// From here on no writer of the shard runs. countDead counts earlier removals. Later removals
	// find the new segment.
	if _, err := lockShard(ctx, tx, tenant, s.shard); err != nil {
		return err
	}
	if b.chunks > 0 {
		if err := b.countDead(ctx, tx, tenant, s.shard); err != nil {
			return err
		}
	}
	batch := &pgx.Batch{}
	// Served by posting_segment.
	batch.Queue(`delete from posting where tenant_id = $1 and shard = $2 and segment = any($3::int[])`, string(tenant), s.shard, numbers)
	batch.Queue(`delete from segment_change where tenant_id = $1 and shard = $2 and segment = any($3::int[])`, string(tenant), s.shard, numbers)
	batch.Queue(`delete from segment where tenant_id = $1 and shard = $2 and number = any($3::int[])`, string(tenant), s.shard, numbers)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("remove merged segments: %w", err)
	}
	return nil
}

func (b *segmentBuilder) addSegment(ctx context.Context, tx pgx.Tx, tenant access.TenantID, seg segmentRow) error {
	var lengths []byte
	err := tx.QueryRow(ctx, `select lengths from segment where tenant_id = $1 and shard = $2 and number = $3`, string(tenant), seg.shard, seg.number).
		Scan(&lengths)
	if err != nil {
		return fmt.Errorf("read the lengths of a segment: %w", err)
	}
	rows, err := tx.Query(ctx, `select field, term, payload from posting where tenant_id = $1 and shard = $2 and segment = $3`,
		string(tenant), seg.shard, seg.number) // served by posting_segment
	if err != nil {
		return fmt.Errorf("read the postings of a segment: %w", err)
	}
	averages := [2]float64{seg.flatAvg, seg.titleAvg}
	base := int64(uint16(seg.low))
	var field int16
	var term string
	var payload []byte
	if _, err := pgx.ForEachRow(rows, []any{&field, &term, &payload}, func() error {
		for i := range bm25.SealedLen(payload) {
			offset, impact := bm25.Sealed(payload, i)
			at := 4*(int64(offset)-base) + 2*int64(field)
			dl := int(binary.LittleEndian.Uint16(lengths[at:]))
			b.add(field, term, offset, bm25.Frequency(impact, dl, averages[field]), dl)
		}
		return nil
	}); err != nil {
		return fmt.Errorf("read the postings of a segment: %w", err)
	}
	return nil
}
