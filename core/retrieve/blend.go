package retrieve

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// undatedAge is the assumed age of documents without a date, in years. It is three months, as in
// Onyx.
const undatedAge = 0.25

// RecentFloor is the minimum Recency if the question asks for recent documents.
const RecentFloor = 0.5

const yearHours = 365.25 * 24

// Recency returns the factor for a document's score that lowers old documents: max(1/(1 +
// decay·age), floor). The age is in years. A document without a date counts as three months old.
// The result is 1 for new documents and for dates in the future, and at least floor.
//
// Source: the recency multiplier of Onyx (DOC_TIME_DECAY), whose documentation gives the floor as
// 0.5.
func Recency(updated, now time.Time, decay, floor float64) float64 {
	age := undatedAge
	if !updated.IsZero() {
		age = max(now.Sub(updated).Hours()/yearHours, 0)
	}
	return min(max(1/(1+decay*age), floor), 1)
}

// Blending holds the parameters of [Config.Blend] for one query.
type Blending struct {
	Alpha       float64 // weight of the semantic side, 0–1
	FavorRecent bool
	Now         time.Time
}

// Ranked is a candidate with its final score and all components of that score.
type Ranked struct {
	Candidate
	Scores Scores
}

// Blend scores candidates and sorts them, best first:
//
//	flat'   = flat / max flat,  title' = title / max title;
//	k       = (1−r)·flat' + r·title';
//	keyword = minmax(k + support(k)),  semantic = minmax(cosine);
//	score   = [(1−a)·keyword + a·semantic] · boost · recency
//
// Here r is Config.TitleRatio, and a is EffectiveAlpha. The maxima are over all chunks that the
// audience may read. minmax scales values to 0–1. A chunk without a vector has its keyword score
// on both sides. The blended score lies between 0 and 1 before boost and recency.
//
// k is first scaled to 0–1 over the candidates that keywords chose, so other candidates are below
// 0. The minmax of cosines is over candidates with a vector. Source for min-max scores instead of
// ranks: Bruch, Gai, Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", 2023.
func (c Config) Blend(list List, b Blending) []Ranked {
	c = c.clipped()
	alpha := EffectiveAlpha(list, b.Alpha)
	keyword := make([]float64, len(list.Entries))
	cosine := make([]float64, len(list.Entries))
	for i, e := range list.Entries {
		keyword[i] = (1-c.TitleRatio)*share(e.Flat, list.MaxFlat) + c.TitleRatio*share(e.Title, list.MaxTitle)
		cosine[i] = e.Cosine
	}
	list.scale(keyword)
	supported := list.support(keyword)
	for i := range keyword {
		keyword[i] += supported[i]
	}
	minMax(keyword)
	if list.Semantic {
		list.scaleCosine(cosine, keyword)
	} else {
		clear(cosine)
	}
	decay, floor := c.TimeDecay, c.RecencyFloor
	if b.FavorRecent {
		decay, floor = decay*c.FavorRecent, min(floor, RecentFloor)
	}
	scored := make([]Ranked, len(list.Entries))
	order := make([]*Ranked, len(list.Entries)) // sort pointers, because the values are large
	for i, e := range list.Entries {
		s := Scores{Flat: e.Flat, Title: e.Title, Cosine: e.Cosine, Keyword: keyword[i], Support: supported[i], Semantic: cosine[i], Boost: e.Boost,
			Recency: Recency(e.UpdatedAt, b.Now, decay, floor), Coverage: e.Coverage, KeywordPos: e.KeywordPos, VectorPos: e.VectorPos}
		s.Score = ((1-alpha)*s.Keyword + alpha*s.Semantic) * s.Boost * s.Recency
		scored[i] = Ranked{e, s}
		order[i] = &scored[i]
	}
	slices.SortFunc(order, compareRanked)
	ranked := make([]Ranked, len(order))
	for i, r := range order {
		ranked[i] = *r
	}
	return ranked
}

// compareRanked orders candidates by score, best first. Raw scores and the chunk id break ties, so
// the order is deterministic.
func compareRanked(a, b *Ranked) int {
	if a.Scores.Score != b.Scores.Score { // the usual case
		return cmp.Compare(b.Scores.Score, a.Scores.Score)
	}
	return cmp.Or(cmp.Compare(b.Flat, a.Flat), cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Chunk, b.Chunk))
}

// EffectiveAlpha returns the weight of the vector scores of a list. It is 0 if no vectors were
// compared, and 1 if no word matched. Otherwise it is alpha, clipped to 0–1.
func EffectiveAlpha(list List, alpha float64) float64 {
	switch {
	case !list.Semantic:
		return 0
	case list.MaxFlat <= 0 && list.MaxTitle <= 0:
		return 1
	}
	return clampOr(alpha, 0, 1, 0)
}

func share(v, most float64) float64 {
	if most <= 0 {
		return 0
	}
	return v / most
}

// byKeyword reports whether candidate i was chosen by keywords. Without vectors, all candidates
// were.
func (l List) byKeyword(i int) bool { return !l.Semantic || l.Entries[i].KeywordPos > 0 }

// scale maps keyword scores to 0–1 in place. The range is that of the candidates chosen by
// keywords. Candidates chosen only by vectors get values below 0.
func (l List) scale(keyword []float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for i, v := range keyword {
		if l.byKeyword(i) {
			low, high = min(low, v), max(high, v)
		}
	}
	if high <= low { // at most one candidate, or all scores are equal
		minMax(keyword)
		return
	}
	for i, v := range keyword {
		keyword[i] = (v - low) / (high - low)
	}
}

// scaleCosine maps cosines to 0–1 in place. A candidate without a vector gets its keyword score,
// because a cosine of 0 would compress the range of all other cosines.
func (l List) scaleCosine(cosine, keyword []float64) {
	compared := make([]float64, 0, len(cosine))
	without := func(e Candidate) bool { return e.Cosine == 0 && e.VectorPos == 0 && e.KeywordPos > 0 }
	for i, e := range l.Entries {
		if !without(e) {
			compared = append(compared, cosine[i])
		}
	}
	minMax(compared)
	for i, e := range l.Entries {
		if without(e) {
			cosine[i] = keyword[i]
		} else {
			cosine[i], compared = compared[0], compared[1:]
		}
	}
}

// minMax maps values to 0–1 in place: (v − min)/(max − min). If all values are equal, each becomes
// 1 if positive and 0 otherwise.
func minMax(values []float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	for i, v := range values {
		switch {
		case high > low:
			values[i] = (v - low) / (high - low)
		case v > 0:
			values[i] = 1
		default:
			values[i] = 0
		}
	}
}
