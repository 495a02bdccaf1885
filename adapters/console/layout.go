package console

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
)

// markdownBegins and markdownEnds enclose Markdown in the output of a [Renderer] that has Marked
// set. Sanitized text never contains these characters.
const (
	markdownBegins = "\x02"
	markdownEnds   = "\x03"
)

const (
	bold, notBold     = "\x1b[1m", "\x1b[22m"
	italic, notItalic = "\x1b[3m", "\x1b[23m"
	strike, notStrike = "\x1b[9m", "\x1b[29m"
	coloured, plain   = "\x1b[36m", "\x1b[39m"
	reset             = "\x1b[0m"
)

// minColumn is the minimum width of a table column. A table that would need narrower columns is
// shown as a list.
const minColumn = 8

// Layout formats the output of a [Renderer] that has Marked set for a terminal of width columns,
// and returns the lines. It formats Markdown and wraps other text between words. Only lines of code
// may be longer than width. Styles never continue from one line to the next.
func Layout(source string, width int) []string {
	width = max(width, 2*minColumn)
	var lines []string
	for source != "" {
		text, rest, marked := strings.Cut(source, markdownBegins)
		lines = append(lines, wrapped(strings.TrimSuffix(text, "\n"), width, text != "")...)
		if !marked {
			break
		}
		var ended bool
		if text, source, ended = strings.Cut(rest, markdownEnds); !ended {
			text = answer.Closed(text)
		}
		lines = append(lines, blocks(answer.Parse(text).Blocks, width)...)
	}
	return lines
}

// Columns returns the width in columns of a line from Layout.
func Columns(line string) int {
	n := 0
	for i := 0; i < len(line); {
		if skip := escape(line[i:]); skip > 0 {
			i += skip
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		n += columns(r)
		i += size
	}
	return n
}

// wrapped wraps text for a terminal of width columns. It returns nil if some is false. Styles never
// continue from one line to the next.
func wrapped(text string, width int, some bool) []string {
	if !some {
		return nil
	}
	w := wrapper{width: width}
	return restyled(strings.Split(w.write(text)+w.flush(), "\n"))
}

// restyled ends the active styles at the end of each line and restarts them on the next line.
func restyled(lines []string) []string {
	var on []string
	for n, line := range lines {
		begin := strings.Join(on, "")
		for i := 0; i < len(line); i++ {
			skip := escape(line[i:])
			if skip == 0 {
				continue
			}
			switch code := line[i : i+skip]; code {
			case reset:
				on = nil
			case notBold, notItalic, notStrike, plain:
				begun := map[string]string{notBold: bold, notItalic: italic, notStrike: strike, plain: coloured}[code]
				if at := slices.Index(on, begun); at >= 0 {
					on = slices.Delete(on, at, at+1)
				}
			default:
				if strings.HasPrefix(code, "\x1b[") {
					on = append(on, code)
				}
			}
			i += skip - 1
		}
		lines[n] = begin + line
		if len(on) > 0 {
			lines[n] += reset
		}
	}
	return lines
}

func blocks(list []*answer.Block, width int) []string {
	var lines []string
	for i, b := range list {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, block(b, width)...)
	}
	return lines
}

func block(b *answer.Block, width int) []string {
	switch b.Kind {
	case answer.Heading:
		return wrapped(bold+strings.ReplaceAll(inlines(b.Inlines), notBold, "")+notBold, width, true)
	case answer.Code:
		var lines []string
		for line := range strings.SplitSeq(b.Code, "\n") {
			lines = append(lines, "    "+coloured+strings.ReplaceAll(line, "\t", "    ")+plain)
		}
		return lines
	case answer.Quote:
		return indented(blocks(b.Children, width-2), "│ ", "│ ")
	case answer.List:
		return list(b, width)
	case answer.Table:
		return table(b, width)
	case answer.Rule:
		return []string{strings.Repeat("─", min(width, 20))}
	case answer.Item:
		return blocks(b.Children, width)
	case answer.Paragraph:
	}
	return wrapped(inlines(b.Inlines), width, true)
}

func list(b *answer.Block, width int) []string {
	var lines []string
	for i, item := range b.Children {
		mark := "• "
		switch {
		case item.Task == answer.TaskOpen:
			mark = "☐ "
		case item.Task == answer.TaskDone:
			mark = "☑ "
		case b.Ordered:
			mark = strconv.Itoa(b.Start+i) + ". "
		}
		room := strings.Repeat(" ", len([]rune(mark)))
		var inside []string
		for n, child := range item.Children {
			if n > 0 && child.Kind != answer.List {
				inside = append(inside, "")
			}
			inside = append(inside, block(child, max(width-len(room), minColumn))...)
		}
		lines = append(lines, indented(inside, mark, room)...)
	}
	return lines
}

func indented(lines []string, first, others string) []string {
	if len(lines) == 0 {
		return []string{strings.TrimRight(first, " ")}
	}
	for i := range lines {
		lines[i] = strings.TrimRight(first+lines[i], " ")
		first = others
	}
	return lines
}

// inlines formats text with its styles. It shows the address of a link, because the label could be
// misleading. It hides the address of a citation, because the address belongs to a known document.
func inlines(list []answer.Inline) string {
	var b strings.Builder
	for _, in := range list {
		text := in.Text
		switch in.Kind {
		case answer.CodeSpan:
			text = coloured + text + plain
		case answer.Footnote:
			text = anchor("["+strconv.Itoa(in.Number)+"]", in.URL)
		case answer.Link:
			text = in.URL
			if label := inlines(in.Label); label != "" {
				text = label + " <" + in.URL + ">"
			}
		case answer.Break:
			text = "\n"
		default:
		}
		for _, s := range []struct {
			style   answer.Style
			on, off string
		}{{answer.Strike, strike, notStrike}, {answer.Italic, italic, notItalic}, {answer.Bold, bold, notBold}} {
			if in.Style&s.style != 0 {
				text = s.on + text + s.off
			}
		}
		b.WriteString(text)
	}
	return b.String()
}

const gap = "  "

// table wraps the cells if the table is wider than the terminal. If columns would be narrower than
// minColumn, it shows each row as a list of headers and values.
func table(b *answer.Block, width int) []string {
	cells := make([][]string, len(b.Rows))
	widths := make([]int, len(b.Columns))
	for i, row := range b.Rows {
		for j, c := range row {
			cells[i] = append(cells[i], strings.ReplaceAll(inlines(c), "\n", " "))
			widths[j] = max(widths[j], Columns(cells[i][j]), 1)
		}
	}
	if len(widths)*(minColumn+len(gap)) > width+len(gap) && total(widths) > width {
		return records(cells, width)
	}
	for total(widths) > width {
		widest := 0
		for j := range widths {
			if widths[j] > widths[widest] {
				widest = j
			}
		}
		widths[widest]--
	}
	var lines []string
	for i, row := range cells {
		parts, height := make([][]string, len(row)), 1
		for j, text := range row {
			if i == 0 {
				text = bold + strings.ReplaceAll(text, notBold, "") + notBold
			}
			parts[j] = chopped(wrapped(text, widths[j], true), widths[j])
			height = max(height, len(parts[j]))
		}
		for n := range height {
			var line strings.Builder
			for j := range row {
				text := ""
				if n < len(parts[j]) {
					text = parts[j][n]
				}
				left, right := 0, widths[j]-Columns(text)
				switch b.Columns[j] {
				case answer.AlignRight:
					left, right = right, 0
				case answer.AlignCenter:
					left, right = right/2, right-right/2
				default:
				}
				line.WriteString(strings.Repeat(" ", left) + text + strings.Repeat(" ", right) + gap)
			}
			lines = append(lines, strings.TrimRight(line.String(), " "))
		}
		if i == 0 {
			var rule []string
			for _, n := range widths {
				rule = append(rule, strings.Repeat("─", n))
			}
			lines = append(lines, strings.Join(rule, gap))
		}
	}
	return lines
}

func total(widths []int) int {
	n := -len(gap)
	for _, w := range widths {
		n += w + len(gap)
	}
	return n
}

// chopped breaks lines within words, for words that are wider than a table column.
func chopped(lines []string, width int) []string {
	var out []string
	for _, line := range lines {
		at, from := 0, 0
		for i := 0; i < len(line); {
			if skip := escape(line[i:]); skip > 0 {
				i += skip
				continue
			}
			r, size := utf8.DecodeRuneInString(line[i:])
			if at+columns(r) > width {
				out, from, at = append(out, line[from:i]), i, 0
			}
			at += columns(r)
			i += size
		}
		out = append(out, line[from:])
	}
	return restyled(out)
}

func records(cells [][]string, width int) []string {
	var lines []string
	for i, row := range cells[1:] {
		if i > 0 {
			lines = append(lines, "")
		}
		for j, text := range row {
			lines = append(lines, wrapped(fmt.Sprintf("%s%s:%s %s", bold, cells[0][j], notBold, text), width, true)...)
		}
	}
	return lines
}

// anchor returns label as a terminal hyperlink (OSC 8), or only label if address is empty.
func anchor(label, address string) string {
	if address == "" {
		return label
	}
	return "\x1b]8;;" + address + "\x1b\\" + label + "\x1b]8;;\x1b\\"
}
