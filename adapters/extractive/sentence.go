package extractive

import (
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/core/document"
)

// sentences cuts running text. White space runs become one space; code spans are never cut.
func sentences(text string) []string {
	text = strings.Join(strings.Fields(text), " ")
	var out []string
	start, at := 0, 0
	for _, length := range document.Sentences(text) {
		if at += length; strings.Count(text[start:at], "`")%2 > 0 && strings.Contains(text[at:], "`") {
			continue
		}
		out, start = append(out, strings.TrimSpace(text[start:at])), at
	}
	return out
}

// skipSpan returns the end of the code span that begins at i, or of its backticks when nothing closes it.
func skipSpan(text string, i int) int {
	run := i
	for run < len(text) && text[run] == '`' {
		run++
	}
	mark := text[i:run]
	for at := run; at < len(text); {
		next := strings.Index(text[at:], mark)
		if next < 0 {
			return run
		}
		from := at + next
		to := from
		for to < len(text) && text[to] == '`' {
			to++
		}
		if to-from == len(mark) {
			return to
		}
		at = to
	}
	return run
}

// sound reports whether a quotation can stand in Markdown next to others: what it opens, it closes. Otherwise a citation behind it
// could end up inside a code span or a link.
func sound(s string) bool {
	if strings.HasSuffix(s, `\`) || strings.ContainsAny(s, "【［\x00") || strings.Contains(s, "$$") || strings.Contains(s, `\(`) || strings.Contains(s, `\[`) {
		return false
	}
	depth, round := 0, 0
	for i := 0; i < len(s); {
		switch s[i] {
		case '\\':
			i += 2
			continue
		case '`':
			end := skipSpan(s, i)
			if strings.Trim(s[i:end], "`") == "" {
				return false // never closed
			}
			i = end
			continue
		case '<':
			if end := placeholder(s, i); end > i {
				i = end
				continue
			}
			// Raw HTML may swallow what follows; comparisons have a space or a digit behind the sign.
			if i+1 < len(s) && (s[i+1] == '/' || s[i+1] == '!' || s[i+1] == '?' || unicode.IsLetter(rune(s[i+1]))) {
				return false
			}
		case '[':
			depth++
		case ']':
			depth--
		case '(':
			round++
		case ')':
			round--
		}
		if depth < 0 {
			return false
		}
		i++
	}
	return depth == 0 && round == 0 && strings.Count(s, "**")%2 == 0
}
