package analyse

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultLanguage is assumed for a text whose language cannot be determined. Every question is also
// analysed in it.
const DefaultLanguage = "en"

type language struct {
	name  string
	stops map[string]bool
	stem  stemFunc
	pool  *stemmerPool // nil if there is no stemmer
}

// guessable are the languages that Guess distinguishes by stop words. The default language is the
// first.
var guessable = []string{"en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "tr", "hu", "ro"}

var languages = func() map[string]language {
	all := make(map[string]language)
	for _, name := range append(slices.Clone(guessable), "ru", "ar", "ga", "ta") {
		all[name] = language{name: name, stops: set(stopWords(name)), stem: algorithm(name), pool: new(stemmerPool)}
	}
	return all
}()

// languageOf returns the language of a tag such as "de", "de-AT" or "nb". An empty tag means
// DefaultLanguage. An unsupported language, such as Chinese, has neither stop words nor a stemmer.
func languageOf(tag string) language {
	name, _, _ := strings.Cut(strings.ToLower(tag), "-")
	switch name {
	case "":
		name = DefaultLanguage
	case "nb", "nn":
		name = "no"
	}
	if l, found := languages[name]; found {
		return l
	}
	return language{name: name}
}

const guessWords = 200

// smallWords maps each stop word to a bit set. Bit i is set if it is a stop word of guessable[i].
var smallWords = func() map[string]uint32 {
	all := make(map[string]uint32)
	for i, name := range guessable {
		for w := range languages[name].stops {
			all[w] |= 1 << i
		}
	}
	return all
}()

// Guess returns the language of a text. It uses the script or, for Latin script, the stop words. It
// returns DefaultLanguage if the text is too short.
func Guess(text string) string {
	text = text[:min(len(text), 16*guessWords)]
	if name := scriptLanguage(text); name != "" {
		return name
	}
	hits, different := make([]int, len(guessable)), make([]int, len(guessable))
	seen := make(map[string]bool)
	n := 0
	for field := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if n++; n > guessWords {
			break
		}
		w := lower(field)
		// single letters are names in formulas and programs
		if _, size := utf8.DecodeRuneInString(w); size == len(w) {
			continue
		}
		again := seen[w]
		seen[w] = true
		for found := smallWords[w]; found != 0; found &= found - 1 {
			i := bits.TrailingZeros32(found)
			hits[i]++
			if !again {
				different[i]++
			}
		}
	}
	best := 0
	for i := range hits {
		if hits[i] > hits[best] {
			best = i
		}
	}
	// A third of the words of running text are stop words. Tables and lists may have none, and
	// programs use some as names.
	if different[best] < 3 || hits[best]*20 < n {
		return DefaultLanguage
	}
	return guessable[best]
}

// scriptLanguage returns the language of a text if most of the text is in a script of only one
// language. Otherwise it returns "".
func scriptLanguage(text string) string {
	var letters, cyrillic, arabic, tamil, kana, han, hangul int
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		switch {
		case r < 0x0400:
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		case unicode.Is(unicode.Arabic, r):
			arabic++
		case unicode.Is(unicode.Tamil, r):
			tamil++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.Is(unicode.Hangul, r):
			hangul++
		}
	}
	half := letters / 2
	switch {
	case letters == 0:
		return ""
	case cyrillic > half:
		return "ru"
	case arabic > half:
		return "ar"
	case tamil > half:
		return "ta"
	case hangul > half:
		return "ko"
	case kana+han > half && kana*10 > han:
		return "ja"
	case han > half:
		return "zh"
	}
	return ""
}
