package render

import "github.com/footnotehq/footnote/adapters/internal/markdown/answer"

// markdown writes standard Markdown. Slack accepts standard Markdown in streams and in markdown
// blocks.
type markdown struct{ answer.Standard }

var _ answer.Dialect = markdown{}

func (markdown) Neutral(s string) string { return Neutral(s) }

func (markdown) NeutralCode(s string) string { return neutralCode(s) }

func (m markdown) Link(label, raw string) string {
	to, ok := address(raw)
	if !ok {
		return ""
	}
	return m.Standard.Link(label, to)
}

// These are Slack's limits for tables: 100 rows with the header, and 20 columns.
const (
	maxRows    = 99
	maxColumns = 20
)

func (m markdown) Table(t *answer.Block, cell func([]answer.Inline) string, width int) (answer.Grid, bool) {
	grid, _ := m.Standard.Table(t, cell, width)
	grid.Every = maxRows
	return grid, len(t.Columns) <= maxColumns
}
