package pgindex

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/jackc/pgx/v5"
)

// placeRow is the data about a document from which scores are computed. A row never changes. Rows
// of removed documents may remain, because searches look up only chunks that they may return.
type placeRow struct {
	first   int64 // first chunk of the document
	updated int64 // date, in microseconds since 1970, or noDate
	count   int32
	boost   float32
}

// date returns the document's date, or the zero time if it has none.
func (p placeRow) date() time.Time {
	if p.updated == noDate {
		return time.Time{}
	}
	return time.UnixMicro(p.updated).UTC()
}

const (
	placeSize = 24 // bytes of a placeRow
	noDate    = -1 << 63
)

// places holds data about the documents of a segment, or about the unpacked documents of a shard.
// It is ordered by first chunk.
type places []placeRow

func (p places) find(chunk int64) (placeRow, bool) {
	i, exact := slices.BinarySearchFunc(p, chunk, func(row placeRow, chunk int64) int { return cmp.Compare(row.first, chunk) })
	if !exact {
		i--
	}
	if i < 0 || chunk >= p[i].first+int64(p[i].count) {
		return placeRow{}, false
	}
	return p[i], true
}

func placesKey(tenant access.TenantID, seg segmentRow) segmentKey {
	return segmentKey{tenant: tenant, kind: kindPlaces, shard: seg.shard, segment: seg.number}
}

func (x *Index) placesOf(tenant access.TenantID, seg segmentRow) (places, bool) {
	entry, found := x.cache.get(placesKey(tenant, seg))
	if !found {
		return nil, false
	}
	return entry.places, true
}

// readPlaces returns the documents of a segment from the cache or from the table. It uses the index
// document_chunks.
func (x *Index) readPlaces(ctx context.Context, q querier, tenant access.TenantID, seg segmentRow) (places, error) {
	if found, known := x.placesOf(tenant, seg); known {
		return found, nil
	}
	rows, err := q.Query(ctx, `
		select first_chunk, coalesce((extract(epoch from updated_at) * 1000000)::bigint, $5), chunk_count, boost from document
		where tenant_id = $1 and shard = $2 and first_chunk >= $3 and first_chunk < $4 and chunk_count > 0 order by first_chunk`,
		string(tenant), seg.shard, seg.low, seg.high, int64(noDate))
	if err != nil {
		return nil, fmt.Errorf("read where documents begin: %w", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (placeRow, error) {
		var p placeRow
		err := row.Scan(&p.first, &p.updated, &p.count, &p.boost)
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("read where documents begin: %w", err)
	}
	x.cache.put(&cached{key: placesKey(tenant, seg), places: found, size: int64(len(found))*placeSize + 512})
	return found, nil
}

// addDocumentData sets the fields of candidates that come from their documents. entries must be
// ordered by chunk. It drops candidates whose document no longer exists, and reuses the array of
// entries.
func (p *probe) addDocumentData(ctx context.Context, entries []retrieve.Candidate) ([]retrieve.Candidate, error) {
	placed := entries[:0]
	for _, c := range entries {
		shard, chunk := splitID(c.Chunk)
		rows := p.scope.freshPlaces[shard]
		if seg := p.snapshot.segmentOf(shard, chunk); seg != nil {
			var known bool
			if rows, known = p.places[seg.number]; !known {
				var err error
				if rows, err = p.index.readPlaces(ctx, p.conn, p.request.Audience.Tenant(), *seg); err != nil {
					return nil, err
				}
				p.places[seg.number] = rows
			}
		}
		row, found := rows.find(chunk)
		if !found {
			continue
		}
		c.First, c.Siblings, c.Boost = chunkID(shard, row.first), int(row.count), float64(row.boost)
		c.UpdatedAt = row.date()
		placed = append(placed, c)
	}
	return placed, nil
}

// segmentOf returns the segment of a chunk, or nil if the chunk is not packed into a segment.
func (s *snapshot) segmentOf(shard int16, chunk int64) *segmentRow {
	i, found := slices.BinarySearchFunc(s.segments, segmentRow{shard: shard, low: chunk}, func(a, b segmentRow) int {
		return cmp.Or(cmp.Compare(a.shard, b.shard), cmp.Compare(a.low, b.low))
	})
	if !found {
		i--
	}
	if i < 0 || s.segments[i].shard != shard || chunk >= s.segments[i].high {
		return nil
	}
	return &s.segments[i]
}
