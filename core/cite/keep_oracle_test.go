package cite

import (
	"slices"
	"strconv"
	"strings"
)

// Keep is what Options.Keep does to an answer that is being written, done to a
// finished one: it returns the text of the model with only those citations for
// which keep holds, written as [n]. The tests hold the one against the other.
func Keep(answer string, known func(n int) bool, keep func(sentence string, n int) bool) string {
	c := extractClaims(answer, known)
	spans := c.sentences()
	homes := c.sentenceOf(spans)
	kept := make([][]int, len(c.marks))
	for i, m := range c.marks {
		sentence := ""
		if homes[i] >= 0 {
			sentence = stripMarkup(string(c.body[spans[homes[i]].start:spans[homes[i]].end]))
		}
		kept[i] = slices.DeleteFunc(slices.Clone(m.numbers), func(n int) bool { return !keep(sentence, n) })
	}
	var b strings.Builder
	pos := 0
	for i := 0; i < len(c.marks); {
		at := c.marks[i].offset
		before, after := string(c.body[pos:at]), string(c.body[at:])
		pos = at
		var left [][]int // of the citations that stand together here
		for ; i < len(c.marks) && c.marks[i].offset == at; i++ {
			if len(kept[i]) > 0 {
				left = append(left, kept[i])
			}
		}
		if len(left) == 0 && (after == "" || needsNoBlank(after[0])) {
			before = strings.TrimRight(before, " \t")
		}
		b.WriteString(before)
		for _, numbers := range left {
			writeMarker(&b, numbers, after)
		}
	}
	b.Write(c.body[pos:])
	return b.String()
}

// writeMarker writes a citation that the text after it cannot turn into a link.
func writeMarker(b *strings.Builder, numbers []int, after string) {
	open, shut := "[", "]"
	if after != "" && (after[0] == '(' || after[0] == ':') {
		open, shut = fullOpen, fullClose
	}
	b.WriteString(open)
	for i, n := range numbers {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(n))
	}
	b.WriteString(shut)
}
