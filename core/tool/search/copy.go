package search

import (
	"hash/maphash"
	"slices"
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/core/retrieve"
)

const (
	// shingle is of how many words the runs are by which texts are compared, and fewestWords how
	// many a text must have: what is shorter is a heading that many pages share. (Broder, On the
	// resemblance and containment of documents, 1997.)
	shingle, fewestWords = 3, 8
	// alike is the share of their runs that two texts have in common which say nearly the same: of
	// twenty words one may differ.
	alike = 0.6
)

// numbered is a passage that the model is shown under a number.
type numbered struct {
	hit    retrieve.Hit
	words  resemblance
	number int
}

// resemblance is what texts are compared by.
type resemblance struct {
	all  uint64   // of the whole text
	runs []uint64 // of its runs of words, in order, each once
}

var seed = maphash.MakeSeed()

// resembling reads a text: its words in small letters, without marks between them. It is empty for
// a text that is too short to be a copy of another.
func resembling(text string) (r resemblance) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) < fewestWords {
		return r
	}
	r.all = maphash.String(seed, strings.Join(words, " "))
	for i := range len(words) - shingle + 1 {
		r.runs = append(r.runs, maphash.String(seed, strings.Join(words[i:i+shingle], " ")))
	}
	slices.Sort(r.runs)
	r.runs = slices.Compact(r.runs)
	return r
}

// like says how two texts are like each other; empty: they are not.
func (r resemblance) like(o resemblance) string {
	if len(r.runs) == 0 || len(o.runs) == 0 {
		return ""
	}
	if r.all == o.all {
		return "same text"
	}
	common := 0
	for i, j := 0, 0; i < len(r.runs) && j < len(o.runs); {
		switch {
		case r.runs[i] == o.runs[j]:
			common, i, j = common+1, i+1, j+1
		case r.runs[i] < o.runs[j]:
			i++
		default:
			j++
		}
	}
	if float64(common) < alike*float64(len(r.runs)+len(o.runs)-common) {
		return ""
	}
	return "nearly the same text"
}
