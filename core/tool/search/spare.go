package search

import (
	"fmt"
	"strings"
)

// fewestRepeated is how many bytes a paragraph has at least that is not shown twice.
const fewestRepeated = 80

// repeats are the paragraphs of the passages of one result, by the first document that has them.
type repeats map[string]int

// without returns a text with a note in place of paragraphs that an earlier passage shows.
func (r repeats) without(text string) string {
	var kept []string
	last := 0 // document of the note that ends kept
	for block := range strings.SplitSeq(text, "\n\n") {
		number := r[strings.TrimSpace(block)]
		if number == 0 {
			kept = append(kept, block)
		} else if number != last {
			kept = append(kept, fmt.Sprintf("(as in document %d)", number))
		}
		last = number
	}
	return strings.Join(kept, "\n\n")
}

// add notes the paragraphs of a passage that is shown.
func (r repeats) add(text string, number int) {
	for block := range strings.SplitSeq(text, "\n\n") {
		if block = strings.TrimSpace(block); len(block) >= fewestRepeated && r[block] == 0 {
			r[block] = number
		}
	}
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
