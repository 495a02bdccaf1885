package document

import "strings"

// Minimum and maximum number of backticks in a Markdown code fence. The maximum keeps chunks short,
// because each chunk that begins inside code repeats the fence.
const (
	leastFence   = 3
	longestFence = 16
	longestName  = 32 // bytes of the name of a language
)

// Fences returns the Markdown fences to write before and after the block's text. For code, they are
// longer than any run of backticks in the code. For other blocks, opening is empty, and closing
// ends a fence that the text leaves open.
//
// Code with a run of longestFence or more backticks cannot be fenced, so it is treated like other
// blocks.
func (b Block) Fences() (opening, closing string) {
	if b.Kind == Code && strings.TrimSpace(b.Text) != "" {
		if ticks := max(leastFence, longestTicks(b.Text)+1); ticks <= longestFence {
			fence := strings.Repeat("`", ticks)
			return fence + cleanLanguage(b.Language) + "\n", "\n" + fence
		}
	}
	return "", closeFence(b.Text, fence{})
}

// cleanLanguage returns "js" for "js title=x". It returns "" if the name is longer than longestName
// or not a word of ASCII characters.
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

// fence is the opening fence of a Markdown code block. The zero fence means that no code block is
// open.
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

// next reads a line and returns the fence that is open after it. is reports whether the line opens
// or closes a fence. more is the text after an opening fence, unless it is only a language name.
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

// leadFence parses a chunk's Lead as an opening fence. It returns the zero fence if lead is
// something else, such as the header of a table.
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

func openAfter(text string, f fence) fence {
	if !strings.Contains(text, "```") {
		return f
	}
	for line := range strings.Lines(text) {
		f, _, _ = f.next(line)
	}
	return f
}

// closeFence returns the closing fence that text lacks at its end, or "" if no fence is open there.
// before is the fence that is open at the beginning of text.
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

// FenceScanner finds the Markdown code fence that is open at increasing offsets of a text. The zero
// FenceScanner is ready to use.
type FenceScanner struct {
	open fence
	line int // offset of the first line that is not completely read
	read int
}

// Lead returns the opening fence of the code block at offset, such as "```go". It returns ""
// outside of code. The text must be the same in all calls, and offsets must not decrease.
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
