package postgres

import (
	"slices"
	"sync"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/jackc/pgx/v5"
)

// outline is what of a snapshot tells the next search what to ask for at once. It may be out of date: it saves a round trip and decides
// nothing.
type outline struct {
	languages []string
	shards    []sealedShard
}

// sealedShard says where the fresh chunks of a shard begin.
type sealedShard struct {
	shard    int16
	sealedTo int64
	fresh    bool // there are some
}

func outlineOf(s *snapshot) outline {
	o := outline{languages: s.languages()}
	for _, sh := range s.shards {
		o.shards = append(o.shards, sealedShard{sh.shard, sh.sealedTo, sh.nextChunk > sh.sealedTo})
	}
	return o
}

// covers reports whether what was asked for by an outline is all that is needed by a newer one.
func (o outline) covers(now outline) bool {
	return slices.Equal(o.languages, now.languages) && slices.EqualFunc(o.shards, now.shards, func(a, b sealedShard) bool {
		return a.shard == b.shard && a.sealedTo <= b.sealedTo && (a.fresh || !b.fresh)
	})
}

// fresh reports whether anything is not sealed.
func (o outline) fresh() bool {
	return slices.ContainsFunc(o.shards, func(s sealedShard) bool { return s.fresh })
}

// outlines remembers one outline for each tenant.
type outlines struct {
	mu       sync.Mutex
	byTenant map[access.TenantID]outline
}

// mostOutlines bounds the memory; tenants beyond it cost a round trip.
const mostOutlines = 4096

func (o *outlines) get(tenant access.TenantID) (outline, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	found, ok := o.byTenant[tenant]
	return found, ok
}

func (o *outlines) put(tenant access.TenantID, now outline) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byTenant == nil || len(o.byTenant) >= mostOutlines {
		o.byTenant = make(map[access.TenantID]outline)
	}
	o.byTenant[tenant] = now
}

// freshPart are the documents whose postings are not sealed, as far as asked for.
type freshPart struct{ documents []freshDoc }

// freshDoc is one of them.
type freshDoc struct {
	docRange
	place  placeRow
	source bool // is one of those asked for
}

// queue lists the documents from where the fresh chunks of each shard begin, or began. Served by document_chunks: with the border given as a
// number the planner knows that few documents lie beyond it.
func (f *freshPart) queue(r *round, request retrieve.Request, shards []sealedShard) {
	for _, sh := range shards {
		if !sh.fresh {
			continue
		}
		r.queue(func(br pgx.BatchResults) error {
			var more []freshDoc
			err := into(&more, scanFresh)(br)
			f.documents = append(f.documents, more...)
			return err
		}, `
			select shard, first_chunk, chunk_count, access_number, cardinality($2::text[]) = 0 or source_id = any($2::text[]),
			       coalesce((extract(epoch from updated_at) * 1000000)::bigint, $3), boost
			from document where tenant_id = $1 and shard = $4 and first_chunk >= $5 and chunk_count > 0 order by first_chunk`,
			string(request.Audience.Tenant()), strs(request.Sources), int64(noDate), sh.shard, sh.sealedTo)
	}
}

func scanFresh(row pgx.CollectableRow) (freshDoc, error) {
	var d freshDoc
	err := row.Scan(&d.shard, &d.first, &d.count, &d.access, &d.source, &d.place.updated, &d.place.boost)
	d.place.first, d.place.count = d.first, d.count
	return d, err
}

// addFresh takes the fresh documents into the scope.
func (sc *scope) addFresh(r retrieve.Request, s *snapshot, documents []freshDoc) {
	for _, d := range documents {
		if d.first < s.sealedTo(d.shard) {
			continue // sealed since the outline was taken
		}
		key, offset := blockOf(d.shard, d.first)
		if sc.fresh[key] == nil {
			sc.fresh[key] = new(bm25.Bitmap)
		}
		sc.fresh[key].Set(int(offset), int(d.count))
		if !d.source || !s.allows(d.access) {
			continue
		}
		sc.freshPlaces[d.shard] = append(sc.freshPlaces[d.shard], d.place)
		if len(r.Documents) == 0 {
			sc.block(key).Set(int(offset), int(d.count))
			sc.count += int(d.count)
		}
	}
}

// sealedTo is where the fresh chunks of a shard begin.
func (s *snapshot) sealedTo(shard int16) int64 {
	for _, sh := range s.shards {
		if sh.shard == shard {
			return sh.sealedTo
		}
	}
	return 0
}
