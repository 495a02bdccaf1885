package cite

import (
	"regexp"
	"strings"
)

// Protect makes foreign text safe next to other Markdown. It escapes numbers in brackets, because
// they would look like citations, and writes placeholders such as <file> as code. sound is false if
// the text leaves markup open, such as a code span.
func Protect(text string) (protected string, sound bool) {
	var b strings.Builder
	square := 0
	sound = text != "" && !strings.HasSuffix(text, `\`) && !unsound.MatchString(text) && strings.Count(text, "**")%2 == 0
	for i := 0; i < len(text); {
		end := i + 1
		switch rest := text[i:]; text[i] {
		case '\\':
			end = min(i+2, len(text))
		case '`':
			end = skipSpan(text, i)
			span := text[i:end]
			// Platforms end a span at a line end, so a number after it would be a citation.
			sound = sound && strings.Trim(span, "`") != "" && !(strings.Contains(span, "\n") && strings.Contains(span, "["))
		case '<':
			value := placeholder.FindString(rest)
			if value != "" && (i == 0 || text[i-1] != '`') && !strings.HasPrefix(rest[len(value):], "`") {
				b.WriteString("`" + value + "`")
				i += len(value)
				continue
			}
			sound = sound && !markup.MatchString(rest)
		case '[':
			square++
			if ownNumber.MatchString(rest) {
				b.WriteByte('\\')
			}
		case ']':
			square--
		}
		sound = sound && square >= 0
		b.WriteString(text[i:end])
		i = end
	}
	return b.String(), sound && square == 0
}

var (
	unsound     = regexp.MustCompile("[【［\x00]|\\$\\$|\\\\\\(|\\\\\\[|\\[\\[|```|~~~")
	ownNumber   = regexp.MustCompile(`^\[\s*\d+(?:\s*[,–-]\s*\d+)*\s*\]`)
	placeholder = regexp.MustCompile(`^<[A-Za-z][\w/|.-]{0,40}>`)
	markup      = regexp.MustCompile(`^<[/!?\pL]`)
)

// skipSpan returns the end of the code span at i. If the span is not closed, it returns the end of
// its opening backticks.
func skipSpan(text string, i int) int {
	run := i
	for run < len(text) && text[run] == '`' {
		run++
	}
	for at := run; at < len(text); at++ {
		from := at
		for at < len(text) && text[at] == '`' {
			at++
		}
		if at-from == run-i {
			return at
		}
	}
	return run
}
