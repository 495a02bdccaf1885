package pgindex

import (
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/jackc/pgx/v5"
)

type words struct {
	queries  [][]analyse.Term
	synonyms [][]string // synonyms that were added, such as "k8s: kubernetes"
	terms    []string   // of all probes, sorted, without duplicates
	fresh    []postingRow
	lists    postings
}

func (w *words) analyse(r retrieve.Request, languages []string) {
	w.queries, w.synonyms = make([][]analyse.Term, len(r.Probes)), make([][]string, len(r.Probes))
	for i, p := range r.Probes {
		w.queries[i], w.synonyms[i] = r.Synonyms.Query(p.Text, languages)
		for _, t := range w.queries[i] {
			w.terms = append(w.terms, t.Text)
		}
	}
	slices.Sort(w.terms)
	w.terms = slices.Compact(w.terms)
}

// postingRow is a row of the table posting or fresh_posting. In posting, at is the number of the
// segment. In fresh_posting, it is the id of the first chunk of a block.
type postingRow struct {
	shard, field int16
	at           int64
	term         string
	payload      []byte
}

func scanPosting(row pgx.CollectableRow) (postingRow, error) {
	var p postingRow
	err := row.Scan(&p.shard, &p.at, &p.field, &p.term, &p.payload)
	return p, err
}

// queueFresh queues a statement for the postings of chunks that are not packed into segments. The
// statement uses the primary key of fresh_posting.
func (w *words) queueFresh(r *round, request retrieve.Request, shards []shardRow) {
	if len(w.terms) > 0 && slices.ContainsFunc(shards, shardRow.hasFresh) {
		r.queue(collectInto(&w.fresh, scanPosting), `
			select shard, first_chunk, field, term, payload from fresh_posting where tenant_id = $1 and term = any($2::text[])`,
			string(request.Audience.Tenant()), w.terms)
	}
}

// termLists are the postings of a term in some segments. They never change, so they can be cached.
type termLists struct {
	segments []int32 // that were searched for the term, ascending
	lists    []sealedList
}

type sealedList struct {
	segment int32
	field   int16
	payload []byte
}

func (t termLists) hasSegment(segment int32) bool {
	_, found := slices.BinarySearch(t.segments, segment)
	return found
}

// size returns the approximate size of t in the cache, in bytes.
func (t termLists) size() int64 {
	n := int64(512 + 4*len(t.segments))
	for _, l := range t.lists {
		n += int64(len(l.payload)) + 64
	}
	return n
}

type sealedPlan struct {
	index    *Index
	tenant   access.TenantID
	terms    []string
	known    []termLists // by term
	segments []int32     // of the snapshot, ascending
	unseen   []string    // terms without cached postings
	partial  []string    // terms with cached postings for some segments
	lacking  []int32     // segments that are not cached for some term of partial
	read     [2][]postingRow
	learnt   []*cached // postings that were read, for remember
}

func (x *Index) planSealed(tenant access.TenantID, segments []segmentRow, terms []string) *sealedPlan {
	plan := &sealedPlan{index: x, tenant: tenant, terms: terms, known: make([]termLists, len(terms))}
	for _, seg := range segments {
		plan.segments = append(plan.segments, seg.number)
	}
	slices.Sort(plan.segments)
	if len(plan.segments) == 0 {
		return plan
	}
	for i, term := range terms {
		entry, found := x.cache.get(segmentKey{tenant: tenant, kind: kindTerm, term: term})
		if !found {
			plan.unseen = append(plan.unseen, term)
			continue
		}
		plan.known[i] = entry.term
		before := len(plan.lacking)
		for _, n := range plan.segments {
			if !entry.term.hasSegment(n) {
				plan.lacking = append(plan.lacking, n)
			}
		}
		if len(plan.lacking) > before {
			plan.partial = append(plan.partial, term)
		}
	}
	slices.Sort(plan.lacking)
	plan.lacking = slices.Compact(plan.lacking)
	return plan
}

// postingsSQL reads the postings of terms in segments. It uses the primary key of posting.
const postingsSQL = `select shard, segment::bigint, field, term, payload from posting where tenant_id = $1 and term = any($2::text[])`

func (plan *sealedPlan) queue(r *round) {
	if len(plan.unseen) > 0 {
		r.queue(collectInto(&plan.read[0], scanPosting), postingsSQL, string(plan.tenant), plan.unseen)
	}
	if len(plan.partial) > 0 {
		r.queue(collectInto(&plan.read[1], scanPosting), postingsSQL+` and segment = any($3::int[])`, string(plan.tenant), plan.partial, plan.lacking)
	}
}

// finish returns all posting lists of the query, by field and term. fresh are the postings of
// chunks outside segments. The plan's statements must have run.
func (plan *sealedPlan) finish(s *snapshot, fresh []postingRow) postings {
	out := postings{make(map[string][]postingList, len(plan.terms)), make(map[string][]postingList, len(plan.terms))}
	read := make(map[string][]sealedList)
	for _, rows := range plan.read {
		for _, row := range rows {
			read[row.term] = append(read[row.term], sealedList{int32(row.at), row.field, row.payload})
		}
	}
	segments := make(map[int32]*segmentRow, len(s.segments))
	for i := range s.segments {
		segments[s.segments[i].number] = &s.segments[i]
	}
	for i, term := range plan.terms {
		known := plan.known[i]
		if slices.Contains(plan.unseen, term) || slices.Contains(plan.partial, term) {
			known = known.merged(read[term], plan.segments)
			plan.learnt = append(plan.learnt, &cached{key: segmentKey{tenant: plan.tenant, kind: kindTerm, term: term}, term: known, size: known.size()})
		}
		for _, l := range known.lists {
			if seg := segments[l.segment]; seg != nil && (l.field == fieldFlat || l.field == fieldTitle) {
				key, _ := blockOf(seg.shard, seg.low)
				out[l.field][term] = append(out[l.field][term], postingList{key, seg, l.payload})
			}
		}
	}
	for _, row := range fresh {
		if row.field == fieldFlat || row.field == fieldTitle {
			key, _ := blockOf(row.shard, row.at)
			out[row.field][row.term] = append(out[row.field][row.term], postingList{key, nil, row.payload})
		}
	}
	return out
}

// remember caches the postings that were read. They must come from the same snapshot as the
// segments.
func (plan *sealedPlan) remember() {
	for _, entry := range plan.learnt {
		plan.index.cache.put(entry)
	}
}

func (t termLists) merged(read []sealedList, segments []int32) termLists {
	out := termLists{segments: segments}
	for _, l := range t.lists {
		if _, there := slices.BinarySearch(segments, l.segment); there {
			out.lists = append(out.lists, l)
		}
	}
	for _, l := range read {
		if !t.hasSegment(l.segment) {
			out.lists = append(out.lists, l)
		}
	}
	return out
}
