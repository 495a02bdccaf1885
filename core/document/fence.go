package document

import "strings"

// Limits of fences, which are runs of backticks. A run longer than longestFence does not begin or
// end a fence. The limit exists because a chunk that begins inside code repeats the fence.
const (
	leastFence   = 3
	longestFence = 16
	longestName  = 32 // bytes of the name of a language
)

// Fences returns the fences before and after the block in the document's text. With its fences,
// every block is complete Markdown. The fences around code are longer than any run of backticks in
// the code. If another kind of block leaves a fence open, closing closes that fence. Code with a
// run of longestFence backticks is treated like such a block.
func (b Block) Fences() (opening, closing string) {
	if b.Kind == Code && strings.TrimSpace(b.Text) != "" {
		if ticks := max(leastFence, longestTicks(b.Text)+1); ticks <= longestFence {
			fence := strings.Repeat("`", ticks)
			return fence + cleanLanguage(b.Language) + "\n", "\n" + fence
		}
	}
	return "", closeFence(b.Text, fence{})
}

// cleanLanguage returns a language name in the form used after a fence, which is a word of ASCII
// characters. For "js title=x" it returns "js".
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

// fence is the code block that is open at a position in a text. The zero fence means that no code
// block is open.
type fence struct {
	ticks    int
	language string
}

// String returns the opening fence, such as "```go". It returns "" for the zero fence.
func (f fence) String() string {
	if f.ticks == 0 {
		return ""
	}
	return strings.Repeat("`", f.ticks) + f.language
}

// next returns the state after a line, given the state before the line. is reports whether the line
// is a fence. If the rest of a fence line is more than a language name, more is that rest.
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

// leadFence returns the fence that a chunk's lead opens. It returns the zero fence if the lead is
// not a fence.
func leadFence(lead string) fence {
	if strings.Contains(lead, "\n") {
		return fence{}
	}
	f, _, more := fence{}.next(lead)
	if more != "" {
		return fence{}
	}
	return f
}

// openAfter returns the fence that is open at the end of a text, given the fence that is open at
// its beginning.
func openAfter(text string, f fence) fence {
	if !strings.Contains(text, "```") {
		return f
	}
	for line := range strings.Lines(text) {
		f, _, _ = f.next(line)
	}
	return f
}

// closeFence returns the text that closes the fence that is open at the end of a text.
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

// FenceScanner tracks the fences of a text. The zero FenceScanner is at the beginning of the text.
type FenceScanner struct {
	open fence
	line int // offset of the first line that is not completely read
	read int
}

// Lead returns the opening fence of the code that contains an offset of the text. It returns ""
// outside of code. Offsets must not decrease between calls.
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
