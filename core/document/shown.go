package document

import (
	"bytes"
	"strings"
)

// Shown returns the chunk's text for display, as complete Markdown. It adds the chunk's Lead, and
// the closing fence if the chunk ends inside code.
func (c Chunk) Shown() string {
	if c.Lead == "" {
		return c.Text + c.After()
	}
	return c.Lead + "\n" + c.Text + c.After()
}

// After returns a line break and the closing fence if the chunk ends inside code. Otherwise it
// returns "".
func (c Chunk) After() string { return closeFence(c.Text, leadFence(c.Lead)) }

// Header returns the header row of the table in which the chunk begins. It returns "" if the chunk
// does not begin inside a table.
func (c Chunk) Header() string {
	if leadFence(c.Lead).ticks > 0 {
		return ""
	}
	return c.Lead
}

// Words returns the chunk's text for searching, without Markdown code fences. The text after an
// opening fence stays, unless it is only a language name.
func (c Chunk) Words() string {
	f := leadFence(c.Lead)
	if f.ticks == 0 && !strings.Contains(c.Text, "```") {
		return c.Text
	}
	words := make([]byte, 0, len(c.Text))
	for line := range strings.Lines(c.Text) {
		after, is, more := f.next(line)
		switch {
		case !is:
			words = append(words, line...)
		case more != "":
			words = append(append(words, more...), '\n')
		case after.ticks == 0: // the line break before the closing fence belongs to the fence
			words = bytes.TrimSuffix(bytes.TrimSuffix(words, []byte("\n")), []byte("\r"))
			words = append(words, line[len(strings.TrimRight(line, "\r\n")):]...)
		}
		f = after
	}
	return string(bytes.TrimSpace(words))
}
