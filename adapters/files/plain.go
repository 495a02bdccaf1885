package files

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// parseText reads plain text: paragraphs parted by empty lines. A line that is underlined, as in reStructuredText, is a heading.
func parseText(text string) parsed {
	var o document.Outline
	var marks []string // underlines in the order of first use, which is the order of rank
	for paragraph := range paragraphs(text) {
		heading, rest, mark := underlined(paragraph)
		if mark != "" {
			o.Heading(rank(&marks, mark), heading, "")
		}
		o.Block(kindOf(rest), rest)
	}
	return parsed{title: o.Title(), sections: o.Sections()}
}

// paragraphs yields what stands between empty lines.
func paragraphs(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		start, end := -1, 0
		at := 0
		for line := range strings.Lines(text) {
			if strings.TrimSpace(line) == "" {
				if start >= 0 && !yield(text[start:end]) {
					return
				}
				start = -1
			} else if start < 0 {
				start = at
			}
			at += len(line)
			if start >= 0 {
				end = at
			}
		}
		if start >= 0 {
			yield(text[start:end])
		}
	}
}

// underlined parts a paragraph that begins with a heading into heading, rest, and the character of its underline.
func underlined(paragraph string) (heading, rest, mark string) {
	first, after, _ := strings.Cut(paragraph, "\n")
	if bar(first) != "" && after != "" { // a bar above as well
		first, after, _ = strings.Cut(after, "\n")
	}
	second, rest, _ := strings.Cut(after, "\n")
	title := strings.TrimSpace(first)
	mark = bar(second)
	if mark == "" || title == "" || bar(first) != "" || len(strings.TrimSpace(second)) < len([]rune(title)) || len(title) > 200 {
		return "", paragraph, ""
	}
	return title, rest, mark
}

// bar returns the character that a line consists of, if it is a bar of at least three.
func bar(line string) string {
	line = strings.TrimSpace(line)
	if len(line) < 3 || !strings.ContainsRune("=-~^*+#\"'`", rune(line[0])) || strings.Trim(line, line[:1]) != "" {
		return ""
	}
	return line[:1]
}

func rank(marks *[]string, mark string) int {
	for i, m := range *marks {
		if m == mark {
			return i + 1
		}
	}
	*marks = append(*marks, mark)
	return len(*marks)
}

// kindOf tells lists and indented code from running text.
func kindOf(paragraph string) document.BlockKind {
	items, indented, count := 0, 0, 0
	for line := range strings.Lines(paragraph) {
		count++
		bare := strings.TrimLeft(line, " \t")
		switch {
		case strings.HasPrefix(bare, "- "), strings.HasPrefix(bare, "* "), strings.HasPrefix(bare, "• "):
			items++
		case strings.HasPrefix(line, "    "), strings.HasPrefix(line, "\t"):
			indented++
		}
	}
	switch {
	case items > 0 && items*2 >= count:
		return document.List
	case indented == count && count > 1:
		return document.Code
	default:
		return document.Paragraph
	}
}

func parseCode(text string) parsed {
	var o document.Outline
	o.Block(document.Code, text)
	return parsed{sections: o.Sections()}
}

// parseJSON breaks JSON that was written for machines into lines.
func parseJSON(text string) parsed {
	if strings.Count(text, "\n") <= 1 {
		var b bytes.Buffer
		if json.Indent(&b, []byte(text), "", "  ") == nil && b.Len() < 4*len(text)+1024 {
			text = b.String()
		}
	}
	return parseCode(text)
}

// parseTable reads values parted by commas or tabs; what is not well formed is kept as it is, line by line.
func parseTable(comma rune) func(string) parsed {
	return func(text string) parsed {
		reader := csv.NewReader(strings.NewReader(text))
		reader.Comma, reader.FieldsPerRecord, reader.LazyQuotes = comma, -1, true
		rows, err := reader.ReadAll()
		if err != nil {
			return parseCode(text)
		}
		var b strings.Builder
		for _, row := range rows {
			for i, cell := range row {
				if i > 0 {
					b.WriteString(" | ")
				}
				b.WriteString(strings.Join(strings.Fields(cell), " "))
			}
			b.WriteByte('\n')
		}
		var o document.Outline
		o.Block(document.Table, b.String())
		return parsed{sections: o.Sections()}
	}
}
