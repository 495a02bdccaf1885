package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/jackc/pgx/v5"
)

// maxChanges is how many epochs a bitmap is brought forward before it is built anew; older changes may have been pruned.
const maxChanges = 1000

// scope says which chunks a search may find, and which are in the index at all.
type scope struct {
	allowed map[blockKey]*bm25.Bitmap
	live    map[int32]*bm25.Bitmap    // of sealed segments that hold dead chunks, by segment number
	fresh   map[blockKey]*bm25.Bitmap // of everything fresh that is live
	count   int                       // chunks allowed
	// freshPlaces are the fresh documents of each shard that the audience may read.
	freshPlaces map[int16]places
}

// bitmapTask is a bitmap that has to be built or brought forward.
type bitmapTask struct {
	segment segmentRow
	key     segmentKey
	old     *segmentBitmap // nil: build anew
}

// readScope loads what is allowed: bitmaps of sealed segments from the cache, brought up to the snapshot's epochs, and fresh documents
// from their table each time: there are few, and so a commit of new documents makes nothing stale.
func (x *Index) readScope(ctx context.Context, tx pgx.Tx, r retrieve.Request, s *snapshot) (*scope, error) {
	tenant := r.Audience.Tenant()
	sc := &scope{allowed: make(map[blockKey]*bm25.Bitmap), live: make(map[int32]*bm25.Bitmap), fresh: make(map[blockKey]*bm25.Bitmap), freshPlaces: make(map[int16]places)}
	audience := audienceKey(r)
	ready := make(map[segmentKey]segmentBitmap)
	var tasks []bitmapTask
	want := func(seg segmentRow, audience string) segmentKey {
		key := segmentKey{tenant: tenant, shard: seg.shard, segment: seg.number, audience: audience}
		var old segmentBitmap
		entry, found := x.cache.get(key)
		if found {
			old = entry.bitmap
		}
		switch {
		case found && old.epoch == seg.epoch:
			ready[key] = old
		case found && old.epoch < seg.epoch && seg.epoch-old.epoch <= maxChanges && (len(r.Sources) == 0 || audience == ""):
			tasks = append(tasks, bitmapTask{seg, key, &old})
		default:
			tasks = append(tasks, bitmapTask{seg, key, nil})
		}
		return key
	}
	allowedKeys := make([]segmentKey, len(s.segments))
	for i, seg := range s.segments {
		if len(r.Documents) == 0 {
			allowedKeys[i] = want(seg, audience)
		}
		if seg.dead > 0 {
			want(seg, "")
		}
	}
	fresh, err := x.readBitmaps(ctx, tx, r, s, tasks, ready)
	if err != nil {
		return nil, err
	}
	for i, seg := range s.segments {
		if len(r.Documents) == 0 {
			key, _ := blockOf(seg.shard, seg.low)
			b := ready[allowedKeys[i]]
			sc.block(key).Or(b.bits)
			sc.count += b.count
		}
		if seg.dead > 0 {
			sc.live[seg.number] = ready[segmentKey{tenant: tenant, shard: seg.shard, segment: seg.number}].bits
		}
	}
	for _, d := range fresh {
		key, offset := blockOf(d.shard, d.first)
		if sc.fresh[key] == nil {
			sc.fresh[key] = new(bm25.Bitmap)
		}
		sc.fresh[key].Set(int(offset), int(d.count))
		if d.access < 0 {
			continue
		}
		sc.freshPlaces[d.shard] = append(sc.freshPlaces[d.shard], d.place)
		if len(r.Documents) == 0 {
			sc.block(key).Set(int(offset), int(d.count))
			sc.count += int(d.count)
		}
	}
	for _, d := range s.documents {
		key, offset := blockOf(d.shard, d.first)
		sc.block(key).Set(int(offset), int(d.count))
		sc.count += int(d.count)
	}
	return sc, nil
}

func (sc *scope) block(key blockKey) *bm25.Bitmap {
	b := sc.allowed[key]
	if b == nil {
		b = new(bm25.Bitmap)
		sc.allowed[key] = b
	}
	return b
}

// audienceKey tells apart what different searches may find.
func audienceKey(r retrieve.Request) string {
	key := r.Audience.Key()
	if len(r.Sources) > 0 {
		sources := strs(r.Sources)
		slices.Sort(sources)
		key += "\x01" + strings.Join(sources, "\x00")
	}
	return key
}

// readBitmaps runs the tasks and lists the fresh documents, in one round trip. A fresh document that the search may not find has access -1.
func (x *Index) readBitmaps(ctx context.Context, tx pgx.Tx, r retrieve.Request, s *snapshot, tasks []bitmapTask, ready map[segmentKey]segmentBitmap) ([]freshDoc, error) {
	tenant := string(r.Audience.Tenant())
	batch := &pgx.Batch{}
	for _, sh := range s.shards {
		// Served by document_chunks: with the border given as a number the planner knows that few documents lie beyond it.
		batch.Queue(`
			select shard, first_chunk, chunk_count,
			       case when access_number = any($2::int[]) and (cardinality($3::text[]) = 0 or source_id = any($3::text[])) then access_number else -1 end,
			       coalesce((extract(epoch from updated_at) * 1000000)::bigint, $4), boost
			from document where tenant_id = $1 and shard = $5 and first_chunk >= $6 and chunk_count > 0 order by first_chunk`,
			tenant, s.lists, strs(r.Sources), int64(noDate), sh.shard, sh.sealedTo)
	}
	for _, t := range tasks {
		switch {
		case t.old != nil:
			batch.Queue(`select shard, first_chunk, chunk_count, coalesce(access_number, -1) from segment_change
				where tenant_id = $1 and shard = $2 and segment = $3 and epoch > $4 order by epoch`, tenant, t.segment.shard, t.segment.number, t.old.epoch)
		case t.key.audience == "":
			batch.Queue(`select shard, first_chunk, chunk_count, access_number from document
				where tenant_id = $1 and shard = $2 and first_chunk >= $3 and first_chunk < $4`, tenant, t.segment.shard, t.segment.low, t.segment.high)
		case len(r.Sources) > 0:
			batch.Queue(`select shard, first_chunk, chunk_count, access_number from document
				where tenant_id = $1 and shard = $2 and first_chunk >= $3 and first_chunk < $4 and access_number = any($5::int[])
				  and source_id = any($6::text[])`, tenant, t.segment.shard, t.segment.low, t.segment.high, s.lists, strs(r.Sources))
		default:
			batch.Queue(`select shard, first_chunk, chunk_count, access_number from document
				where tenant_id = $1 and shard = $2 and first_chunk >= $3 and first_chunk < $4 and access_number = any($5::int[])`,
				tenant, t.segment.shard, t.segment.low, t.segment.high, s.lists)
		}
	}
	br := tx.SendBatch(ctx, batch)
	var fresh []freshDoc
	var err error
	for range s.shards {
		var more []freshDoc
		if err = collect(br, &more, scanFresh); err != nil {
			break
		}
		fresh = append(fresh, more...)
	}
	for _, t := range tasks {
		if err != nil {
			break
		}
		var ranges []docRange
		if err = collect(br, &ranges, scanRange); err == nil {
			ready[t.key] = t.finish(ranges, s.lists)
			x.cache.put(&cached{key: t.key, bitmap: ready[t.key], size: bitmapSize})
		}
	}
	if closeErr := br.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("read what the audience may find: %w", err)
	}
	return fresh, nil
}

// freshDoc is a document whose postings are not sealed yet.
type freshDoc struct {
	docRange
	place placeRow
}

func scanFresh(row pgx.CollectableRow) (freshDoc, error) {
	var d freshDoc
	err := row.Scan(&d.shard, &d.first, &d.count, &d.access, &d.place.updated, &d.place.boost)
	d.place.first, d.place.count = d.first, d.count
	return d, err
}

// finish makes the bitmap from the rows that its task asked for.
func (t bitmapTask) finish(ranges []docRange, lists []int32) segmentBitmap {
	b := new(bm25.Bitmap)
	if t.old == nil {
		for _, d := range ranges {
			b.Set(int(uint16(d.first)), int(d.count))
		}
	} else {
		*b = *t.old.bits
		for _, d := range ranges { // in the order in which they happened
			if d.access >= 0 && (t.key.audience == "" || slices.Contains(lists, d.access)) {
				b.Set(int(uint16(d.first)), int(d.count))
			} else {
				clearRange(b, int(uint16(d.first)), int(d.count))
			}
		}
	}
	return segmentBitmap{epoch: t.segment.epoch, bits: b, count: popcount(b)}
}
