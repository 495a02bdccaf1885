package render

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
)

// dialect writes Discord's Markdown. This Markdown has no tables, rules or images. It has three
// heading sizes and one level of quotations.
type dialect struct{}

var _ answer.Dialect = dialect{}

func (dialect) Traits() answer.Traits {
	return answer.Traits{FlatCode: true, TightHeadings: true}
}

func (dialect) Neutral(s string) string { return neutral(s) }

func (dialect) NeutralCode(s string) string { return neutralCode(s) }

func (dialect) Word(word string, at answer.Place) string { return escapeWord(word, at) }

func (dialect) Style(s answer.Style) string { return s.Mark() }

// CodeSpan writes code in single backticks. It uses double backticks if the code contains a single
// backtick. It separates longer runs of backticks in the code.
func (dialect) CodeSpan(code string) string {
	if !strings.Contains(code, "`") {
		return "`" + code + "`"
	}
	code = strings.ReplaceAll(code, "``", "`"+gap+"`")
	code = strings.ReplaceAll(code, "``", "`"+gap+"`")
	if code[0] == '`' {
		code = " " + code
	}
	if code[len(code)-1] == '`' {
		code += " "
	}
	return "``" + code + "``"
}

func (dialect) CodeLine(line string, _ int) string {
	return strings.ReplaceAll(line, "```", "`"+gap+"`"+gap+"`")
}

func (dialect) Fence(language string, _ int) (open, end string) {
	return "```" + answer.Language(language), "```"
}

func (dialect) Link(label, raw string) string {
	to, ok := address(raw)
	if !ok {
		return ""
	}
	if strings.Contains(label, "://") || strings.HasPrefix(label, "www.") || strings.Contains(label, ":"+gap+"//") {
		// Discord does not link a label that looks like an address.
		if written.Replace(label) == written.Replace(raw) {
			return "<" + to + ">"
		}
		return label + " (<" + to + ">)"
	}
	return "[" + label + "](<" + to + ">)"
}

var written = strings.NewReplacer(gap, "", `\`, "")

func (dialect) Footnote(number int, raw string) string {
	to, ok := address(raw)
	if !ok {
		return "[" + strconv.Itoa(number) + "]"
	}
	return "[[" + strconv.Itoa(number) + "]](<" + to + ">)"
}

const maxHeading = 3

func (dialect) Heading(level int, nested bool) (string, answer.Style) {
	if nested || level > maxHeading {
		return "", answer.Bold
	}
	return strings.Repeat("#", level) + " ", 0
}

func (dialect) Marker(list, item *answer.Block, number int, _ bool) string {
	mark := "- "
	if list.Ordered {
		mark = strconv.Itoa(number) + ". "
	}
	switch item.Task {
	case answer.TaskOpen:
		mark += "☐ "
	case answer.TaskDone:
		mark += "☑ "
	case answer.NoTask:
	}
	return mark
}

func (dialect) Quote(depth int) string {
	if depth > 1 {
		return ""
	}
	return "> "
}

func (dialect) Rule() string { return "──────────" }

// maxTableWidth is the number of characters per line of code that fit in a narrow window.
const maxTableWidth = 56

func (dialect) Table(t *answer.Block, _ func([]answer.Inline) string, width int) (answer.Grid, bool) {
	lines, ok := answer.AlignedTable(t, cell, min(width, maxTableWidth))
	if !ok || hasLinks(t) {
		return answer.Grid{}, false
	}
	return answer.Grid{Open: append([]string{"```"}, lines[:2]...), Rows: lines[2:], Close: "```"}, true
}

// cell returns the text of a table cell for a code block, where Markdown needs no escaping.
func cell(inlines []answer.Inline) string {
	s := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, answer.Words(inlines))
	return dialect{}.CodeLine(neutralCode(s), 0)
}

// hasLinks reports whether a table contains links, which code blocks cannot show.
func hasLinks(t *answer.Block) bool {
	for _, row := range t.Rows {
		for _, c := range row {
			for _, n := range c {
				if n.Kind == answer.Link || n.Kind == answer.Footnote {
					return true
				}
			}
		}
	}
	return false
}
