package search

import (
	"fmt"
	"strings"
)

const minRepeatBytes = 80

// seenParagraphs maps each paragraph of a result to the number of the first document that contains
// it. Each line is a paragraph.
type seenParagraphs map[string]int

// dropRepeats replaces a paragraph with a note if an earlier passage shows it. It keeps table rows,
// because a table without its header is unreadable.
func (r seenParagraphs) dropRepeats(text string) string {
	var lines []string
	last := 0 // document that the last line of lines refers to; 0 if that line is text
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

func (r seenParagraphs) add(text string, number int) {
	for line := range strings.SplitSeq(text, "\n") {
		if key := paragraphKey(line); len(key) >= minRepeatBytes && r[key] == 0 {
			r[key] = number
		}
	}
}

// paragraphKey returns a line with single spaces, for comparison. It returns "" for a table row.
func paragraphKey(line string) string {
	if line = strings.Join(strings.Fields(line), " "); strings.HasPrefix(line, "|") {
		return ""
	}
	return line
}

// shortenHeading removes duplicate parts of a heading path. At the beginning it removes the page's
// title. At the end it removes the heading with which the text begins.
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
