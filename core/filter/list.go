package filter

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// List is a block list of words, phrases and patterns. Words and phrases match only as a whole.
// Case and white space do not matter. Patterns are regular expressions in Go's syntax (RE2) and
// match within a paragraph.
//
// All entries match the text that a reader sees, without emphasis, code marks, invisible characters
// and citations. A List is immutable and safe for concurrent use.
type List struct {
	words    map[rune][][]rune // by their first character, in lower case
	patterns []*regexp.Regexp
	longest  int // maximum length of a match in bytes, or unbounded
}

const (
	maxSpaces = 8       // maximum number of white space characters between two words of a phrase
	maxMatch  = 4 << 10 // maximum length of a match in bytes; above it, a pattern is unbounded
	unbounded = -1
)

// NewList compiles words, phrases and regular expressions to a list. Its error joins the faults of
// all entries, each a sentence that begins with the entry.
func NewList(words, patterns []string) (*List, error) {
	l := &List{words: make(map[rune][][]rune)}
	var faults []error
	for _, w := range words {
		runes := []rune(strings.Join(strings.Fields(project(fold(w), true).text), " "))
		if len(runes) == 0 {
			faults = append(faults, fmt.Errorf("%q holds nothing that can be found: write a word", w))
			continue
		}
		l.words[runes[0]] = append(l.words[runes[0]], runes)
		l.extendLongest(utf8.UTFMax * (len(runes) + maxSpaces*strings.Count(string(runes), " ")))
	}
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			text := err.Error()
			var fault *syntax.Error
			if errors.As(err, &fault) {
				text = fault.Code.String()
			}
			faults = append(faults, fmt.Errorf("%q is not a regular expression: %s", p, text))
			continue
		}
		if re.MatchString("") {
			faults = append(faults, fmt.Errorf("%q matches the empty text, and so everything: write what must stand there", p))
			continue
		}
		parsed, err := syntax.Parse(p, syntax.Perl)
		if err != nil { // it was compiled from the same
			faults = append(faults, err)
			continue
		}
		l.patterns = append(l.patterns, re)
		l.extendLongest(maxMatchLength(parsed))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *List) extendLongest(n int) {
	switch {
	case l.longest == unbounded:
	case n == unbounded || n > maxMatch:
		l.longest = unbounded
	default:
		l.longest = max(l.longest, n)
	}
}

func maxMatchLength(re *syntax.Regexp) int {
	sum := func(times int, each func(a, b int) int) int {
		n := 0
		for _, sub := range re.Sub {
			s := maxMatchLength(sub)
			if s == unbounded {
				return unbounded
			}
			n = each(n, s)
		}
		return n * times
	}
	add := func(a, b int) int { return a + b }
	switch re.Op {
	case syntax.OpLiteral:
		return utf8.UTFMax * len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax
	case syntax.OpStar, syntax.OpPlus:
		return unbounded
	case syntax.OpRepeat:
		if re.Max < 0 {
			return unbounded
		}
		return sum(re.Max, add)
	case syntax.OpAlternate:
		return sum(1, func(a, b int) int { return max(a, b) })
	default:
		return sum(1, add)
	}
}

// Match reports whether a text contains an entry of the list.
func (l *List) Match(text string) bool {
	return len(l.find(project(text, true))) > 0
}

// Redact returns the text with each character of a match replaced by "█".
func (l *List) Redact(text string) string {
	p := project(text, true)
	return p.mask(text, 0, len(text), l.find(p))
}

// match is the byte range of a match in [projection].text.
type match struct{ from, to int }

func (l *List) find(p projection) []match {
	var found []match
	for _, re := range l.patterns {
		for _, at := range re.FindAllStringIndex(p.text, -1) {
			if at[1] > at[0] {
				found = append(found, match{at[0], at[1]})
			}
		}
	}
	if len(l.words) > 0 {
		found = l.findWords(p, found)
	}
	return found
}

func (l *List) findWords(p projection, found []match) []match {
	before := rune(-1)
	for i, r := range p.text {
		if candidates := l.words[foldRune(r)]; candidates != nil && (p.gaps[i] || !isWord(r) || !isWord(before)) {
			longest := 0
			for _, word := range candidates {
				longest = max(longest, p.prefix(i, word))
			}
			if longest > 0 {
				found = append(found, match{i, i + longest})
			}
		}
		before = r
	}
	return found
}

func (p projection) prefix(at int, word []rune) int {
	text, n := p.text[at:], 0
	for _, w := range word {
		r, size := utf8.DecodeRuneInString(text[n:])
		switch {
		case size == 0:
			return 0
		case w == ' ':
			spaces := 0
			for ; size > 0 && unicode.IsSpace(r) && spaces < maxSpaces; spaces++ {
				n += size
				r, size = utf8.DecodeRuneInString(text[n:])
			}
			if spaces == 0 {
				return 0
			}
		case foldRune(r) != w:
			return 0
		default:
			n += size
		}
	}
	if next, size := utf8.DecodeRuneInString(text[n:]); size > 0 && isWord(next) && isWord(word[len(word)-1]) && !p.gaps[at+n] {
		return 0
	}
	return n
}

func isWord(r rune) bool {
	return r >= 0 && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// fold maps letters that differ only in case to the same letter.
func fold(text string) string { return strings.Map(foldRune, text) }

func foldRune(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return unicode.ToLower(least)
}

const masked = "█"

// mask returns raw[from:to] with all matches masked. It does not mask white space and characters
// that a reader does not see.
func (p projection) mask(raw string, from, to int, found []match) string {
	slices.SortFunc(found, func(a, b match) int { return a.from - b.from })
	var b strings.Builder
	done, covered := from, 0 // offsets in raw and in p.text
	for _, m := range found {
		for k := max(m.from, covered); k < m.to; {
			r, size := utf8.DecodeRuneInString(p.text[k:])
			if at := p.at[k]; at >= done && at < to && !unicode.IsSpace(r) {
				b.WriteString(raw[done:at])
				b.WriteString(masked)
				done = at + size
			}
			k += size
		}
		covered = max(covered, m.to)
	}
	b.WriteString(raw[done:max(done, to)])
	return b.String()
}
