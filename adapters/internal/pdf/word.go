package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// words is the set of all words in a file that do not cross a line break. With it, joinLines
// decides whether a hyphen at the end of a line belongs to the word.
type words map[string]struct{}

func (w words) collect(line string) {
	fields := strings.Fields(line)
	if len(fields) > 0 && hyphenated(line) {
		fields = fields[:len(fields)-1]
	}
	for _, f := range fields {
		w[bare(f)] = struct{}{}
	}
}

func (w words) has(word string) bool {
	_, ok := w[bare(word)]
	return ok
}

func bare(word string) string {
	return strings.ToLower(strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

func hyphenated(line string) bool {
	last, size := utf8.DecodeLastRuneInString(line)
	if last != '-' && last != '\u00AD' && last != '\u2010' {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(line[:len(line)-size])
	return unicode.IsLetter(before)
}

// joinLines appends a line to text. If text ends in a hyphenated word, it removes the hyphen,
// unless the hyphen belongs to the word.
func joinLines(text, line string, known words) string {
	return string(appendLine([]byte(text), line, known))
}

// longestWord is the maximum length in bytes of the part of a word before a hyphen.
const longestWord = 100

// appendLine is like joinLines for a buffer, so that joining many lines takes linear time.
func appendLine(text []byte, line string, known words) []byte {
	line = strings.TrimSpace(line)
	if len(text) == 0 || line == "" {
		return append(text, line...)
	}
	first, _ := utf8.DecodeRuneInString(line)
	if tail := string(text[max(0, len(text)-2*utf8.UTFMax):]); !hyphenated(tail) {
		last, _ := utf8.DecodeLastRune(text)
		if !ideographic(last) || !ideographic(first) {
			text = append(text, ' ')
		}
		return append(text, line...)
	}
	_, size := utf8.DecodeLastRune(text)
	head := text[:len(text)-size]
	if !unicode.IsLetter(first) {
		return append(append(head, '-'), line...)
	}
	left := string(head[max(0, len(head)-longestWord):])
	left = left[strings.LastIndexFunc(left, unicode.IsSpace)+1:]
	right, _, _ := strings.Cut(line, " ")
	upper := unicode.IsUpper(first) && !unicode.IsUpper(firstRune(left)) // "non-\nEnglish"
	switch {
	case known.has(left + right):
	case known.has(left + "-" + right), upper, strings.ContainsAny(left, "-/_0123456789"):
		head = append(head, '-')
	}
	return append(head, line...)
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// ideographic reports whether a character belongs to a script without spaces between words.
func ideographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF
}
