package render

import (
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
)

// mrkdwn writes Slack's own markup. It is for workspaces without markdown blocks. The markup has no
// headings, tables, nested lists or escapes.
type mrkdwn struct{}

var _ answer.Dialect = mrkdwn{}

func (mrkdwn) Traits() answer.Traits {
	return answer.Traits{FlatCode: true, TightHeadings: true, Indent: 4, Separate: true, PlainLabels: true}
}

func (mrkdwn) Neutral(s string) string { return Neutral(s) }

func (mrkdwn) NeutralCode(s string) string { return neutralCode(s) }

func (mrkdwn) Word(word string, at answer.Place) string { return mrkdwnWord(word, at) }

func (mrkdwn) Style(s answer.Style) string {
	switch s {
	case answer.Bold:
		return "*"
	case answer.Italic:
		return "_"
	case answer.Strike:
		return "~"
	}
	return ""
}

// tick replaces a backtick inside code, because mrkdwn cannot escape backticks there.
const tick = "\u02cb"

func (mrkdwn) CodeSpan(code string) string {
	return "`" + strings.ReplaceAll(Entities.Replace(code), "`", tick) + "`"
}

func (mrkdwn) CodeLine(line string, _ int) string {
	return strings.ReplaceAll(Entities.Replace(line), "```", "`"+gap+"`"+gap+"`")
}

func (mrkdwn) Fence(string, int) (open, end string) { return "```", "```" }

func (mrkdwn) Link(label, raw string) string {
	to, ok := address(raw)
	if !ok {
		return ""
	}
	to = strings.ReplaceAll(to, "&", "&amp;")
	if written.Replace(label) == written.Replace(strings.ReplaceAll(raw, "&", "&amp;")) { // the label is the address
		return "<" + to + ">"
	}
	return "<" + to + "|" + label + ">"
}

var written = strings.NewReplacer(gap, "", "¦", "|")

func (m mrkdwn) Footnote(number int, raw string) string {
	return m.Link("["+strconv.Itoa(number)+"]", raw)
}

func (mrkdwn) Heading(int, bool) (string, answer.Style) { return "", answer.Bold }

func (mrkdwn) Marker(list, item *answer.Block, number int, _ bool) string {
	switch {
	case item.Task == answer.TaskDone:
		return "☑ "
	case item.Task == answer.TaskOpen:
		return "☐ "
	case list.Ordered:
		return strconv.Itoa(number) + ". "
	default:
		return "• "
	}
}

func (mrkdwn) Quote(depth int) string {
	if depth > 1 {
		return ""
	}
	return "> "
}

func (mrkdwn) Rule() string { return "──────────" }

func (mrkdwn) Table(*answer.Block, func([]answer.Inline) string, int) (answer.Grid, bool) {
	return answer.Grid{}, false
}

// Mrkdwn converts a short notice in standard Markdown to Slack's markup. It removes mentions and
// replaces each link with its label.
func Mrkdwn(text string) string { return strings.Join(MrkdwnParts(text), "\n") }

// MrkdwnParts is like Mrkdwn, but splits the result into parts that each fit into one section
// block.
func MrkdwnParts(text string) []string {
	var parts []string
	for _, page := range answer.Parse(text).Pages(mrkdwn{}, answer.Policy{}, answer.RuneCount, MaxSection) {
		parts = append(parts, ungapped(page.Text))
	}
	return parts
}
