package answer

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/cite"
)

// Standard is the dialect of readers of CommonMark with tables. It knows no mentions and no limits
// of a platform: a platform that has them embeds it.
type Standard struct{}

var _ Dialect = Standard{}

// Traits implements [Dialect].
func (Standard) Traits() Traits { return Traits{} }

// Neutral implements [Dialect].
func (Standard) Neutral(text string) string { return text }

// NeutralCode implements [Dialect].
func (Standard) NeutralCode(code string) string { return code }

// Word implements [Dialect]. It escapes as few characters as possible, so that a copied word is
// correct.
func (Standard) Word(word string, at Place) string {
	if PlainWord(word) {
		return word
	}
	var b strings.Builder
	if at.LineStart {
		// The text after a word may not be known yet, so the end of the word counts as a
		// punctuation mark.
		mark := 0
		if m := ordered.FindString(word); m != "" {
			mark = len(m) - 1
		}
		next, _ := utf8.DecodeRuneInString(word[mark+1:])
		if mark > 0 && !Letter(next) || strings.IndexByte("+-=#", word[0]) >= 0 && !Letter(next) || word[0] == '|' || word[0] == '[' {
			b.WriteString(word[:mark] + `\` + word[mark:mark+1])
			at.LineStart, at.Before = false, rune(word[mark])
			word = word[mark+1:]
		}
	}
	for i := 0; i < len(word); i++ {
		c := word[i]
		before, after := at.Around(word, i, 1)
		escape := false
		switch c {
		case '\\':
			escape = after == 0 || after < utf8.RuneSelf && !Letter(after)
		case '*', '`':
			escape = true
		case '_':
			escape = !Letter(before) || !Letter(after)
		case '~':
			escape = before != 0 || !Letter(after)
		case '[':
			escape = at.Label || before == '!'
		case ']':
			escape = at.Label || after == '('
		case '|':
			escape = at.Cell
		case '<':
			if !unicode.IsDigit(after) && after != '=' && after != '-' {
				b.WriteString("&lt;")
				continue
			}
		case '>':
			if i == 0 && at.LineStart {
				b.WriteString("&gt;")
				continue
			}
		case '&':
			if m := reference.FindString(word[i:]); m != "" && (m[len(m)-1] == ';' || continues(at.After)) {
				b.WriteString("&amp;")
				continue
			}
		}
		if escape {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

var (
	ordered   = regexp.MustCompile(`^[0-9]{1,9}[.)]`)
	reference = regexp.MustCompile(`^&#?[0-9A-Za-z]+(;|$)`)
)

// continues reports whether a word that ends in an incomplete character reference is followed by a
// character that can continue the reference.
func continues(after rune) bool {
	return after == '#' || after == ';' || after < utf8.RuneSelf && Letter(after)
}

// PlainWord reports whether a word contains no special characters, whatever its position in the
// text.
func PlainWord(word string) bool {
	for i := 0; i < len(word); i++ {
		c := word[i]
		if c < utf8.RuneSelf && !(c|0x20 >= 'a' && c|0x20 <= 'z') && (i == 0 || c != ',' && (i+1 < len(word) || c != '.')) {
			return false
		}
	}
	return true
}

// Style implements [Dialect].
func (Standard) Style(s Style) string { return s.Mark() }

// maxRun is the maximum number of consecutive backticks that stay unchanged inside code.
const maxRun = 3

// CodeSpan implements [Dialect].
func (Standard) CodeSpan(code string) string {
	run, longest := 0, 0
	var b strings.Builder
	for i := 0; i < len(code); i++ {
		if code[i] != '`' {
			run = 0
		} else if run++; run > maxRun {
			b.WriteString(Gap)
			run = 1
		}
		longest = max(longest, run)
		b.WriteByte(code[i])
	}
	code = b.String()
	mark := strings.Repeat("`", longest+1)
	edge := code[0] == '`' || code[len(code)-1] == '`' || code[0] == ' ' && code[len(code)-1] == ' ' && strings.Trim(code, " ") != ""
	if edge {
		code = " " + code + " "
	}
	return mark + code + mark
}

// CodeLine implements [Dialect].
func (Standard) CodeLine(line string, fence int) string {
	rest := strings.TrimLeft(line, " ")
	if strings.HasPrefix(rest, strings.Repeat("`", max(fence, 3))) {
		return line[:len(line)-len(rest)] + Gap + rest
	}
	return line
}

// maxFence is the maximum length of a fence. Longer fences are shortened, and the code inside is
// changed so that it cannot end the fence.
const maxFence = 8

// Fence implements [Dialect].
func (Standard) Fence(language string, fence int) (open, end string) {
	end = strings.Repeat("`", min(max(fence, 3), maxFence))
	return end + Language(language), end
}

// Link implements [Dialect].
func (Standard) Link(label, raw string) string {
	to, ok := cite.LinkURL(raw)
	if !ok || strings.HasPrefix(strings.ToLower(to), "file:") {
		return ""
	}
	return "[" + label + "](" + to + ")"
}

// Footnote implements [Dialect].
func (Standard) Footnote(number int, raw string) string {
	return "[[" + strconv.Itoa(number) + "]](" + raw + ")"
}

// Heading implements [Dialect].
func (Standard) Heading(level int, _ bool) (string, Style) {
	return strings.Repeat("#", level) + " ", 0
}

// Marker implements [Dialect].
func (Standard) Marker(list, item *Block, number int, alternate bool) string {
	mark := "- "
	switch {
	case list.Ordered && alternate:
		mark = strconv.Itoa(number) + ") "
	case list.Ordered:
		mark = strconv.Itoa(number) + ". "
	case alternate:
		mark = "* "
	}
	switch item.Task {
	case TaskOpen:
		mark += "[ ] "
	case TaskDone:
		mark += "[x] "
	case NoTask:
	}
	return mark
}

const maxQuotes = 3

// Quote implements [Dialect].
func (Standard) Quote(depth int) string {
	if depth > maxQuotes {
		return ""
	}
	return "> "
}

// Rule implements [Dialect].
func (Standard) Rule() string { return "---" }

// Table implements [Dialect].
func (Standard) Table(t *Block, cell func([]Inline) string, _ int) (Grid, bool) {
	return PipeTable(t, cell), true
}
