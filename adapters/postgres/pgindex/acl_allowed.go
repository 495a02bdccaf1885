package pgindex

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/jackc/pgx/v5"
)

// maxChanges is the maximum number of changes by which a cached bitmap of a segment is brought up
// to date. After more changes, the bitmap is built again.
const maxChanges = 1000

// scope is the set of chunks that a search may return.
type scope struct {
	allowed map[blockKey]*bm25.Bitmap
	count   int // number of allowed chunks
	// readable are the chunks that the audience may read, before sources, documents and dates
	// narrow the search. Word frequencies are counted in them. readable equals allowed if nothing
	// narrows the search.
	readable      map[blockKey]*bm25.Bitmap
	readableCount int
	whole         map[int32]bool // segments whose chunks are all live and readable
	// freshPlaces are the documents of each shard that are not packed into segments, and that the
	// audience may read. Sources and dates of the request narrow them.
	freshPlaces map[int16]places
}

type bitmapTask struct {
	segment  segmentRow
	key      segmentKey
	narrowed bool           // to the sources and dates of the request
	old      *segmentBitmap // earlier bitmap to update; nil: build it from the documents
}

type scopePlan struct {
	index *Index
	lists []int32
	ready map[segmentKey]segmentBitmap
	tasks []bitmapTask
	// readable and allowed are the cache keys of the segments' bitmaps. allowed is nil unless
	// sources or dates narrow the search.
	readable, allowed []segmentKey
}

// planScope plans how to compute the chunks that a search may return. It takes cached bitmaps of
// segments from the cache, and plans statements for the missing ones.
func (x *Index) planScope(r retrieve.Request, s *snapshot) *scopePlan {
	plan := &scopePlan{index: x, lists: s.lists, ready: make(map[segmentKey]segmentBitmap, len(s.segments))}
	readable, allowed := readableKey(s.lists, retrieve.Request{}), readableKey(s.lists, r)
	for _, seg := range s.segments {
		plan.readable = append(plan.readable, plan.planBitmap(r, seg, readable, false))
		if allowed != readable && len(r.Documents) == 0 {
			plan.allowed = append(plan.allowed, plan.planBitmap(r, seg, allowed, true))
		}
	}
	return plan
}

func (plan *scopePlan) planBitmap(r retrieve.Request, seg segmentRow, audience string, narrowed bool) segmentKey {
	key := segmentKey{tenant: r.Audience.Tenant(), shard: seg.shard, segment: seg.number, audience: audience}
	entry, found := plan.index.cache.get(key)
	switch {
	case found && entry.bitmap.epoch == seg.epoch:
		plan.ready[key] = entry.bitmap
	case found && entry.bitmap.epoch < seg.epoch && seg.epoch-entry.bitmap.epoch <= maxChanges && !narrowed:
		plan.tasks = append(plan.tasks, bitmapTask{seg, key, narrowed, &entry.bitmap})
	default:
		plan.tasks = append(plan.tasks, bitmapTask{seg, key, narrowed, nil})
	}
	return key
}

// queue adds the plan's statements to round. They read or update the bitmaps that are missing in
// the cache. The condition "(…) is true" makes PostgreSQL look up access lists in a hash table.
func (plan *scopePlan) queue(round *round, r retrieve.Request, s *snapshot) {
	tenant := string(r.Audience.Tenant())
	for _, t := range plan.tasks {
		read := func(br pgx.BatchResults) error {
			var ranges []docRange
			if err := collectInto(&ranges, scanRange)(br); err != nil {
				return err
			}
			plan.ready[t.key] = t.finish(ranges, plan.lists)
			plan.index.cache.put(&cached{key: t.key, bitmap: plan.ready[t.key], size: bitmapSize})
			return nil
		}
		switch {
		case t.old != nil:
			round.queue(read, `select shard, first_chunk, chunk_count, coalesce(access_number, -1) from segment_change
				where tenant_id = $1 and shard = $2 and segment = $3 and epoch > $4 order by epoch`, tenant, t.segment.shard, t.segment.number, t.old.epoch)
		case t.narrowed:
			round.queue(read, `select shard, first_chunk, chunk_count, access_number from document
				where tenant_id = $1 and shard = $2 and first_chunk >= $3 and first_chunk < $4 and (access_number in (select unnest($5::int[]))) is true
				  and (cardinality($6::text[]) = 0 or source_id = any($6::text[]))
				  and ($7::timestamptz is null or updated_at >= $7) and ($8::timestamptz is null or updated_at < $8)`,
				tenant, t.segment.shard, t.segment.low, t.segment.high, s.lists, strs(r.Sources), postgres.OrNull(r.From), postgres.OrNull(r.To))
		default:
			round.queue(read, `select shard, first_chunk, chunk_count, access_number from document
				where tenant_id = $1 and shard = $2 and first_chunk >= $3 and first_chunk < $4 and (access_number in (select unnest($5::int[]))) is true`,
				tenant, t.segment.shard, t.segment.low, t.segment.high, s.lists)
		}
	}
}

// finish returns the set of chunks that the search may return. The statements of the plan must have
// run.
func (plan *scopePlan) finish(r retrieve.Request, s *snapshot) *scope {
	sc := &scope{readable: make(map[blockKey]*bm25.Bitmap), whole: make(map[int32]bool), freshPlaces: make(map[int16]places)}
	narrowed := r.Dated() || len(r.Sources)+len(r.Documents) > 0
	if sc.allowed = sc.readable; narrowed {
		sc.allowed = make(map[blockKey]*bm25.Bitmap)
	}
	for i, seg := range s.segments {
		key, _ := blockOf(seg.shard, seg.low)
		b := plan.ready[plan.readable[i]]
		block(sc.readable, key).Or(b.bits)
		sc.readableCount += b.count
		sc.whole[seg.number] = seg.dead == 0 && b.count == int(seg.chunks)
		if plan.allowed != nil {
			b := plan.ready[plan.allowed[i]]
			block(sc.allowed, key).Or(b.bits)
			sc.count += b.count
		}
	}
	sc.addFresh(r, s, narrowed)
	for _, d := range s.documents {
		key, offset := blockOf(d.shard, d.first)
		block(sc.allowed, key).Set(int(offset), int(d.count))
		sc.count += int(d.count)
	}
	if !narrowed {
		sc.count = sc.readableCount
	}
	return sc
}

// block returns the bitmap of a block of chunk ids, and creates an empty one if there is none.
func block(of map[blockKey]*bm25.Bitmap, key blockKey) *bm25.Bitmap {
	b := of[key]
	if b == nil {
		b = new(bm25.Bitmap)
		of[key] = b
	}
	return b
}

// readableKey returns a cache key for the chunks that a request may find. It depends only on the
// readable access lists, the sources and the dates, so people with equal permissions share an
// entry.
func readableKey(lists []int32, r retrieve.Request) string {
	sum := sha256.New()
	var number [4]byte
	for _, l := range lists {
		binary.LittleEndian.PutUint32(number[:], uint32(l))
		sum.Write(number[:])
	}
	names := strs(r.Sources)
	slices.Sort(names)
	for _, name := range names {
		sum.Write([]byte("\x00" + name))
	}
	if r.Dated() {
		sum.Write([]byte("\x01" + r.From.UTC().Format(time.RFC3339Nano) + r.To.UTC().Format(time.RFC3339Nano)))
	}
	return string(binary.AppendUvarint(sum.Sum(nil), uint64(len(lists))))
}

func (t bitmapTask) finish(ranges []docRange, lists []int32) segmentBitmap {
	b := new(bm25.Bitmap)
	if t.old == nil {
		for _, d := range ranges {
			b.Set(int(uint16(d.first)), int(d.count))
		}
	} else {
		*b = *t.old.bits
		for _, d := range ranges { // in the order of the changes
			if d.access >= 0 && slices.Contains(lists, d.access) {
				b.Set(int(uint16(d.first)), int(d.count))
			} else {
				clearRange(b, int(uint16(d.first)), int(d.count))
			}
		}
	}
	return segmentBitmap{epoch: t.segment.epoch, bits: b, count: popcount(b)}
}
