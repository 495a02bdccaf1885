package markdown

import "strings"

const (
	// deepestQuote is how many quote marks at the beginning of a line are read.
	deepestQuote = 32
	// longestParagraph is how many bytes a paragraph may have.
	longestParagraph = 8 << 10
)

// tame changes texts that would take the parser the square of their length, and no others: quotes
// nested without end lose their outer marks, and paragraphs of many pages are parted. Tables and
// fenced code, which are read line by line, are left alone.
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
			table = true // the line under its header
		default:
			line = unquote(line)
			if paragraph += len(line); paragraph > longestParagraph {
				b.WriteByte('\n')
				paragraph = len(line)
			}
			line = part(line)
		}
		b.WriteString(line)
	}
	return b.String()
}

// unquote takes off quote marks beyond deepestQuote.
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

// part breaks a line into paragraphs of at most longestParagraph bytes, at spaces where there are
// any.
func part(line string) string {
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
