package cite

import (
	"strings"
	"unicode"
)

// numberWeight is the weight of a number, compared with 1 for a word. Wrong numbers are the most
// frequent error in cited sentences.
const numberWeight = 2

// Supported returns the share, from 0 to 1, of a sentence's content words and numbers that occur in
// at least one chunk. It ignores common English words and endings. Numbers count twice. A sentence
// without content words scores 1.
//
// Supported detects citations of the wrong document. It does not detect sentences that reverse a
// document's meaning.
func Supported(sentence string, chunks []string) (score float64) {
	wanted := make(map[string]bool)
	for term := range terms(sentence) {
		wanted[term] = false
	}
	if len(wanted) == 0 {
		return 1
	}
	for _, chunk := range chunks {
		for term := range terms(chunk) {
			if _, ok := wanted[term]; ok {
				wanted[term] = true
			}
		}
	}
	var found, total float64
	for term, ok := range wanted {
		weight := 1.0
		if term[0] >= '0' && term[0] <= '9' {
			weight = numberWeight
		}
		total += weight
		if ok {
			found += weight
		}
	}
	return found / total
}

// terms yields the content words and numbers of a text, without case and English endings. For
// scripts without spaces it yields pairs of characters.
func terms(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		var word []rune
		dense := false // word is in a script without spaces
		flush := func() bool {
			defer func() { word = word[:0] }()
			if dense {
				for i := range max(1, len(word)-1) {
					if len(word) > 0 && !yield(string(word[i:min(i+2, len(word))])) {
						return false
					}
				}
				return true
			}
			t := term(word)
			return t == "" || yield(t)
		}
		runes := []rune(text)
		for i, r := range runes {
			d := isDense(r)
			switch {
			case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
				if d != dense && len(word) > 0 && !flush() {
					return
				}
				dense = d
				word = append(word, unicode.ToLower(r))
			case r == '\'' || r == '’':
			case (r == '.' || r == ',') && i > 0 && i+1 < len(runes) && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(runes[i+1]):
				// Thousands are written 1,000 and 1000; decimals keep their point.
				if r == '.' {
					word = append(word, r)
				}
			default:
				if !flush() {
					return
				}
			}
		}
		flush()
	}
}

// term returns the stem of a word, or "" for a word without content such as "the". Numbers stay
// unchanged.
func term(word []rune) string {
	w := string(word)
	if w == "" || w[0] >= '0' && w[0] <= '9' {
		return w
	}
	if len(word) < 2 || stopWords[w] {
		return ""
	}
	return stem(w)
}

// stem removes a frequent English ending but leaves at least four letters.
func stem(w string) string {
	for _, ending := range []string{"ations", "ation", "ments", "ment", "ings", "ing", "ies", "ed", "es", "ly", "s", "e", "y"} {
		if cut, ok := strings.CutSuffix(w, ending); ok && len(cut) >= 4 {
			return cut
		}
	}
	return w
}

func isDense(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

var stopWords = func() map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(`a about above after again all also am an and any are as at be because been
before being below between both but by can cannot could did do does doing down during each few for from further had
has have having he her here hers him his how i if in into is it its itself just may me might more most must my no nor
not now of off on once only or other our ours out over own per same shall she should so some such than that the their
theirs them then there these they this those through to too under until up upon very was we were what when where
which while who whom why will with within without would you your yours`) {
		set[w] = true
	}
	return set
}()
