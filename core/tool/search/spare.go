package search

import (
	"fmt"
	"strings"
)

// minRepeatBytes is the minimum length of a paragraph that is not shown twice.
const minRepeatBytes = 80

// seenParagraphs maps the paragraphs of one result to the first document that has them. A paragraph
// is a line, because copies of a page differ in blank lines and spaces.
type seenParagraphs map[string]int

// dropRepeats replaces paragraphs that an earlier passage shows with a note. It keeps table rows,
// because a table without its header is unreadable.
func (r seenParagraphs) dropRepeats(text string) string {
	var lines []string
	last := 0 // document of the note at the end of kept
	for line := range strings.SplitSeq(text, "\n") {
		number := r[paragraphKey(line)]
		switch {
		case number == 0 && (last == 0 || strings.TrimSpace(line) != ""):
			lines, last = append(lines, line), 0
		case number != 0 && number != last:
			lines, last = append(lines, fmt.Sprintf("(as in document %d)", number)), number
		}
	}
	return strings.Join(lines, "\n")
}

// add records the paragraphs of a shown passage.
func (r seenParagraphs) add(text string, number int) {
	for line := range strings.SplitSeq(text, "\n") {
		if key := paragraphKey(line); len(key) >= minRepeatBytes && r[key] == 0 {
			r[key] = number
		}
	}
}

// paragraphKey returns the form in which lines are compared; empty for a table row.
func paragraphKey(line string) string {
	if line = strings.Join(strings.Fields(line), " "); strings.HasPrefix(line, "|") {
		return ""
	}
	return line
}

// shortenHeading returns a heading path without the page's title at its beginning, and without the
// heading with which the text begins at its end.
func shortenHeading(path []string, title, text string) []string {
	if len(path) > 0 && title != "" && strings.HasPrefix(strings.ToLower(path[0]), strings.ToLower(strings.TrimSpace(title))) {
		path = path[1:]
	}
	first, _, _ := strings.Cut(text, "\n")
	if n := len(path); n > 0 && strings.HasPrefix(first, "#") && strings.TrimSpace(strings.TrimLeft(first, "#")) == path[n-1] {
		path = path[:n-1]
	}
	return path
}
