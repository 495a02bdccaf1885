package document

import "strings"

// Joiner joins chunks of a document, in reading order, into Markdown. Consecutive chunks are joined
// without repeating the text that they share. The zero Joiner is empty. A Joiner is not safe for
// concurrent use.
type Joiner struct {
	text    strings.Builder
	first   int // offset in text at which the last run of adjacent chunks begins
	lead    string
	ordinal int // ordinal of the last chunk
	end     int
}

// Add appends a chunk to the text.
func (j *Joiner) Add(c Chunk) {
	more, neighbour := j.next(c)
	if !neighbour {
		j.lead = c.Lead
		j.first = j.text.Len() + len(more) - len(c.Text)
	}
	j.text.WriteString(more)
	j.ordinal, j.end = c.Ordinal, max(j.end, c.End)
}

// Next returns the text that Add would append for c. It does not change the Joiner.
func (j *Joiner) Next(c Chunk) string {
	more, _ := j.next(c)
	return more
}

// String returns the text so far. It closes code that is still open.
func (j *Joiner) String() string { return j.text.String() + j.after() }

// next returns the text that c appends. neighbour reports whether c continues the previous chunk;
// otherwise it begins a separate block.
func (j *Joiner) next(c Chunk) (more string, neighbour bool) {
	if j.text.Len() > 0 && c.Ordinal == j.ordinal+1 {
		if more, ok := continuation(j.text.String(), c.Text, j.end-c.Start); ok {
			return more, true
		}
	}
	if j.text.Len() > 0 {
		more = j.after() + BlockSeparator
	}
	if c.Lead != "" {
		more += c.Lead + "\n"
	}
	return more + c.Text, false
}

func (j *Joiner) after() string { return closeFence(j.text.String()[j.first:], leadFence(j.lead)) }

// continuation returns what to append to text for the next chunk. If repeated is positive, text
// must end with the first repeated runes of next, which are not appended again. Otherwise ok is
// false. If repeated is negative, the two are that many runes apart, and a separator is inserted.
func continuation(text, next string, repeated int) (more string, ok bool) {
	switch {
	case repeated == 0:
		return next, true
	case repeated == -1: // both belong to one block
		return "\n" + next, true
	case repeated < 0:
		return BlockSeparator + next, true
	}
	head := next
	for i := range next {
		if repeated == 0 {
			head = next[:i]
			break
		}
		repeated--
	}
	return next[len(head):], strings.HasSuffix(text, head)
}
