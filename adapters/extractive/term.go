package extractive

import (
	"regexp"
	"slices"
	"strings"
)

// optionMark begins the option of a command.
const optionMark = "-"

// inText returns a name or a term as it can stand in a line of Markdown: an option, such as
// "--level <n>", as code. It is empty where there is no such form.
func inText(term string) string {
	term = strings.TrimSpace(term)
	plain := strings.TrimSpace(strings.ReplaceAll(term, "`", ""))
	if sound(term) && !startsBlock(term) && !strings.Contains(term, "<") && (strings.Contains(term, "`") || !option(term)) {
		return term
	}
	if strings.ContainsAny(term, "\n\\【［\x00") || plain == "" {
		return ""
	}
	return "`" + plain + "`"
}

func option(term string) bool { return strings.HasPrefix(strings.TrimLeft(term, "`"), optionMark) }

// aliases returns the other names of the option that an item explains: each stands in an item of its own before it, which has no explanation.
func aliases(before []piece, b block) []string {
	var out []string
	for i := len(before) - 1; b.kind == item && option(b.term) && i >= 0 && len(out) < maxAliases; i-- {
		name := before[i].text
		if before[i].kind != item || !option(name) || len(name) > maxTermBytes || strings.Contains(name, "\n") {
			break
		}
		out = append(out, name)
	}
	slices.Reverse(out)
	return out
}

const maxAliases = 8

// termOf returns what a paragraph or an item explains, in Markdown: the term of a definition list, with the other ones that have the same explanation, or
// the option under whose heading it stands. It is empty when it explains none, or names it itself.
func termOf(part *part, at int, text string) string {
	p := &part.pieces[at]
	if p.kind == item && p.term != "" {
		var terms []string
		for _, name := range append(p.aliases[:len(p.aliases):len(p.aliases)], p.term) {
			if name = inText(name); name != "" {
				terms = append(terms, name)
			}
		}
		return strings.Join(terms, ", ")
	}
	if !option(p.section) || len(p.section) > maxTermBytes || strings.Contains(strings.ReplaceAll(text, "`", ""), strings.Trim(p.section, "`")) {
		return ""
	}
	return inText(p.section)
}

var placeholderHere = regexp.MustCompile(`^<[A-Za-z][\w/|.-]{0,40}>`)

// placeholder returns the end of what stands for a value at text[i:], such as <file>, or i where there is none. It is written as code, which it cannot be
// beside a code span.
func placeholder(text string, i int) int {
	length := len(placeholderHere.FindString(text[i:]))
	if length == 0 || i > 0 && (text[i-1] == '`' || text[i-1] == '\\') || i+length < len(text) && text[i+length] == '`' {
		return i
	}
	return i + length
}

// writePlaceholders writes text that has no code span, each placeholder as code. More of the text stands before it and behind it.
func writePlaceholders(b *strings.Builder, text string, from, to int) {
	start := from
	for i := from; i < to; i++ {
		if text[i] != '<' {
			continue
		}
		if end := placeholder(text, i); end > i && end <= to {
			b.WriteString(withNumbers(text[start:i]))
			b.WriteString("`" + text[i:end] + "`")
			start, i = end, end-1
		}
	}
	b.WriteString(withNumbers(text[start:to]))
}
