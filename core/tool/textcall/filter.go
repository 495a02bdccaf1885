// Package textcall finds tool calls in the text of models that have no tool interface or do not use
// it. It works on a stream. Readers never see the markup of a call, and see all other text as early
// as possible.
package textcall

import (
	"strings"

	"github.com/footnotehq/footnote/core/llm"
)

// maxBlock is how many bytes a call may have. What is longer in JSON is text; what is longer in
// tags is dropped.
const maxBlock = 64 << 10

// tags open and close calls. A block without a closing tag ends with the text.
var tags = []struct{ open, close string }{
	{"<tool_call>", "</tool_call>"},
	{"<tool_calls>", "</tool_calls>"},
	{"<function_calls>", "</function_calls>"},
	{"<invoke ", "</invoke>"},
	{"<function=", "</function>"},
	{"[TOOL_CALLS]", ""},
}

const fenceMark = "```"

// maxGap is how many bytes are held back to see whether a call follows an opening mark.
const maxGap = 64

// Filter extracts tool calls from one message. It recognises calls in tags anywhere outside code.
// If bare JSON is allowed, it also recognises a JSON call of an offered tool at the start of a line
// or alone in a code fence. It is not safe for concurrent use.
type Filter struct {
	specs []llm.ToolSpec
	bare  bool

	buf   string // text that is not decided yet
	line  bool   // only white space so far in this line
	fence bool   // inside fenced code
	prev  byte
	block block
	calls []llm.ToolCall
}

// block is the candidate at the start of buf.
type block struct {
	kind  kind
	close string // of tags
	pos   int    // how far buf was looked at
	over  bool   // longer than maxBlock; what came before is gone from buf
	json  scan
}

type kind int

const (
	outside kind = iota
	tagged
	object // a JSON value
	fenced // code that begins with a JSON value
)

// NewFilter returns a filter for calls of the tools. bare allows calls without tags, for models
// that know no other form.
func NewFilter(specs []llm.ToolSpec, bare bool) *Filter {
	return &Filter{specs: specs, bare: bare && len(specs) > 0, line: true}
}

// Push adds the next piece of the message and returns the text that may be shown now.
func (f *Filter) Push(delta string) string {
	if f.buf == "" && f.block.kind == outside && !f.fence && !f.bare && f.prev != '`' && !strings.ContainsAny(delta, "<[`\n") && delta != "" {
		f.line = f.line && strings.TrimLeft(delta, " \t") == ""
		f.prev = delta[len(delta)-1]
		return delta
	}
	f.buf += delta
	var out strings.Builder
	for f.advance(&out, false) {
	}
	return out.String()
}

// Flush ends the message and returns the text that was held back. It treats an unfinished call as a
// call if it can be parsed, and drops it otherwise.
func (f *Filter) Flush() string {
	var out strings.Builder
	for f.advance(&out, true) {
	}
	return out.String()
}

// Calls returns the calls found so far. They have no ids.
func (f *Filter) Calls() []llm.ToolCall { return f.calls }

// advance decides about some of buf and reports whether to go on.
func (f *Filter) advance(out *strings.Builder, final bool) bool {
	switch f.block.kind {
	case tagged:
		return f.inTag(final)
	case object:
		return f.inObject(out, final)
	case fenced:
		return f.inFence(out, final)
	default:
		return f.plain(out, final)
	}
}

// plain passes text on up to where a block begins, or may begin.
func (f *Filter) plain(out *strings.Builder, final bool) bool {
	for i := 0; i < len(f.buf); i++ {
		rest := f.buf[i:]
		verdict := no
		if f.line && rest[0] == '`' {
			verdict = f.atFence(rest)
		} else if !f.fence && f.prev != '`' {
			verdict = f.atBlock(rest)
		}
		if verdict == yes || verdict == perhaps && !final {
			out.WriteString(f.buf[:i])
			f.buf = rest
			return verdict == yes
		}
		f.pass(f.buf[i])
	}
	out.WriteString(f.buf)
	f.buf = ""
	return false
}

// pass notes a byte that is plain text.
func (f *Filter) pass(c byte) {
	f.line = c == '\n' || f.line && (c == ' ' || c == '\t' || c == '\r')
	f.prev = c
}

type verdict int

const (
	no verdict = iota
	perhaps
	yes
)

// atBlock says whether a tag or a JSON value begins here.
func (f *Filter) atBlock(rest string) verdict {
	if c := rest[0]; c == '<' || c == '[' {
		for _, t := range tags {
			switch {
			case len(rest) >= len(t.open) && strings.EqualFold(rest[:len(t.open)], t.open):
				f.block = block{kind: tagged, close: t.close}
				return yes
			case len(rest) < len(t.open) && strings.EqualFold(rest, t.open[:len(rest)]):
				return perhaps
			}
		}
	}
	if f.bare && f.line {
		v := beginsValue(rest)
		if v == yes {
			f.block = block{kind: object}
		}
		return v
	}
	return no
}

// beginsValue says whether an object, or a list of objects, begins here.
func beginsValue(rest string) verdict {
	if rest[0] == '{' {
		return yes
	}
	if rest[0] != '[' {
		return no
	}
	inner := strings.TrimLeft(rest[1:], " \t\r\n")
	switch {
	case inner == "" && len(rest) < maxGap:
		return perhaps
	case inner != "" && inner[0] == '{':
		return yes
	default:
		return no
	}
}

// atFence looks at backticks at the start of a line. Code that begins with a JSON value may be a call.
func (f *Filter) atFence(rest string) verdict {
	if len(rest) < len(fenceMark) {
		if strings.HasPrefix(fenceMark, rest) {
			return perhaps
		}
		return no
	}
	if !strings.HasPrefix(rest, fenceMark) {
		return no
	}
	if f.bare && !f.fence {
		info, body, whole := strings.Cut(rest[len(fenceMark):], "\n")
		if !whole && len(info) < 20 {
			return perhaps
		}
		body = strings.TrimLeft(body, " \t\r\n")
		switch info = strings.ToLower(strings.TrimSpace(info)); {
		case info != "" && info != "json" && info != "tool_call" && info != "tool_code" && info != "tool":
		case body == "" && len(rest) < maxGap:
			return perhaps
		case body != "" && beginsValue(body) != no:
			f.block = block{kind: fenced}
			return yes
		}
	}
	f.fence = !f.fence
	f.line = false // the rest of the line is not looked at again
	return no
}

// inTag looks for the end of a call in tags. Of one that is too long, the calls that stand whole in its first maxBlock bytes are taken
// and the rest is dropped up to its closing tag, unread: it is markup, and no reader must see it.
func (f *Filter) inTag(final bool) bool {
	end, size := -1, len(f.block.close)
	if size > 0 {
		if i := indexFold(f.buf[f.block.pos:], f.block.close); i >= 0 {
			end = f.block.pos + i + size
		}
	}
	whole, long := end >= 0, f.tooLong(end)
	if !whole && !final && !long && !f.block.over {
		f.block.pos = max(0, len(f.buf)-size)
		return false
	}
	if !whole {
		end = len(f.buf)
	}
	switch {
	case f.block.over:
	case long:
		f.calls = append(f.calls, readTags(f.buf[:maxBlock], f.specs, false)...)
	default:
		f.calls = append(f.calls, readTags(f.buf[:end], f.specs, whole)...)
	}
	if !whole && !final {
		f.block.over, f.block.pos = true, 0
		f.buf = f.buf[max(0, len(f.buf)-max(0, size-1)):] // the closing tag may have begun
		return false
	}
	f.leave(end)
	return f.buf != ""
}

// inObject looks for the end of a JSON value. One that is too long for a call is text, up to its end.
func (f *Filter) inObject(out *strings.Builder, final bool) bool {
	end := f.block.json.end(f.buf, f.block.pos)
	f.block.pos = len(f.buf)
	if end < 0 && !final && !f.block.over && !f.tooLong(end) {
		return false
	}
	if end >= 0 && !f.block.over && !f.tooLong(end) {
		if calls := readJSON(f.buf[:end], f.specs, false); len(calls) > 0 {
			f.calls = append(f.calls, calls...)
			f.leave(end)
			return f.buf != ""
		}
	}
	if end < 0 && !final {
		out.WriteString(f.buf)
		f.spill(len(f.buf))
		return false
	}
	f.verbatim(out, end)
	return f.buf != ""
}

// inFence looks for the end of code that begins with a JSON value. Code that is too long for a call is text, up to its end.
func (f *Filter) inFence(out *strings.Builder, final bool) bool {
	end, from := -1, max(f.block.pos, len(fenceMark))
	if f.block.over {
		from = 0
	}
	if i := strings.Index(f.buf[min(from, len(f.buf)):], "\n"+fenceMark); i >= 0 {
		end = from + i + 1 + len(fenceMark)
	}
	if end < 0 && !final && !f.block.over && !f.tooLong(end) {
		f.block.pos = max(0, len(f.buf)-len(fenceMark))
		return false
	}
	if !f.block.over && !f.tooLong(end) && f.takeFence(end) {
		return f.buf != ""
	}
	if end < 0 && !final {
		keep := max(0, len(f.buf)-len(fenceMark)) // the closing fence may have begun
		out.WriteString(f.buf[:keep])
		f.spill(keep)
		return false
	}
	f.verbatim(out, end)
	f.fence = end < 0 // the closing fence was passed on with the rest
	return f.buf != ""
}

// takeFence takes the calls out of fenced code, if it is one.
func (f *Filter) takeFence(end int) bool {
	body := f.buf
	if end >= 0 {
		body = f.buf[:end-len(fenceMark)]
	} else {
		end = len(f.buf)
	}
	_, body, _ = strings.Cut(body, "\n")
	calls := readJSON(body, f.specs, false)
	if len(calls) == 0 {
		return false
	}
	f.calls = append(f.calls, calls...)
	f.leave(end)
	return true
}

// tooLong reports whether the block, which ends there or not yet (-1), cannot be a call any more.
func (f *Filter) tooLong(end int) bool {
	if end < 0 {
		end = len(f.buf)
	}
	return end > maxBlock
}

// spill notes that so much of a block was passed on, and that the rest of it is text as well.
func (f *Filter) spill(shown int) {
	if shown > 0 {
		f.prev = f.buf[shown-1]
	}
	f.buf, f.block.pos, f.block.over = f.buf[shown:], 0, true
}

// leave drops a call from the text.
func (f *Filter) leave(end int) {
	f.buf, f.block, f.line, f.prev = f.buf[end:], block{}, true, '\n'
}

// verbatim passes on what turned out to be no call; end < 0 means all.
func (f *Filter) verbatim(out *strings.Builder, end int) {
	if end < 0 {
		end = len(f.buf)
	}
	out.WriteString(f.buf[:end])
	if end > 0 {
		f.prev = f.buf[end-1]
	}
	f.line = false
	f.buf, f.block = f.buf[end:], block{}
}

// indexFold is strings.Index without regard to ASCII case.
func indexFold(s, substr string) int {
	for i := 0; i+len(substr) <= len(s); i++ {
		j := strings.IndexByte(s[i:], substr[0])
		if j < 0 {
			return -1
		}
		if i += j; i+len(substr) <= len(s) && strings.EqualFold(s[i:i+len(substr)], substr) {
			return i
		}
	}
	return -1
}
