package pgindex

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/jackc/pgx/v5"
)

// segmentBuilder collects the postings of a new segment in memory: about 4 bytes per posting.
type segmentBuilder struct {
	low, high int64
	level     int16
	live      *bm25.Bitmap
	chunks    int
	lengths   []byte // for the column segment.lengths
	lists     map[postingKey][]byte
	number    int32
}

type postingKey struct {
	field int16
	term  string
}

func newSegmentBuilder(low, high int64, level int16) *segmentBuilder {
	return &segmentBuilder{low: low, high: high, level: level, live: new(bm25.Bitmap),
		lengths: make([]byte, 4*(high-low)), lists: make(map[postingKey][]byte)}
}

// readLive marks the chunks that are currently in the index. The segment omits all other chunks.
// The statement uses the index document_chunks.
func (b *segmentBuilder) readLive(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16) error {
	rows, err := tx.Query(ctx, `select shard, first_chunk, chunk_count, access_number from document
		where tenant_id = $1 and shard = $2 and first_chunk >= $3 and first_chunk < $4`, string(tenant), shard, b.low, b.high)
	if err != nil {
		return fmt.Errorf("list live documents: %w", err)
	}
	ranges, err := pgx.CollectRows(rows, scanRange)
	if err != nil {
		return fmt.Errorf("list live documents: %w", err)
	}
	for _, d := range ranges {
		b.live.Set(int(uint16(d.first)), int(d.count))
	}
	b.chunks = popcount(b.live)
	return nil
}

// add adds a posting. It ignores chunks that are no longer in the index. The postings of a term and
// field must be added in ascending order of offsets.
func (b *segmentBuilder) add(field int16, term string, offset uint16, tf, dl int) {
	if !b.live.Has(offset) || field != fieldFlat && field != fieldTitle {
		return
	}
	at := 4*(int64(offset)-int64(uint16(b.low))) + 2*int64(field)
	binary.LittleEndian.PutUint16(b.lengths[at:], uint16(dl))
	key := postingKey{field, term}
	b.lists[key] = bm25.AppendSealed(b.lists[key], offset, bm25.Quantise(bm25.Impact(tf, dl, averageLength[field])))
}

// store writes the segment to the database. The builder cannot take more postings afterwards.
func (b *segmentBuilder) store(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16) error {
	err := tx.QueryRow(ctx, `
		insert into segment (tenant_id, shard, level, low, high, flat_avg, title_avg, chunks, dead, lengths)
		values ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9) returning number`, string(tenant), shard, b.level, b.low, b.high,
		averageLength[fieldFlat], averageLength[fieldTitle], b.chunks, b.lengths).Scan(&b.number)
	if err != nil {
		return fmt.Errorf("create a segment: %w", err)
	}
	keys := make([]postingKey, 0, len(b.lists))
	for k := range b.lists {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b postingKey) int { // the order of the primary key
		return cmp.Or(cmp.Compare(a.term, b.term), cmp.Compare(a.field, b.field))
	})
	_, err = tx.CopyFrom(ctx, pgx.Identifier{"posting"}, []string{"tenant_id", "shard", "segment", "field", "term", "payload"},
		pgx.CopyFromSlice(len(keys), func(i int) ([]any, error) {
			return []any{string(tenant), shard, b.number, keys[i].field, keys[i].term, b.lists[keys[i]]}, nil
		}))
	if err != nil {
		return fmt.Errorf("copy the postings of a segment: %w", err)
	}
	b.lists = nil
	return nil
}

// countDead stores the number of the segment's chunks that were removed while the segment was
// built. The caller must hold the shard's lock.
func (b *segmentBuilder) countDead(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16) error {
	now := newSegmentBuilder(b.low, b.high, 0)
	if err := now.readLive(ctx, tx, tenant, shard); err != nil {
		return err
	}
	gone := b.chunks - now.chunks
	if gone == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `update segment set dead = $4 where tenant_id = $1 and shard = $2 and number = $3`, string(tenant), shard, b.number, gone)
	if err != nil {
		return fmt.Errorf("count removed chunks of a segment: %w", err)
	}
	return nil
}
