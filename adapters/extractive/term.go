package extractive

import "strings"

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

// termOf returns what a paragraph or an item explains, in Markdown: the term of a definition list, with the other ones that have the same explanation, or
// the option under whose heading it stands. It is empty when it explains none, or names it itself.
func termOf(part *part, at int, text string) string {
	p := &part.pieces[at]
	if p.kind == item && p.term != "" {
		terms := inText(p.term)
		for i := at - 1; i >= 0 && terms != "" && part.pieces[i].kind == item && option(p.term) && option(part.pieces[i].text) && !strings.Contains(part.pieces[i].text, "\n"); i-- {
			other := inText(part.pieces[i].text)
			if other == "" || len(other) > maxTermBytes {
				break
			}
			terms = other + ", " + terms
		}
		return terms
	}
	if !option(p.section) || len(p.section) > maxTermBytes || strings.Contains(strings.ReplaceAll(text, "`", ""), strings.Trim(p.section, "`")) {
		return ""
	}
	return inText(p.section)
}
