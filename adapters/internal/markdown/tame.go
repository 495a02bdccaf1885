package markdown

import "strings"

const (
	// deepestQuote is the maximum number of quote marks (">") that are read at the beginning of a
	// line.
	deepestQuote = 32
	// longestParagraph is the length in bytes above which a paragraph is split.
	longestParagraph = 8 << 10
)

// tame changes texts for which the parser would need quadratic time. It flattens deeply nested
// quotes and splits very long paragraphs. It does not change tables and fenced code, which are
// parsed line by line.
func tame(source string) string {
	var b strings.Builder
	b.Grow(len(source) + len(source)/longestParagraph)
	paragraph, fenced, table := 0, false, false
	for line := range strings.Lines(source) {
		bare := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~"):
			fenced, paragraph = !fenced, 0
		case bare == "":
			paragraph, table = 0, false
		case fenced || (table && len(line) <= longestParagraph):
		case strings.Contains(bare, "|") && strings.Contains(bare, "-") && strings.Trim(bare, "|:- ") == "":
			table = true // the line under the table's header
		default:
			line = unquote(line)
			if paragraph += len(line); paragraph > longestParagraph {
				b.WriteByte('\n')
				paragraph = len(line)
			}
			line = splitParagraph(line)
		}
		b.WriteString(line)
	}
	return b.String()
}

func unquote(line string) string {
	if !strings.HasPrefix(strings.TrimLeft(line, " "), ">") {
		return line
	}
	depth, cut := 0, 0
	for cut < len(line) && (line[cut] == '>' || line[cut] == ' ') {
		if line[cut] == '>' {
			depth++
		}
		cut++
	}
	if depth <= deepestQuote {
		return line
	}
	return strings.Repeat(">", deepestQuote) + " " + line[cut:]
}

func splitParagraph(line string) string {
	if len(line) <= longestParagraph {
		return line
	}
	var b strings.Builder
	for len(line) > longestParagraph {
		cut := strings.LastIndexByte(line[:longestParagraph], ' ') + 1
		if cut == 0 {
			cut = longestParagraph
			for cut > 1 && line[cut]&0xc0 == 0x80 { // not inside a character
				cut--
			}
		}
		b.WriteString(line[:cut] + "\n\n")
		line = line[cut:]
	}
	return b.String() + line
}
