package retrieve

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/document"
)

type selection struct {
	order   []document.ChunkID
	scores  map[document.ChunkID]*Ranked
	ranking []Ordered // the ranking to keep, shown or not
}

// shortPage is the maximum number of chunks of a short page. A short page is always shown whole.
const shortPage = 2

// selectChunks selects the chunks to show: the best ones, and neighbours of the best one. There are
// at most s.Limit or MaxChunks chunks, whichever is larger. A page of two chunks is always shown
// whole, and then counts as one.
func (h *Hybrid) selectChunks(s Search, ranked []Ranked) selection {
	limit := s.Limit
	if limit < 1 {
		limit = h.cfg.MaxChunks
	}
	if len(s.Except) > 0 {
		ranked = slices.DeleteFunc(slices.Clone(ranked), func(r Ranked) bool { return slices.Contains(s.Except, r.Chunk) })
	}
	chosen := diverse(ranked, max(limit, s.Keep))
	out := selection{scores: make(map[document.ChunkID]*Ranked, limit)}
	for _, r := range chosen[:min(s.Keep, len(chosen))] {
		out.ranking = append(out.ranking, Ordered{r.Chunk, float32(r.Scores.Score)})
	}
	chosen = chosen[:min(limit, len(chosen))]
	taken := make(map[document.ChunkID]bool, len(chosen))
	take := func(id document.ChunkID) {
		if !taken[id] && len(out.order) < max(limit, h.cfg.MaxChunks) {
			taken[id] = true
			out.order = append(out.order, id)
		}
	}
	for i, r := range chosen {
		out.scores[r.Chunk] = r
		take(r.Chunk)
		// not counted: the missing rest is less than a chunk
		if taken[r.Chunk] && r.Siblings <= shortPage {
			for n := range r.Siblings {
				if id := r.First + document.ChunkID(n); !taken[id] {
					taken[id] = true
					out.order = append(out.order, id)
				}
			}
		}
		if i > 0 {
			continue
		}
		// nearest first, since not all may fit
		for n := 1; n <= max(h.cfg.Above, h.cfg.Below); n++ {
			if n <= h.cfg.Below && r.Ordinal()+n < r.Siblings {
				take(r.Chunk + document.ChunkID(n))
			}
			if n <= h.cfg.Above && r.Ordinal()-n >= 0 {
				take(r.Chunk - document.ChunkID(n))
			}
		}
	}
	return out
}

// repeatPenalty is the number of ranks that a chunk moves down for each better chunk of the same
// document. In a test with 80 questions about two manuals, 4 gave the best results.
const repeatPenalty = 4

// diverse returns at most n of the ranked chunks. It moves a chunk down by repeatPenalty ranks for
// every higher chunk of the same document. It drops chunks without a score.
func diverse(ranked []Ranked, n int) []*Ranked {
	type moved struct {
		*Ranked
		place int
	}
	var all []moved
	place := 0
	of := make(map[document.ChunkID]int, len(ranked)) // by document: chunks that rank higher
	for i := range ranked {
		r := &ranked[i]
		if r.Flat <= 0 && r.Title <= 0 && r.Cosine <= 0 && r.Scores.Knowledge <= 0 {
			continue
		}
		if n := len(all); n == 0 || r.Scores.Score != all[n-1].Scores.Score || r.Scores.Rerank != all[n-1].Scores.Rerank {
			place = n // equal scores share a rank
		}
		all = append(all, moved{r, place + repeatPenalty*of[r.First]})
		of[r.First]++
	}
	slices.SortStableFunc(all, func(a, b moved) int { return cmp.Compare(a.place, b.place) })
	chosen := make([]*Ranked, min(n, len(all)))
	for i := range chosen {
		chosen[i] = all[i].Ranked
	}
	return chosen
}

// join turns passages into hits in the order of chosen. Consecutive chunks of a document become one
// hit. The hit takes the rank of its best chunk.
func join(passages []Passage, chosen selection) []Hit {
	rank := make(map[document.ChunkID]int, len(chosen.order))
	for i, id := range chosen.order {
		rank[id] = i
	}
	type placedHit struct {
		hit  Hit
		rank int
	}
	var placed []placedHit
	for start := 0; start < len(passages); {
		end := start + 1
		for end < len(passages) && passages[end].Document.ID == passages[start].Document.ID &&
			passages[end].Chunk.Ordinal == passages[end-1].Chunk.Ordinal+1 {
			end++
		}
		if hit, at, scored := merge(passages[start:end], rank, chosen.scores); scored {
			placed = append(placed, placedHit{hit, at})
		}
		start = end
	}
	slices.SortFunc(placed, func(a, b placedHit) int { return cmp.Compare(a.rank, b.rank) })
	hits := make([]Hit, len(placed))
	for i, p := range placed {
		hits[i] = p.hit
	}
	return hits
}

// merge joins consecutive chunks into a hit. The best ranked chunk provides scores, heading and
// link. If no chunk has scores, scored is false.
func merge(run []Passage, rank map[document.ChunkID]int, scores map[document.ChunkID]*Ranked) (hit Hit, best int, scored bool) {
	for _, p := range run {
		r, found := scores[p.ID]
		if !found || scored && rank[p.ID] >= best {
			continue
		}
		scored, best = true, rank[p.ID]
		hit = Hit{Document: p.Document, Metadata: p.Metadata, ACL: p.ACL, Chunk: p.ID, Ordinal: p.Chunk.Ordinal, Heading: p.Chunk.Heading,
			Anchor: p.Chunk.Anchor, Link: p.Document.Link(p.Chunk.Anchor), Of: r.Siblings, Scores: r.Scores}
	}
	var text document.Joiner
	hit.Start, hit.End = run[0].Chunk.Start, run[0].Chunk.End
	for _, p := range run {
		text.Add(p.Chunk)
		hit.Start, hit.End = min(hit.Start, p.Chunk.Start), max(hit.End, p.Chunk.End)
		hit.Tokens += p.Chunk.Tokens
		hit.Parts = append(hit.Parts, Parts(p.Chunk)...)
	}
	if len(hit.Parts) == 1 {
		hit.Parts = nil
	}
	hit.Text, hit.First, hit.Last = text.String(), run[0].Chunk.Ordinal, run[len(run)-1].Chunk.Ordinal
	return hit, best, scored
}

// Parts splits a chunk at the beginnings of its sections.
func Parts(c document.Chunk) []Part {
	text, part, from := []rune(c.Text), Part{Anchor: c.Anchor, Heading: Section(c.Heading)}, 0
	var out []Part
	for _, place := range c.Places {
		if place.Start > from && place.Start < len(text) {
			part.Text = string(text[from:place.Start])
			out = append(out, part)
			part, from = Part{Anchor: place.Anchor, Heading: headingOf(place.Anchor, document.Chunk{Text: string(text[place.Start:])}.Words())}, place.Start
		}
	}
	part.Text = string(text[from:])
	return append(out, part)
}

// maxHeading is the maximum length, in characters, of a first line that counts as a section's
// heading.
const maxHeading = 120

// headingOf returns the first line of a section if it is a heading, and "" otherwise. A section
// whose anchor is an address, such as a message of a thread, has no heading.
func headingOf(anchor, text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.Trim(line, "# \t")
	if !more || utf8.RuneCountInString(line) > maxHeading || strings.Contains(anchor, "://") {
		return ""
	}
	return line
}

// fitTokens returns the hits that fit into maxTokens, in order. 0 means no limit. It skips a hit
// that is too large, and continues with smaller hits.
func fitTokens(hits []Hit, maxTokens int) []Hit {
	if maxTokens <= 0 {
		return hits
	}
	fitting := hits[:0]
	for _, h := range hits {
		if h.Tokens <= maxTokens {
			maxTokens -= h.Tokens
			fitting = append(fitting, h)
		}
	}
	return fitting
}
