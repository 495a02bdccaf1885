package render

import (
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
)

// markdown writes standard Markdown. Slack accepts standard Markdown in streams and in markdown
// blocks.
type markdown struct{}

var _ answer.Dialect = markdown{}

func (markdown) Traits() answer.Traits { return answer.Traits{} }

func (markdown) Neutral(s string) string { return Neutral(s) }

func (markdown) NeutralCode(s string) string { return neutralCode(s) }

func (markdown) Word(word string, at answer.Place) string { return markdownWord(word, at) }

func (markdown) Style(s answer.Style) string { return s.Mark() }

// maxRun is the maximum number of consecutive backticks that stay unchanged inside code.
const maxRun = 3

func (markdown) CodeSpan(code string) string {
	run, longest := 0, 0
	var b strings.Builder
	for i := 0; i < len(code); i++ {
		if code[i] != '`' {
			run = 0
		} else if run++; run > maxRun {
			b.WriteString(gap)
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

func (markdown) CodeLine(line string, fence int) string {
	rest := strings.TrimLeft(line, " ")
	if strings.HasPrefix(rest, strings.Repeat("`", max(fence, 3))) {
		return line[:len(line)-len(rest)] + gap + rest
	}
	return line
}

// maxFence is the maximum length of a fence. Longer fences are shortened, and the code inside is
// changed so that it cannot end the fence.
const maxFence = 8

func (markdown) Fence(language string, fence int) (open, end string) {
	end = strings.Repeat("`", min(max(fence, 3), maxFence))
	return end + answer.Language(language), end
}

func (markdown) Link(label, raw string) string {
	to, ok := address(raw)
	if !ok {
		return ""
	}
	return "[" + label + "](" + to + ")"
}

func (markdown) Footnote(number int, raw string) string {
	return "[[" + strconv.Itoa(number) + "]](" + raw + ")"
}

func (markdown) Heading(level int, _ bool) (string, answer.Style) {
	return strings.Repeat("#", level) + " ", 0
}

func (markdown) Marker(list, item *answer.Block, number int, alternate bool) string {
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
	case answer.TaskOpen:
		mark += "[ ] "
	case answer.TaskDone:
		mark += "[x] "
	case answer.NoTask:
	}
	return mark
}

const maxQuotes = 3

func (markdown) Quote(depth int) string {
	if depth > maxQuotes {
		return ""
	}
	return "> "
}

func (markdown) Rule() string { return "---" }

// These are Slack's limits for tables: 100 rows with the header, and 20 columns.
const (
	maxRows    = 99
	maxColumns = 20
)

func (markdown) Table(t *answer.Block, cell func([]answer.Inline) string, _ int) (answer.Grid, bool) {
	grid := answer.PipeTable(t, cell)
	grid.Every = maxRows
	return grid, len(t.Columns) <= maxColumns
}
