package search

import (
	"fmt"
	"strings"
)

// fewestRepeated is how many bytes a paragraph has at least that is not shown twice.
const fewestRepeated = 80

// repeats are the paragraphs of the passages of one result, by the first document that has them. A
// paragraph is a line: copies of a page differ in blank lines and in spaces.
type repeats map[string]int

// without returns a text with a note in place of paragraphs that an earlier passage shows. Rows of
// tables stay: without its header a table cannot be read.
func (r repeats) without(text string) string {
	var kept []string
	last := 0 // document of the note that ends kept
	for line := range strings.SplitSeq(text, "\n") {
		number := r[paragraph(line)]
		switch {
		case number == 0 && (last == 0 || strings.TrimSpace(line) != ""):
			kept, last = append(kept, line), 0
		case number != 0 && number != last:
			kept, last = append(kept, fmt.Sprintf("(as in document %d)", number)), number
		}
	}
	return strings.Join(kept, "\n")
}

// add notes the paragraphs of a passage that is shown.
func (r repeats) add(text string, number int) {
	for line := range strings.SplitSeq(text, "\n") {
		if key := paragraph(line); len(key) >= fewestRepeated && r[key] == 0 {
			r[key] = number
		}
	}
}

// paragraph is what lines are compared by; empty for a row of a table.
func paragraph(line string) string {
	if line = strings.Join(strings.Fields(line), " "); strings.HasPrefix(line, "|") {
		return ""
	}
	return line
}

// spareHeading returns a heading path without what stands next to it: the title of the page at its
// beginning, and at its end the heading with which the text begins.
func spareHeading(path []string, title, text string) []string {
	if len(path) > 0 && title != "" && strings.HasPrefix(strings.ToLower(path[0]), strings.ToLower(strings.TrimSpace(title))) {
		path = path[1:]
	}
	first, _, _ := strings.Cut(text, "\n")
	if n := len(path); n > 0 && strings.HasPrefix(first, "#") && strings.TrimSpace(strings.TrimLeft(first, "#")) == path[n-1] {
		path = path[:n-1]
	}
	return path
}
