package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// PipeTable formats a table in Markdown, with bars between the cells. cell returns the markup of a
// cell.
func PipeTable(t *Block, cell func([]Inline) string) Grid {
	write := func(row Row) string {
		var b strings.Builder
		b.WriteByte('|')
		for _, c := range row {
			b.WriteString(" " + escapeBars(cell(c)) + " |")
		}
		return b.String()
	}
	var delimiter strings.Builder
	delimiter.WriteByte('|')
	for _, a := range t.Columns {
		delimiter.WriteString([...]string{AlignDefault: " --- |", AlignLeft: " :-- |", AlignRight: " --: |", AlignCenter: " :-: |"}[a])
	}
	g := Grid{Open: []string{write(t.Rows[0]), delimiter.String()}}
	for _, row := range t.Rows[1:] {
		g.Rows = append(g.Rows, write(row))
	}
	return g
}

func escapeBars(s string) string {
	if strings.IndexByte(s, '|') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '|' && (i == 0 || s[i-1] != '\\') {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// AlignedTable aligns a table's columns with blanks, for a monospaced font. cell returns the text
// of a cell. ok is false if a line would be wider than width columns.
func AlignedTable(t *Block, cell func([]Inline) string, width int) (lines []string, ok bool) {
	cells := make([][]string, len(t.Rows))
	widths := make([]int, len(t.Columns))
	for i, row := range t.Rows {
		for j, c := range row {
			text := cell(c)
			cells[i] = append(cells[i], text)
			widths[j] = max(widths[j], columnWidth(text))
		}
	}
	total := -2
	for _, n := range widths {
		total += n + 2
	}
	if total > width {
		return nil, false
	}
	for i, row := range cells {
		var b strings.Builder
		for j, text := range row {
			left, right := 0, widths[j]-columnWidth(text)
			switch t.Columns[j] {
			case AlignRight:
				left, right = right, 0
			case AlignCenter:
				left, right = right/2, right-right/2
			case AlignDefault, AlignLeft:
			}
			b.WriteString(strings.Repeat(" ", left) + text + strings.Repeat(" ", right))
			if j < len(row)-1 {
				b.WriteString("  ")
			}
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
		if i == 0 {
			var rule []string
			for _, n := range widths {
				rule = append(rule, strings.Repeat("─", n))
			}
			lines = append(lines, strings.Join(rule, "  "))
		}
	}
	return lines, true
}

// columnWidth returns the width of a text in monospaced columns. East Asian characters and emoji
// take two.
func columnWidth(s string) int {
	n := 0
	for i := 0; i < len(s); {
		r, _ := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == separatorRune:
		case isWide(r):
			n += 2
		default:
			n++
		}
		i += Cluster(s[i:])
	}
	return n
}

const separatorRune = '\u200b'

func isWide(r rune) bool {
	return r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0x303e || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
		r >= 0xff01 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff)
}
