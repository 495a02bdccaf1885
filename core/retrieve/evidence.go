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

// Coverage returns the share, from 0 to 1, of a question's weight that a passage matches. found[i]
// belongs to terms[i]. chunks is the size of the index. The result is 0 if no word matches.
//
// A word weighs the inverse document frequency of its rarest term. It matches if any of its terms
// matches. A compound word, such as an identifier, matches if the whole or all of its parts match.
// Words of any question (analyse.Term.Chatter) have no weight.
//
// A word that occurs in no document cannot match. Its weight is relative to the mean weight of the
// words that occur:
//
//   - If its language has no documents (analyse.Term.Foreign) or it is not part of the topic
//     (analyse.Term.Aside), it weighs a quarter.
//   - If it is another name (analyse.Term.Name), the result is 0, because no document can answer
//     about it.
//   - Any other word may have synonyms in the documents, so it weighs less than 1. Its weight grows
//     with the index, because small collections lack most words of a language. It weighs 1 if more
//     words are missing than occur, because the question is then about another topic. In this
//     comparison, names that occur count twice. A tie also gives 1, unless a name occurs.
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
	// minorShare is the weight of a word that occurs in no document and is in another language or
	// not part of the topic. It is relative to the mean weight of the words that occur.
	minorShare = 0.25
	// unknownHalfChunks is the size of an index, in chunks, in which an ordinary word that occurs
	// in no document weighs half as much as other words.
	unknownHalfChunks = 200
)

// unknownWeight returns the weight of an ordinary word that occurs in no document. The weight is
// relative to the mean weight of the words that occur.
func unknownWeight(c count, chunks int) float64 {
	if c.unknown > c.known || c.unknown == c.known && !c.named {
		return 1
	}
	return float64(chunks) / float64(chunks+unknownHalfChunks)
}

// count counts the words of a question: known words occur in documents, where names count twice,
// and unknown words are ordinary words that do not occur.
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

// Word describes one word of a question. Chatter is excluded.
type Word struct {
	Text      string // its last term
	Frequency int    // of its rarest term that occurs; 0: no term occurs
	Here      bool   // the passage contains it
	Name      bool   // as in analyse.Term
	Foreign   bool
	Aside     bool // not part of the question's topic
}

// WeightedWords yields the words of a question that have a weight. A compound word, for example an
// identifier, matches if the whole or all of its parts match. A single part does not suffice,
// because it may belong to another name.
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

// Words returns the number of words of a question that have a weight in Coverage. A word that
// occurs counts 1. Any other word counts its relative weight, so that missing words do not make a
// question easier to match. frequency[i] belongs to terms[i].
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

// Frequencies returns the frequency of each term by its text. frequency[i] belongs to terms[i].
func Frequencies(terms []analyse.Term, frequency []int) map[string]int {
	out := make(map[string]int, len(terms))
	for i, t := range terms {
		out[t.Text] = frequency[i]
	}
	return out
}

// DefaultMinCoverage is the minimum Coverage of evidence for a long question (Config.Needed). On
// SciFact nearly all answerable questions reach it, and most questions about other subjects do not.
const DefaultMinCoverage = 0.35

// shortQuestion raises the minimum Coverage of short questions (see [Config.Needed]). A match of
// one word in two may be chance. A match of four words in eight is not.
const shortQuestion = 0.75

// Needed returns the minimum Coverage of evidence for a question with the given number of words:
// MinCoverage + (1 − MinCoverage)·0.75/words.
func (c Config) Needed(words int) float64 {
	return c.MinCoverage + (1-c.MinCoverage)*shortQuestion/float64(max(words, 1))
}

// HasEvidence reports whether any candidate is good enough to answer from. A candidate needs a
// Coverage of at least Needed. If MinCosine is set, a cosine of at least MinCosine suffices too.
// HasEvidence compares raw scores, because min-max scaling makes the best candidate of a bad list
// 1.
func (c Config) HasEvidence(list List) bool {
	for _, e := range list.Entries {
		if c.matches(list, e, 1) {
			return true
		}
	}
	return false
}

// matches reports whether a candidate reaches the given share of Needed, or MinCosine.
func (c Config) matches(list List, e Candidate, share float64) bool {
	return e.Coverage > 0 && e.Coverage >= share*c.Needed(list.Words) || list.Semantic && c.MinCosine > 0 && e.Cosine >= c.MinCosine
}

const (
	// closeShare is the share of Needed that a document must reach to be named if no document
	// answers the question. One word of two is enough. One word of three may be chance.
	closeShare = 2.0 / 3
	// maxClosest is the maximum number of documents that are named if no document answers the
	// question.
	maxClosest = 3
)

// addClose adds to the map the first chunk of each document with a candidate that reaches
// closeShare of Needed.
func (c Config) addClose(list List, to map[document.ChunkID]bool) {
	for _, e := range list.Entries {
		if c.matches(list, e, closeShare) {
			to[e.First] = true
		}
	}
}

// closestDocuments returns the documents of hits whose first chunk is in isClose, best first and
// without duplicates. It returns at most maxClosest documents. It changes isClose.
func closestDocuments(hits []Hit, isClose map[document.ChunkID]bool) []document.Ref {
	var refs []document.Ref
	for _, h := range hits {
		if first := h.Chunk - document.ChunkID(h.Ordinal); isClose[first] && len(refs) < maxClosest {
			refs, isClose[first] = append(refs, h.Document), false
		}
	}
	return refs
}
