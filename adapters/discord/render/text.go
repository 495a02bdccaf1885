package render

import (
	"strings"
	"unicode/utf16"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
)

// These are the maximum length of a thread's name, in UTF-16 code units, and the default name.
// Discord's limit is 100.
const (
	maxTitle     = 90
	defaultTitle = "Question"
)

// Title returns a thread's name for a question. It is the first line without Markdown, cut between
// words.
func Title(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text = answer.Line(strings.Map(func(r rune) rune {
		if strings.ContainsRune("*_~|`>#", r) {
			return -1
		}
		return r
	}, text))
	if text == "" {
		return defaultTitle
	}
	return shorten(text, maxTitle)
}

// shorten cuts a text to at most the given number of UTF-16 units, and ends it with "…". It cuts
// between words, unless that would remove half of the text.
func shorten(text string, most int) string {
	if Units(text) <= most {
		return text
	}
	cut, length, space := 0, 0, 0
	for rest := text; rest != ""; {
		size := answer.Cluster(rest) // a visible character is cut as a whole
		if rest[0] == ' ' {
			space = cut
		}
		if length += Units(rest[:size]); length > most-1 {
			break
		}
		cut += size
		rest = rest[size:]
	}
	if space > cut/2 {
		cut = space
	}
	return strings.TrimSpace(text[:cut]) + "…"
}

// Messages formats Markdown as one or more messages for one person. The Markdown must not contain
// citations.
func Messages(markdown string) []string {
	var texts []string
	for _, p := range answer.Parse(markdown).Pages(dialect{}, answer.Policy{}, answer.UTF16Count, pageLimit) {
		texts = append(texts, p.Text)
	}
	if len(texts) == 0 {
		return []string{"…"}
	}
	return texts
}

// Units returns the length of a text in UTF-16 units, as Discord counts it.
func Units(text string) int {
	n := 0
	for _, r := range text {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
