package extractive

import (
	"slices"
	"strings"
)

// optionMark begins the option of a command.
const optionMark = "-"

// inText returns a name or a term as it can stand in a line of Markdown: an option, such as "--level <n>", as code. It is empty where there is no such form.
func inText(term string) string {
	plain := strings.ReplaceAll(term, "`", "")
	if sound(term) && !startsBlock(term) && (plain != term || !option(term)) {
		return term
	}
	if strings.ContainsAny(term, "\n\\【［\x00") || strings.TrimSpace(plain) == "" {
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
