// Package hostiletest generates texts that are slow to parse or render. It checks that the cost of
// each text is linear in its length.
package hostiletest

import (
	"fmt"
	"iter"
	"strings"
)

// Text is a hostile text. Its name says how it is generated.
type Text struct{ Name, Text string }

var tokens = []string{
	"a", "x ", " ", "\n", "\n\n", "\t", "\\", "\\\n", "é", "e\u0301", "日本", "👩‍👩‍👧", "\u200b", "\r", "\r\n",
	"*", "**", "_", "~~", "*a ", "a* _b", "**x", "x**", "*a*", "*x_", "_*a", "*_~", "_ _ ",
	"`", "``", "```\n", "~~~\n", "`a``", "> ```\n", "- ```\n",
	"[", "]", "![", "](", "[a](", "[](", "[a](b \"", "](<", "[a]", "[a][b", "[[1]](", "[^1", "[a]: b\n", "[1]", "(", ")", "[x](https://a.example) ",
	"<", "<x ", "<a href='", "<a b=\"", "</a ", "<b>", "<!--", "<?", "<![CDATA[", "<!A", "<http:", "<a@b", "<div>\n", "<br>", "<p", "<pre>",
	"&", "&amp;", "&#x", "&a", "&#60;", ";",
	"http://a.b/(", "https://a.example/x ", "www.a", "www.", "http://", "://", "a@b", "a.b@c.de ", "@", "@here", "<@U1> ", "@everyone ",
	"> ", ">", "- ", "* ", "1. ", "1)", "  - a\n", "- a\n", "- [ ] ", "> a\n", "# ", "# a\n", "#", "---\n", "===\n", "    a\n",
	"|", "|\n", "| a | b |", "|a|\n", "|-|\n", "|a|\n|-|\n", "a|b\n-|-\n", "\\|", ":-:|", "$$", "\\(", "\\[", "{#a}", "{", ". ", "! A", "1. A ",
}

// One yields about a hundred hostile texts of about size bytes. Each repeats a piece of markup, or
// nests it.
func One(size int) iter.Seq[Text] {
	return func(yield func(Text) bool) {
		for _, token := range tokens {
			if !yield(Text{fmt.Sprintf("%q repeated", token), fill(token, size)}) {
				return
			}
		}
		for _, text := range made(size) {
			if !yield(text) {
				return
			}
		}
	}
}

// All yields the texts of [One] and tens of thousands more. These combine all pairs of pieces, and
// put pieces into tables, lists, links and code.
func All(size int) iter.Seq[Text] {
	return func(yield func(Text) bool) {
		for text := range One(size) {
			if !yield(text) {
				return
			}
		}
		for _, a := range tokens {
			for _, text := range within(a, size) {
				if !yield(text) {
					return
				}
			}
			for _, b := range tokens {
				if a != b && (!yield(Text{fmt.Sprintf("%q repeated", a+b), fill(a+b, size)}) ||
					!yield(Text{fmt.Sprintf("%q repeated, then %q", a, b), fill(a, size/2) + fill(b, size/2)})) {
					return
				}
			}
		}
	}
}

// Few yields the slowest texts of [One].
func Few(size int) iter.Seq[Text] {
	return func(yield func(Text) bool) {
		for _, token := range []string{"<x ", "*a ", "*x_", "| a | b |", "<a href='", "[a](", "&#60;", "- ```\n", "|\n", "a@b", "http://a.b/(", "> "} {
			if !yield(Text{fmt.Sprintf("%q repeated", token), fill(token, size)}) {
				return
			}
		}
		for _, text := range made(size) {
			if !yield(text) {
				return
			}
		}
	}
}

func within(token string, size int) []Text {
	word := strings.TrimRight(token, "\n")
	lines := func(name, head, before, after string) Text {
		return Text{fmt.Sprintf("%q in %s", token, name), head + fill(before+word+after+"\n", size-len(head))}
	}
	long := func(name, before, after string) Text {
		return Text{fmt.Sprintf("%q in %s", token, name), before + fill(word, size-len(before)-len(after)) + after}
	}
	return []Text{
		lines("cells", "| a | b |\n|---|---|\n", "| ", " | b |"), lines("short rows", "|"+strings.Repeat("a|", 50)+"\n|"+strings.Repeat("-|", 50)+"\n", "|", ""),
		lines("items", "", "- ", ""), lines("numbered items", "", "1. ", ""), lines("quotations", "", "> ", ""), lines("headings", "", "## ", ""),
		lines("nested items", "", "  - ", ""), lines("quoted items", "", "> - ", ""), lines("code", "```\n", "", ""), lines("indented code", "", "    ", ""),
		lines("paragraphs", "", "", "\n"), lines("addresses", "", "https://a.example/", " "), lines("links", "", "[a", "](https://a.example)"),
		long("a label", "[", "](https://a.example)"), long("a target", "[a](", ")"), long("bold", "**", "**"), long("a code span", "`", "`"),
		long("a tag", "<a href=\"", "\">"), long("an item", "- ", ""), long("a heading", "# ", ""), long("a quotation", "> ", ""), long("a cell", "| a |\n|---|\n| ", " |"),
	}
}

func made(size int) []Text {
	nested := func(open, end string) string {
		n := size / (len(open) + len(end))
		return strings.Repeat(open, n) + strings.Repeat(end, n)
	}
	var steps, definitions, rows strings.Builder
	for i := 0; steps.Len() < size; i++ {
		steps.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	for i := 0; definitions.Len() < size/2; i++ {
		fmt.Fprintf(&definitions, "[l%d]: https://a.example/%d\n", i, i)
	}
	definitions.WriteString("\n")
	for i := 0; definitions.Len() < size; i++ {
		fmt.Fprintf(&definitions, "[l%d] ", i)
	}
	rows.WriteString("| " + strings.Repeat("name ", 12) + "|\n|---|\n")
	for rows.Len() < size {
		rows.WriteString("|a|\n")
	}
	return []Text{
		{"a table whose rows lack all cells", EmptyRows(size)},
		{"many tables whose rows lack all cells", fill("|"+strings.Repeat("a|", 16)+"\n|"+strings.Repeat("-|", 16)+"\n"+strings.Repeat("|\n", 40)+"\n", size)},
		{"a table with a long name above short cells", rows.String()},
		{"nested brackets", nested("[", "]")}, {"nested links", nested("[", "](a)")}, {"nested images", nested("![", "](a)")}, {"nested stars", nested("*a", "a*")},
		{"nested styles", nested("*a **b ~~c ", "~~ ** *")}, {"nested tags", nested("<b>", "</b>")}, {"nested elements", nested("<div>", "</div>")},
		{"nested items line by line", steps.String()}, {"nested items, then empty lines", fill("- ", size/2) + "a" + fill("\n", size/2)},
		{"nested quotations, then lines", fill("> ", size/4) + "a\n" + fill("> b\n", size/2)},
		{"definitions and uses", definitions.String()}, {"backticks of all lengths", backticks(size)},
		{"lines that a citation begins", fill("|-|\n[1]", size)},
		{"one word", strings.Repeat("a", size)}, {"one long fence", strings.Repeat("`", size/2) + "\n" + fill("a\n", size/2)},
	}
}

func backticks(size int) string {
	var b strings.Builder
	for i := 1; b.Len() < size; i++ {
		b.WriteString(strings.Repeat("`", i) + "a")
	}
	return b.String()
}

func fill(token string, size int) string {
	if token == "" {
		token = "a"
	}
	return strings.Repeat(token, max(0, size)/len(token)+1)
}
