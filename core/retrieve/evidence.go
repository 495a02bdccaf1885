package retrieve

import (
	"iter"
	"math"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
)

// Matched describes how one term of a query occurs in the index and in a passage.
type Matched struct {
	Frequency int  // readable chunks that contain the term
	Here      bool // the passage contains the term
}

// Coverage returns how much of a question a passage matches, from 0 to 1. It is the weight of the
// matching words, divided by the weight of all words. found[i] belongs to terms[i]. chunks is the
// number of chunks in the index.
//
// A word matches if any of its terms matches. A compound word, such as an identifier, matches if
// the whole or all of its parts match. The weight of a word is the inverse document frequency of
// its rarest term. Words that occur in any question (analyse.Term.Chatter) have no weight.
//
// A word that occurs in no document has a weight relative to the mean weight of the other words:
//
//   - A quarter, if its language has no documents (analyse.Term.Foreign) or it is not part of the
//     topic (analyse.Term.Aside).
//   - If it is any other name (analyse.Term.Name), Coverage returns 0. No document can answer a
//     question about that name.
//   - Less than 1 for any other word, because documents may contain its synonyms. The weight grows
//     with the size of the index. It is 1 if more words are missing than occur, or equally many and
//     no name occurs. A name that occurs counts twice in this comparison.
func Coverage(terms []analyse.Term, found []Matched, chunks int) float64 {
	var all, hit float64
	var c count
	words, apart := 0, 0
	for w := range WeightedWords(terms, found) {
		c.add(w)
		switch {
		case w.Frequency > 0:
			weight := bm25.IDF(chunks, w.Frequency)
			words++
			all += weight
			if w.Here {
				hit += weight
			}
		case w.Foreign, w.Aside:
			apart++
		case w.Name:
			return 0
		}
	}
	if hit == 0 {
		return 0
	}
	average := all / float64(words)
	all += average * (unknownWeight(c, chunks)*float64(c.unknown) + minorShare*float64(apart))
	return hit / all
}

const (
	// minorShare is the relative weight of a word that occurs in no document, if it is foreign or
	// not part of the topic. See Coverage.
	minorShare = 0.25
	// unknownHalfChunks is the number of chunks in an index at which an ordinary word that occurs
	// in no document has half the weight of other words. See Coverage.
	unknownHalfChunks = 200
)

func unknownWeight(c count, chunks int) float64 {
	if c.unknown > c.known || c.unknown == c.known && !c.named {
		return 1
	}
	return float64(chunks) / float64(chunks+unknownHalfChunks)
}

// count counts the words of a question. known is the number of words that occur in documents, in
// which a name counts twice. unknown is the number of ordinary words that occur in none.
type count struct {
	known, unknown int
	named          bool // a name occurs
}

func (c *count) add(w Word) {
	switch {
	case w.Frequency > 0 && w.Name: // a name tells what the question is about
		c.known, c.named = c.known+2, true
	case w.Frequency > 0:
		c.known++
	case !w.Foreign && !w.Aside && !w.Name:
		c.unknown++
	}
}

// Word describes one word of a question that has a weight in [Coverage].
type Word struct {
	Text      string // its last term
	Frequency int    // of its rarest term that occurs; 0: no term occurs
	Here      bool   // the passage contains it
	Name      bool   // as in analyse.Term
	Foreign   bool
	Aside     bool // not part of the question's topic
}

// WeightedWords yields the words of a question that have a weight in [Coverage]. found[i] belongs
// to terms[i]. A compound word matches only if the whole or all of its parts match.
func WeightedWords(terms []analyse.Term, found []Matched) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		for i := 0; i < len(terms); {
			number, counts, several, all, part := terms[i].Word, false, false, true, false
			var w Word
			for ; i < len(terms) && terms[i].Word == number; i++ {
				if terms[i].Chatter {
					continue
				}
				if counts && terms[i].Part != terms[i-1].Part {
					several, all, part = true, all && part, false
				}
				counts, part, w.Text = true, part || found[i].Here, terms[i].Text
				w.Foreign, w.Name, w.Aside = w.Foreign || terms[i].Foreign, w.Name || terms[i].Name, w.Aside || terms[i].Aside
				if f := found[i].Frequency; f > 0 && (w.Frequency == 0 || f < w.Frequency) {
					w.Frequency = f
				}
			}
			w.Here = part || several && all // the whole identifier comes last
			if counts && !yield(w) {
				return
			}
		}
	}
}

// Words returns the number of words of a question, for [Config.Needed]. frequency[i] belongs to
// terms[i], and chunks is the number of chunks in the index. A word that occurs in documents counts
// 1. An ordinary word that does not occur counts as much as in [Coverage].
func Words(terms []analyse.Term, frequency []int, chunks int) int {
	found := make([]Matched, len(terms))
	for i, f := range frequency {
		found[i].Frequency = f
	}
	var c count
	words := 0
	for w := range WeightedWords(terms, found) {
		c.add(w)
		if w.Frequency > 0 {
			words++
		}
	}
	return words + int(math.Round(unknownWeight(c, chunks)*float64(c.unknown)))
}

// Frequencies returns a map from the text of each term to its frequency. frequency[i] belongs to
// terms[i].
func Frequencies(terms []analyse.Term, frequency []int) map[string]int {
	out := make(map[string]int, len(terms))
	for i, t := range terms {
		out[t.Text] = frequency[i]
	}
	return out
}

// DefaultMinCoverage is the default of Config.MinCoverage. In a test with the data set SciFact,
// nearly all answerable questions reached it, and most questions about other subjects did not.
const DefaultMinCoverage = 0.35

// shortQuestion determines how much more Coverage a short question needs than a long one. See
// [Config.Needed].
const shortQuestion = 0.75

// Needed returns the minimum Coverage of evidence for a question with the given number of words:
// MinCoverage + (1 − MinCoverage)·0.75/words.
func (c Config) Needed(words int) float64 {
	return c.MinCoverage + (1-c.MinCoverage)*shortQuestion/float64(max(words, 1))
}

// HasEvidence reports whether any candidate is good enough to answer from. It needs the Coverage
// that [Config.Needed] returns or, if MinCosine is set, a cosine of at least MinCosine.
func (c Config) HasEvidence(list List) bool {
	for _, e := range list.Entries {
		if c.matches(list, e, 1) {
			return true
		}
	}
	return false
}

// matches reports whether a candidate has at least share times the Coverage that evidence needs, or
// a cosine of at least MinCosine.
func (c Config) matches(list List, e Candidate, share float64) bool {
	return e.Coverage > 0 && e.Coverage >= share*c.Needed(list.Words) || list.Semantic && c.MinCosine > 0 && e.Cosine >= c.MinCosine
}

const (
	// closeShare is the share of [Config.Needed] that a passage must reach, so that its document is
	// listed in Result.Closest.
	closeShare = 2.0 / 3
	maxClosest = 3
)

func (c Config) addClose(list List, to map[document.ChunkID]bool) {
	for _, e := range list.Entries {
		if c.matches(list, e, closeShare) {
			to[e.First] = true
		}
	}
}

// closestDocuments returns up to maxClosest documents of hits, best first. It considers the
// documents whose first chunk is true in isClose, and sets the returned ones to false.
func closestDocuments(hits []Hit, isClose map[document.ChunkID]bool) []document.Ref {
	var refs []document.Ref
	for _, h := range hits {
		if first := h.Chunk - document.ChunkID(h.Ordinal); isClose[first] && len(refs) < maxClosest {
			refs, isClose[first] = append(refs, h.Document), false
		}
	}
	return refs
}
