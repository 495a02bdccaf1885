package cite

import (
	"slices"
	"strconv"
	"strings"
)

// Keep returns a finished answer, as the model wrote it, with only those
// citations for which keep holds, written as [n]. keep is asked with the
// citation's sentence, as Sentences yields it, and the model's number. It is
// how citations that their documents do not support are taken out before the
// last rendering; a Processor that shares the turn's Numbering then shows the
// others under the numbers that the reader has seen.
func Keep(answer string, known func(n int) bool, keep func(sentence string, n int) bool) string {
	c := read(answer, known)
	spans := split(string(c.body))
	homes := c.homes(spans)
	var b strings.Builder
	pos := 0
	for i, m := range c.marks {
		sentence := ""
		if homes[i] >= 0 {
			sentence = tidy(string(c.body[spans[homes[i]].start:spans[homes[i]].end]))
		}
		kept := slices.DeleteFunc(slices.Clone(m.numbers), func(n int) bool { return !keep(sentence, n) })
		before, after := string(c.body[pos:m.offset]), string(c.body[m.offset:])
		pos = m.offset
		if len(kept) > 0 {
			b.WriteString(before)
			writeMarker(&b, kept, after)
			continue
		}
		if after == "" || strings.IndexByte(" \t\r\n.,;:!?)]}", after[0]) >= 0 {
			before = strings.TrimRight(before, " \t")
		}
		b.WriteString(before)
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
