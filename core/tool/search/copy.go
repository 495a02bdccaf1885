package search

import (
	"hash/maphash"
	"slices"
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/core/retrieve"
)

const (
	// shingleWords is the number of adjacent words in a shingle, the unit in which texts are
	// compared. minWords is the minimum number of words of a compared text. See Broder, "On the
	// resemblance and containment of documents", 1997.
	shingleWords, minWords = 3, 8
	// minOverlap is the minimum share of common shingles of two nearly equal texts. One word in
	// twenty may differ.
	minOverlap = 0.6
)

type numberedPassage struct {
	hit    retrieve.Hit
	words  fingerprint
	number int
}

type fingerprint struct {
	hash     uint64   // of the whole text
	shingles []uint64 // hashes of its shingles, sorted, without duplicates
}

var seed = maphash.MakeSeed()

// fingerprintOf returns a fingerprint for the comparison of texts, which ignores case and
// punctuation. It is empty if the text is too short to compare.
func fingerprintOf(text string) (r fingerprint) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) < minWords {
		return r
	}
	r.hash = maphash.String(seed, strings.Join(words, " "))
	for i := range len(words) - shingleWords + 1 {
		r.shingles = append(r.shingles, maphash.String(seed, strings.Join(words[i:i+shingleWords], " ")))
	}
	slices.Sort(r.shingles)
	r.shingles = slices.Compact(r.shingles)
	return r
}

// similarity returns a phrase such as "same text". It returns "" if the texts are not similar.
func (r fingerprint) similarity(o fingerprint) string {
	if len(r.shingles) == 0 || len(o.shingles) == 0 {
		return ""
	}
	if r.hash == o.hash {
		return "same text"
	}
	common := 0
	for i, j := 0, 0; i < len(r.shingles) && j < len(o.shingles); {
		switch {
		case r.shingles[i] == o.shingles[j]:
			common, i, j = common+1, i+1, j+1
		case r.shingles[i] < o.shingles[j]:
			i++
		default:
			j++
		}
	}
	if float64(common) < minOverlap*float64(len(r.shingles)+len(o.shingles)-common) {
		return ""
	}
	return "nearly the same text"
}
