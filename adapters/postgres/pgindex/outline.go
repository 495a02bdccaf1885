package pgindex

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/jackc/pgx/v5"
)

// outline describes a tenant's index: its shards, segments and unpacked documents. It is cached for
// the next search, and is valid until a shard changes (lockShard). An outdated outline can still be
// used to guess which data a search needs.
type outline struct {
	number   int64 // unique in this process
	shards   []shardRow
	segments []segmentRow
	fresh    []freshDoc
	// steady is set when a later search finds the same versions. Until then the index may be
	// changing, and searches do not rely on the outline.
	steady atomic.Bool
}

var outlineNumbers atomic.Int64

// size returns the approximate size of o in the cache, in bytes.
func (o *outline) size() int64 {
	return 512 + 128*int64(len(o.shards)) + 80*int64(len(o.segments)) + 96*int64(len(o.fresh))
}

// outline returns the cached outline of the tenant's index, or nil if there is none.
func (x *Index) outline(tenant access.TenantID) *outline {
	entry, found := x.cache.get(segmentKey{tenant: tenant, kind: kindOutline})
	if !found {
		return nil
	}
	return entry.outline
}

// remember caches what a search has read: the access lists that the audience may read, and an
// outline of the index. If no shard has changed since the outline last, it keeps last and marks it
// as steady.
func (x *Index) remember(a access.Audience, s *snapshot, last *outline) {
	o := last
	if last.same(s.shards) {
		last.steady.Store(true)
	} else {
		o = &outline{number: outlineNumbers.Add(1), shards: s.shards, segments: s.segments, fresh: s.fresh}
		x.cache.put(&cached{key: segmentKey{tenant: a.Tenant(), kind: kindOutline}, outline: o, size: o.size()})
	}
	x.cache.put(&cached{key: listsKey(a), lists: audienceLists{o.number, s.lists, s.until}, size: 4*int64(len(s.lists)) + 512})
}

// audienceLists holds the numbers of the access lists that an audience may read, in ascending
// order. The numbers are valid only together with one outline.
type audienceLists struct {
	outline int64
	numbers []int32
	until   time.Time // expiry; zero: as long as the outline is valid
}

// passingAge is how long access lists that name nodes, such as folders, are cached for an audience.
// If the readers of a node expire, searches notice it at most this much later.
const passingAge = time.Minute

func listsKey(a access.Audience) segmentKey {
	return segmentKey{tenant: a.Tenant(), kind: kindLists, audience: a.Key()}
}

// listsAt returns the cached access lists of an audience. It returns known = false if they are
// missing, expired or of another outline.
func (x *Index) listsAt(o *outline, a access.Audience) (lists audienceLists, known bool) {
	if o == nil || !o.steady.Load() {
		return lists, false
	}
	entry, found := x.cache.get(listsKey(a))
	if !found || entry.lists.outline != o.number || !entry.lists.until.IsZero() && time.Now().After(entry.lists.until) {
		return lists, false
	}
	return entry.lists, true
}

func (o *outline) same(now []shardRow) bool {
	return o != nil && slices.EqualFunc(o.shards, now, shardRow.sameVersion)
}

func covers(asked, now []shardRow) bool {
	return slices.Equal(languages(asked), languages(now)) && slices.EqualFunc(asked, now, func(a, b shardRow) bool {
		return a.shard == b.shard && a.sealedTo <= b.sealedTo && (a.hasFresh() || !b.hasFresh())
	})
}

func (s shardRow) hasFresh() bool { return s.nextChunk > s.sealedTo }

// freshDoc is a document whose chunks are not packed into a segment yet.
type freshDoc struct {
	docRange
	place  placeRow
	source string
}

// queueFresh queues statements that read the documents whose chunks are not packed into segments
// yet. shards may be older than the snapshot. The statements use the index document_chunks.
func (s *snapshot) queueFresh(r *round, tenant access.TenantID, shards []shardRow) {
	s.fresh = nil
	for _, sh := range shards {
		if !sh.hasFresh() {
			continue
		}
		r.queue(func(br pgx.BatchResults) error {
			var more []freshDoc
			err := collectInto(&more, scanFresh)(br)
			s.fresh = append(s.fresh, more...)
			return err
		}, `
			select shard, first_chunk, chunk_count, access_number, source_id,
			       coalesce((extract(epoch from updated_at) * 1000000)::bigint, $2), boost
			from document where tenant_id = $1 and shard = $3 and first_chunk >= $4 and chunk_count > 0 order by first_chunk`,
			string(tenant), int64(noDate), sh.shard, sh.sealedTo)
	}
}

func scanFresh(row pgx.CollectableRow) (freshDoc, error) {
	var d freshDoc
	err := row.Scan(&d.shard, &d.first, &d.count, &d.access, &d.source, &d.place.updated, &d.place.boost)
	d.place.first, d.place.count = d.first, d.count
	return d, err
}

func (sc *scope) addFresh(r retrieve.Request, s *snapshot, narrowed bool) {
	sources := strs(r.Sources)
	for _, d := range s.fresh {
		if d.first < s.sealedTo(d.shard) {
			continue // packed since the outline was cached
		}
		key, offset := blockOf(d.shard, d.first)
		if !s.allows(d.access) {
			continue
		}
		block(sc.readable, key).Set(int(offset), int(d.count))
		sc.readableCount += int(d.count)
		if len(sources) > 0 && !slices.Contains(sources, d.source) || !r.Within(d.place.date()) {
			continue
		}
		sc.freshPlaces[d.shard] = append(sc.freshPlaces[d.shard], d.place)
		if narrowed && len(r.Documents) == 0 {
			block(sc.allowed, key).Set(int(offset), int(d.count))
			sc.count += int(d.count)
		}
	}
}

// sealedTo returns the first chunk id of a shard that is not packed into a segment. It returns 0 if
// the snapshot does not have the shard.
func (s *snapshot) sealedTo(shard int16) int64 {
	for _, sh := range s.shards {
		if sh.shard == shard {
			return sh.sealedTo
		}
	}
	return 0
}
