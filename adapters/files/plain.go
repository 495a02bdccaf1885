package files

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// parseText parses paragraphs between empty lines. An underlined line is a heading, as in
// reStructuredText.
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

func underlined(paragraph string) (heading, rest, mark string) {
	first, after, _ := strings.Cut(paragraph, "\n")
	if bar(first) != "" && after != "" { // the heading also has a bar above
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

// parseCode returns a parser that makes one code block of a whole file.
func parseCode(language string) func(string) parsed {
	return func(text string) parsed {
		var o document.Outline
		o.Code(language, text)
		return parsed{sections: o.Sections()}
	}
}

// parseJSON parses JSON as code. It adds line breaks and indentation if there are none.
func parseJSON(text string) parsed {
	if strings.Count(text, "\n") <= 1 && indented(text) < min(4*len(text)+1024, document.MaxText) {
		var b bytes.Buffer
		if json.Indent(&b, []byte(text), "", "  ") == nil {
			text = b.String()
		}
	}
	return parseCode("json")(text)
}

func indented(text string) int {
	size, depth, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		size++
		switch b := text[i]; {
		case quoted && b == '\\':
			i++
			size++
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '[' || b == '{':
			depth++
			size += 2*depth + 1
		case b == ']' || b == '}':
			depth = max(depth-1, 0)
			size += 2*depth + 1
		case b == ',':
			size += 2*depth + 1
		}
	}
	return size
}

// parseTable returns a lenient parser for separated values (RFC 4180). The separator is the most
// frequent one in the first line. Programs write CSV with semicolons where commas are decimal
// marks.
func parseTable(separators string) func(string) parsed {
	return func(text string) parsed {
		var o document.Outline
		comma, text := separator(text, separators)
		o.Block(document.Table, table(text, comma))
		return parsed{sections: o.Sections()}
	}
}

func separator(text, separators string) (byte, string) {
	line, rest, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	if said, is := strings.CutPrefix(strings.ToLower(line), "sep="); is && len(said) == 1 {
		return said[0], rest
	}
	counts, quoted := [256]int{}, false
	for i := range len(line) {
		quoted = quoted != (line[i] == '"')
		if !quoted {
			counts[line[i]]++
		}
	}
	best := separators[0]
	for i := range len(separators) {
		if counts[separators[i]] > counts[best] {
			best = separators[i]
		}
	}
	return best, text
}

func table(text string, comma byte) string {
	var b strings.Builder
	for len(text) > 0 && b.Len() <= document.MaxText {
		if line, rest, _ := strings.Cut(text, "\n"); line == "" {
			text = rest
			continue
		}
		for {
			value, rest, more := cell(text, comma)
			writeWords(&b, value)
			text = rest
			if !more || b.Len() > document.MaxText {
				break
			}
			b.WriteString(" | ")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// cell splits off the first value of a text. comma is the separator. more reports whether rest
// continues the same record. Unexpected quotation marks are literal.
func cell(text string, comma byte) (value, rest string, more bool) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexAny(text, string([]byte{comma, '\n'}))
		if end < 0 {
			return text, "", false
		}
		return text[:end], text[end+1:], text[end] == comma
	}
	text = text[1:]
	var b strings.Builder
	for {
		end := strings.IndexByte(text, '"')
		if end < 0 {
			b.WriteString(text)
			return b.String(), "", false
		}
		b.WriteString(text[:end])
		text = text[end+1:]
		switch {
		case text == "":
			return b.String(), "", false
		case text[0] == comma, text[0] == '\n':
			return b.String(), text[1:], text[0] == comma
		case text[0] == '"':
			text = text[1:]
		}
		b.WriteByte('"')
	}
}

func writeWords(b *strings.Builder, text string) {
	first := true
	for word := range strings.FieldsSeq(text) {
		if !first {
			b.WriteByte(' ')
		}
		first = false
		b.WriteString(word)
	}
}
