package turn

import "strings"

// repeat finds messages that begin with the whole message that the reader saw before. Some models
// write an answer, call a tool, and write the answer again.
type repeat struct {
	before string          // last shown message, as the model wrote it
	held   strings.Builder // beginning of the next message, as far as it is like before
}

const space = " \t\r\n"

// hold adds text to the beginning of a message. It reports whether the text may still be a
// repetition. If not, the caller must take it.
func (r *repeat) hold(text string) bool {
	n := r.held.Len()
	if n == 0 {
		text = strings.TrimLeft(text, space)
	}
	r.held.WriteString(text)
	like := min(len(text), max(0, len(r.before)-n))
	return strings.HasPrefix(r.before[min(n, len(r.before)):], text[:like]) && strings.Trim(text[like:], space) == ""
}

// take ends the comparison. repeated is what was shown before, with the white space after it, and
// rest is to be shown.
func (r *repeat) take() (repeated, rest string) {
	held := r.held.String()
	r.held.Reset()
	after, same := strings.CutPrefix(held, r.before)
	rest = strings.TrimLeft(after, space)
	if r.before == "" || !same || rest == after && rest != "" {
		return "", held
	}
	return held[:len(held)-len(rest)], rest
}
