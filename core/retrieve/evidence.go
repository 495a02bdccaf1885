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

// Coverage returns the share, from 0 to 1, of a question's weight that a passage matches. A word
// weighs the inverse document frequency of its rarest term in the index. It matches if any of its
// terms does. A compound word, such as an identifier, matches if the whole or all of its parts
// match. found runs parallel to terms. The result is 0 if no word has a weight.
//
// Words that occur nowhere cannot match. If one of them is a name (analyse.Term.Name), the coverage
// is 0, since no document can answer about it. If a name is only next to the question
// (analyse.Term.Aside), it weighs a quarter of the others.
//
// An ordinary word that occurs nowhere may have synonyms in the documents. It gets a share of the
// mean weight, which grows with the index: small collections lack most words of a language. It gets
// the full weight if at least half of the words occur nowhere, because the question is then about
// another topic. Names count twice for that, and on a tie an occurring name decides.
//
// Words of any question (analyse.Term.Chatter) have no weight. Words of a language without
// documents (analyse.Term.Foreign) weigh a quarter if they occur nowhere, so that names and
// identifiers can still match.
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
	// minorShare is the relative weight of a word that occurs nowhere and is either in another
	// language or next to the question. It is relative to the mean weight of the words that occur.
	minorShare = 0.25
	// unknownHalfChunks is the number of chunks of an index in which an ordinary word that occurs
	// nowhere weighs half as much as others.
	unknownHalfChunks = 200
)

// unknownWeight returns the weight of an ordinary word that occurs nowhere, relative to the mean
// weight of the words that occur.
func unknownWeight(c count, chunks int) float64 {
	if c.unknown > c.known || c.unknown == c.known && !c.named {
		return 1
	}
	return float64(chunks) / float64(chunks+unknownHalfChunks)
}

// count is the number of words of a question that occur, where names count twice, and of ordinary
// words that do not.
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

// Word describes one word of a question, except chatter.
type Word struct {
	Text      string // its last term
	Frequency int    // of its rarest term that occurs; 0: no term occurs
	Here      bool   // the passage contains it
	Name      bool   // as in analyse.Term
	Foreign   bool
	Aside     bool // next to the question
}

// WeightedWords yields the words of a question that have a weight. A compound word, for example an
// identifier, matches if the whole or all of its parts do: a single part may belong to another
// name.
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

// Words returns the number of words of a question that have a weight in Coverage. Words that occur
// count 1. The others count their relative weight, so that missing words do not make a question
// easier to match. frequency runs parallel to terms.
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

// Frequencies returns, by term of a question, the number of chunks that contain it. frequency runs
// parallel to terms.
func Frequencies(terms []analyse.Term, frequency []int) map[string]int {
	out := make(map[string]int, len(terms))
	for i, t := range terms {
		out[t.Text] = frequency[i]
	}
	return out
}

// DefaultMinCoverage is the minimum Coverage of evidence for a long question (Config.Needed). On
// SciFact it lets nearly all answerable questions pass, and stops most questions about other
// subjects.
const DefaultMinCoverage = 0.35

// shortQuestion raises the minimum Coverage of short questions. A question of one word must match
// this share of the rest above MinCoverage, one of two words half of it, and so on. One of two
// words matches by chance, four of eight do not.
const shortQuestion = 0.75

// Needed returns the minimum Coverage of evidence for a question with that number of words:
// MinCoverage + (1 − MinCoverage)·0.75/words.
func (c Config) Needed(words int) float64 {
	return c.MinCoverage + (1-c.MinCoverage)*shortQuestion/float64(max(words, 1))
}

// HasEvidence reports whether any candidate is good enough to answer from. It needs a Coverage of
// at least Needed or, if MinCosine is set, a cosine of at least MinCosine. It compares raw scores,
// because after min-max scaling the best of a bad list is always 1.
func (c Config) HasEvidence(list List) bool {
	for _, e := range list.Entries {
		if c.matches(list, e, 1) {
			return true
		}
	}
	return false
}

// matches reports whether a candidate reaches a share of Needed, or MinCosine.
func (c Config) matches(list List, e Candidate, share float64) bool {
	return e.Coverage > 0 && e.Coverage >= share*c.Needed(list.Words) || list.Semantic && c.MinCosine > 0 && e.Cosine >= c.MinCosine
}

const (
	// closeShare is the share of Needed from which a document is worth naming if nothing answers
	// the question: one word of two is enough, one word of three is chance.
	closeShare = 2.0 / 3
	// maxClosest is the maximum number of documents that are named in that case.
	maxClosest = 3
)

// addClose adds the first chunks of the documents that come close to being evidence.
func (c Config) addClose(list List, to map[document.ChunkID]bool) {
	for _, e := range list.Entries {
		if c.matches(list, e, closeShare) {
			to[e.First] = true
		}
	}
}

// closestDocuments returns at most maxClosest documents of hits that come close to being evidence,
// best first, without duplicates.
func closestDocuments(hits []Hit, isClose map[document.ChunkID]bool) []document.Ref {
	var refs []document.Ref
	for _, h := range hits {
		if first := h.Chunk - document.ChunkID(h.Ordinal); isClose[first] && len(refs) < maxClosest {
			refs, isClose[first] = append(refs, h.Document), false
		}
	}
	return refs
}
