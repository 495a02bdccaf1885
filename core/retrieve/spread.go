package retrieve

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
)

// Neighbours finds the documents that passages mention. knowledge.Graph implements it.
type Neighbours interface {
	Neighbours(ctx context.Context, q knowledge.Question, passages []document.ChunkID) ([]knowledge.Neighbour, error)
}

const (
	// spreadSeeds is the number of best documents whose mentions a search follows.
	spreadSeeds = 5
	// spreadShare is the share of a passage's score that a document gets if the passage mentions
	// it. deploy/decisions/0046-knowledge.md has the measurements.
	spreadShare = 0.85
)

// WithNeighbours returns a copy of h that also finds the documents that the best passages mention.
// If n is nil, the copy does not look for them.
func (h *Hybrid) WithNeighbours(n Neighbours) *Hybrid {
	with := *h
	with.neighbours = n
	return &with
}

// spread adds the documents that the best passages mention by title. Such a document gets a share
// of the passage's score. The share is smaller if several documents have the title, or if many
// passages contain it. spread returns false if it added none.
func (h *Hybrid) spread(ctx context.Context, s Search, ranked []Ranked, trace *Trace) ([]Ranked, bool) {
	if h.neighbours == nil || len(ranked) == 0 {
		return ranked, false
	}
	began := time.Now()
	seeds := make(map[document.ChunkID]float64, spreadSeeds)
	var passages []document.ChunkID
	taken := make(map[document.ChunkID]bool, spreadSeeds) // by document
	for i := range ranked {
		if r := &ranked[i]; !taken[r.First] && r.Scores.Score > 0 {
			taken[r.First] = true
			seeds[r.Chunk] = r.Scores.Score
			passages = append(passages, r.Chunk)
		}
		if len(passages) == spreadSeeds {
			break
		}
	}
	near, err := h.neighbours.Neighbours(ctx, knowledge.Question{Audience: s.Audience, Sources: s.Sources, Documents: s.Documents}, passages)
	trace.Timings["knowledge"] = time.Since(began)
	if err != nil {
		if ctx.Err() == nil {
			trace.AddNotice("What the passages name could not be looked up, so only what matches the question was found.")
		}
		return ranked, false
	}
	worth := make(map[document.ChunkID]float64) // by document
	about := make(map[document.ChunkID]knowledge.Neighbour)
	asked := Request{From: s.From, To: s.To}
	for _, n := range near {
		if !asked.Within(n.UpdatedAt) {
			continue
		}
		score := spreadShare * seeds[n.From] / math.Sqrt(float64(max(n.Owners, 1))) / (1 + math.Log10(float64(max(n.Uses, 1))))
		if score > worth[n.First] {
			worth[n.First], about[n.First] = score, n
		}
	}
	if len(worth) == 0 {
		return ranked, false
	}
	return raiseScores(ranked, worth, about), true
}

// raiseScores returns the ranking with the scores of some documents raised, best first. worth has
// the minimum score of a document by its first chunk. The best passage of the document gets this
// score. A document that is not in the ranking is added with its first passage.
func raiseScores(ranked []Ranked, worth map[document.ChunkID]float64, about map[document.ChunkID]knowledge.Neighbour) []Ranked {
	out := slices.Clone(ranked)
	for i := range out {
		r := &out[i]
		if score := worth[r.First]; score > 0 {
			r.Scores.Knowledge = score
			r.Scores.Score = max(r.Scores.Score, score)
			delete(worth, r.First)
		}
	}
	for first, score := range worth {
		n := about[first]
		r := Ranked{Candidate: Candidate{Chunk: first, First: first, Siblings: n.Siblings, UpdatedAt: n.UpdatedAt, Boost: n.Boost}}
		r.Scores.Score, r.Scores.Knowledge, r.Scores.Recency, r.Scores.Boost = score, score, 1, n.Boost
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Ranked) int { return compareRanked(&a, &b) })
	return out
}
