package document

import "strings"

// Fences are of backticks. A longer run begins or ends none: some bound is needed because a chunk
// that begins inside code repeats the fence.
const (
	leastFence   = 3
	longestFence = 16
	longestName  = 32 // bytes of the name of a language
)

// Fences returns the fences before and after the block in the document's text, which make every
// block complete Markdown. The fences around code are longer than any run of backticks in it. If
// another block leaves a fence open, closing closes it. Code with a run of longestFence backticks
// is treated like such a block.
func (b Block) Fences() (opening, closing string) {
	if b.Kind == Code && strings.TrimSpace(b.Text) != "" {
		if ticks := max(leastFence, longestTicks(b.Text)+1); ticks <= longestFence {
			fence := strings.Repeat("`", ticks)
			return fence + cleanLanguage(b.Language) + "\n", "\n" + fence
		}
	}
	return "", closeFence(b.Text, fence{})
}

// cleanLanguage returns the name of a language as it is written after a fence: a word of ASCII
// characters. Of "js title=x" it is "js".
func cleanLanguage(name string) string {
	name = strings.TrimLeft(name, " \t{.")
	end := 0
	for end < len(name) && (isWordByte(name[end]) || strings.IndexByte("+#.-", name[end]) >= 0) {
		end++
	}
	if end > longestName || end < len(name) && strings.IndexByte(" \t,;:{}", name[end]) < 0 {
		return ""
	}
	return strings.ToLower(name[:end])
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// fence is the code block that is open at a place of a text. The zero fence is none.
type fence struct {
	ticks    int
	language string
}

// String returns the opening fence.
func (f fence) String() string {
	if f.ticks == 0 {
		return ""
	}
	return strings.Repeat("`", f.ticks) + f.language
}

// next returns the state after a line, given the state before it. is reports whether the line is a
// fence. more is then the rest of the line, unless that is a language.
func (f fence) next(line string) (after fence, is bool, more string) {
	line = strings.TrimSpace(line)
	rest := strings.TrimLeft(line, "`")
	ticks := len(line) - len(rest)
	if ticks < leastFence || ticks > longestFence {
		return f, false, ""
	}
	if f.ticks > 0 {
		if ticks >= f.ticks && rest == "" {
			return fence{}, true, ""
		}
		return f, false, ""
	}
	if strings.Contains(rest, "`") { // inline code
		return f, false, ""
	}
	if strings.ContainsAny(rest, " \t") {
		return fence{ticks: ticks}, true, strings.TrimSpace(rest)
	}
	return fence{ticks, cleanLanguage(rest)}, true, ""
}

// opened returns the fence that a chunk's lead opens, if it is one.
func opened(lead string) fence {
	if strings.Contains(lead, "\n") {
		return fence{}
	}
	f, _, more := fence{}.next(lead)
	if more != "" {
		return fence{}
	}
	return f
}

// openAfter returns the fence that is open at the end of a text, given the one before it.
func openAfter(text string, f fence) fence {
	if !strings.Contains(text, "```") {
		return f
	}
	for line := range strings.Lines(text) {
		f, _, _ = f.next(line)
	}
	return f
}

// closeFence returns what closes the fence that is open at the end of a text.
func closeFence(text string, before fence) string {
	f := openAfter(text, before)
	switch {
	case f.ticks == 0:
		return ""
	case strings.HasSuffix(text, "\n"):
		return strings.Repeat("`", f.ticks)
	}
	return "\n" + strings.Repeat("`", f.ticks)
}

// FenceScanner follows the fences of a text. The zero FenceScanner is at its beginning.
type FenceScanner struct {
	open fence
	line int // where the line begins that is not yet read whole
	read int
}

// Lead returns the opening fence of the code that contains an offset of the text, or "" outside of
// code. Offsets must not decrease.
func (s *FenceScanner) Lead(text string, offset int) string {
	for s.read < offset {
		end := strings.IndexByte(text[s.read:offset], '\n') + 1
		if end == 0 {
			s.read = offset
			break
		}
		s.read += end
		s.open, _, _ = s.open.next(text[s.line:s.read])
		s.line = s.read
	}
	return s.open.String()
}
