// Package textcall finds tool calls in the text of models that have no tool interface or do not use
// it. It works on a stream. Readers never see the markup of a call, and they see all other text as
// early as possible.
package textcall

import (
	"strings"

	"github.com/footnotehq/footnote/core/llm"
)

// maxBlock is the maximum length of a call in bytes. A longer JSON value is shown as text. A longer
// block in tags is dropped.
const maxBlock = 64 << 10

// tags open and close calls. A block without a closing tag extends to the end of the text.
var tags = []struct{ open, close string }{
	{"<tool_call>", "</tool_call>"},
	{"<tool_calls>", "</tool_calls>"},
	{"<function_calls>", "</function_calls>"},
	{"<invoke ", "</invoke>"},
	{"<function=", "</function>"},
	{"[TOOL_CALLS]", ""},
}

const fenceMark = "```"

// maxGap is the maximum number of bytes after an opening mark, such as "[", that are held back
// until it is clear whether a call follows.
const maxGap = 64

// Filter extracts tool calls from one message. It recognises calls in tags outside of code. If bare
// JSON is allowed, it also recognises JSON calls of offered tools. Such a call must be at the start
// of a line or alone in a code fence. A Filter is not safe for concurrent use.
type Filter struct {
	specs []llm.ToolSpec
	bare  bool

	buf          string // undecided text
	lineStart    bool   // the line has only white space so far
	inFencedCode bool   // inside fenced code
	prev         byte
	block        block
	calls        []llm.ToolCall
}

type block struct {
	kind      kind
	close     string // of tags
	pos       int    // offset up to which buf was scanned
	oversized bool   // longer than maxBlock; earlier bytes were removed from buf
	json      scan
}

type kind int

const (
	outside kind = iota
	tagged
	object // a JSON value
	fenced // code that begins with a JSON value
)

// NewFilter returns a filter for calls of the tools. If bare is set, it also accepts calls without
// tags, for models that use no tags.
func NewFilter(specs []llm.ToolSpec, bare bool) *Filter {
	return &Filter{specs: specs, bare: bare && len(specs) > 0, lineStart: true}
}

// Push adds the next piece of the message and returns the text that may be shown now.
func (f *Filter) Push(delta string) string {
	if f.buf == "" && f.block.kind == outside && !f.inFencedCode && !f.bare && f.prev != '`' && !strings.ContainsAny(delta, "<[`\n") && delta != "" {
		f.lineStart = f.lineStart && strings.TrimLeft(delta, " \t") == ""
		f.prev = delta[len(delta)-1]
		return delta
	}
	f.buf += delta
	var out strings.Builder
	for f.advance(&out, false) {
	}
	return out.String()
}

// Flush ends the message and returns the text that was held back. An incomplete call counts as a
// call if it can be parsed. Otherwise Flush drops it.
func (f *Filter) Flush() string {
	var out strings.Builder
	for f.advance(&out, true) {
	}
	return out.String()
}

// Calls returns the calls found so far. They have no ids.
func (f *Filter) Calls() []llm.ToolCall { return f.calls }

// advance processes the next part of the buffered text, and writes text that is no call to out. It
// returns false if it needs more input. final says that the message has ended.
func (f *Filter) advance(out *strings.Builder, final bool) bool {
	switch f.block.kind {
	case tagged:
		return f.inTag(final)
	case object:
		return f.inObject(out, final)
	case fenced:
		return f.inFence(out, final)
	default:
		return f.passPlain(out, final)
	}
}

func (f *Filter) passPlain(out *strings.Builder, final bool) bool {
	for i := 0; i < len(f.buf); i++ {
		rest := f.buf[i:]
		verdict := notBlock
		if f.lineStart && rest[0] == '`' {
			verdict = f.atFence(rest)
		} else if !f.inFencedCode && f.prev != '`' {
			verdict = f.atBlock(rest)
		}
		if verdict == isBlock || verdict == maybeBlock && !final {
			out.WriteString(f.buf[:i])
			f.buf = rest
			return verdict == isBlock
		}
		f.notePlain(f.buf[i])
	}
	out.WriteString(f.buf)
	f.buf = ""
	return false
}

func (f *Filter) notePlain(c byte) {
	f.lineStart = c == '\n' || f.lineStart && (c == ' ' || c == '\t' || c == '\r')
	f.prev = c
}

type blockMatch int

const (
	notBlock blockMatch = iota
	maybeBlock
	isBlock
)

func (f *Filter) atBlock(rest string) blockMatch {
	if c := rest[0]; c == '<' || c == '[' {
		for _, t := range tags {
			switch {
			case len(rest) >= len(t.open) && strings.EqualFold(rest[:len(t.open)], t.open):
				f.block = block{kind: tagged, close: t.close}
				return isBlock
			case len(rest) < len(t.open) && strings.EqualFold(rest, t.open[:len(rest)]):
				return maybeBlock
			}
		}
	}
	if f.bare && f.lineStart {
		v := beginsValue(rest)
		if v == isBlock {
			f.block = block{kind: object}
		}
		return v
	}
	return notBlock
}

func beginsValue(rest string) blockMatch {
	if rest[0] == '{' {
		return isBlock
	}
	if rest[0] != '[' {
		return notBlock
	}
	inner := strings.TrimLeft(rest[1:], " \t\r\n")
	switch {
	case inner == "" && len(rest) < maxGap:
		return maybeBlock
	case inner != "" && inner[0] == '{':
		return isBlock
	default:
		return notBlock
	}
}

// atFence reports whether rest begins a block of fenced code that may contain a call. rest must
// begin with a backtick at the start of a line. For any other fence, atFence notes that code begins
// or ends.
func (f *Filter) atFence(rest string) blockMatch {
	if len(rest) < len(fenceMark) {
		if strings.HasPrefix(fenceMark, rest) {
			return maybeBlock
		}
		return notBlock
	}
	if !strings.HasPrefix(rest, fenceMark) {
		return notBlock
	}
	if f.bare && !f.inFencedCode {
		info, body, whole := strings.Cut(rest[len(fenceMark):], "\n")
		if !whole && len(info) < 20 {
			return maybeBlock
		}
		body = strings.TrimLeft(body, " \t\r\n")
		switch info = strings.ToLower(strings.TrimSpace(info)); {
		case info != "" && info != "json" && info != "tool_call" && info != "tool_code" && info != "tool":
		case body == "" && len(rest) < maxGap:
			return maybeBlock
		case body != "" && beginsValue(body) != notBlock:
			f.block = block{kind: fenced}
			return isBlock
		}
	}
	f.inFencedCode = !f.inFencedCode
	f.lineStart = false // do not scan the rest of the line again
	return notBlock
}

// inTag looks for the end of a call in tags, and extracts the calls. If the block is too long, it
// takes the complete calls in the first maxBlock bytes and drops the rest. It returns false if it
// needs more input.
func (f *Filter) inTag(final bool) bool {
	end, size := -1, len(f.block.close)
	if size > 0 {
		if i := indexFold(f.buf[f.block.pos:], f.block.close); i >= 0 {
			end = f.block.pos + i + size
		}
	}
	whole, long := end >= 0, f.tooLong(end)
	if !whole && !final && !long && !f.block.oversized {
		f.block.pos = max(0, len(f.buf)-size)
		return false
	}
	if !whole {
		end = len(f.buf)
	}
	switch {
	case f.block.oversized:
	case long:
		f.calls = append(f.calls, parseTags(f.buf[:maxBlock], f.specs, false)...)
	default:
		f.calls = append(f.calls, parseTags(f.buf[:end], f.specs, whole)...)
	}
	if !whole && !final {
		f.block.oversized, f.block.pos = true, 0
		f.buf = f.buf[max(0, len(f.buf)-max(0, size-1)):] // buf may end with part of the closing tag
		return false
	}
	f.dropCall(end)
	return f.buf != ""
}

// inObject looks for the end of a JSON value and extracts its calls. A value that is too long or
// contains no call is shown as text.
func (f *Filter) inObject(out *strings.Builder, final bool) bool {
	end := f.block.json.end(f.buf, f.block.pos)
	f.block.pos = len(f.buf)
	if end < 0 && !final && !f.block.oversized && !f.tooLong(end) {
		return false
	}
	if end >= 0 && !f.block.oversized && !f.tooLong(end) {
		if calls := parseJSON(f.buf[:end], f.specs, false); len(calls) > 0 {
			f.calls = append(f.calls, calls...)
			f.dropCall(end)
			return f.buf != ""
		}
	}
	if end < 0 && !final {
		out.WriteString(f.buf)
		f.spillBlock(len(f.buf))
		return false
	}
	f.passVerbatim(out, end)
	return f.buf != ""
}

// inFence looks for the end of fenced code that begins with a JSON value, and extracts its calls.
// Code that is too long or contains no call is shown as text.
func (f *Filter) inFence(out *strings.Builder, final bool) bool {
	end, from := -1, max(f.block.pos, len(fenceMark))
	if f.block.oversized {
		from = 0
	}
	if i := strings.Index(f.buf[min(from, len(f.buf)):], "\n"+fenceMark); i >= 0 {
		end = from + i + 1 + len(fenceMark)
	}
	if end < 0 && !final && !f.block.oversized && !f.tooLong(end) {
		f.block.pos = max(0, len(f.buf)-len(fenceMark))
		return false
	}
	if !f.block.oversized && !f.tooLong(end) && f.takeFence(end) {
		return f.buf != ""
	}
	if end < 0 && !final {
		keep := max(0, len(f.buf)-len(fenceMark)) // buf may end with part of the closing fence
		out.WriteString(f.buf[:keep])
		f.spillBlock(keep)
		return false
	}
	f.passVerbatim(out, end)
	f.inFencedCode = end < 0 // the closing fence was emitted with the rest
	return f.buf != ""
}

// takeFence extracts the calls from fenced code that ends at end, or at the end of the message if
// end is negative. It returns false if the code is not a list of calls.
func (f *Filter) takeFence(end int) bool {
	body := f.buf
	if end >= 0 {
		body = f.buf[:end-len(fenceMark)]
	} else {
		end = len(f.buf)
	}
	_, body, _ = strings.Cut(body, "\n")
	calls := parseJSON(body, f.specs, false)
	if len(calls) == 0 {
		return false
	}
	f.calls = append(f.calls, calls...)
	f.dropCall(end)
	return true
}

func (f *Filter) tooLong(end int) bool {
	if end < 0 {
		end = len(f.buf)
	}
	return end > maxBlock
}

// spillBlock gives up on a block whose first shown bytes were written as text. The rest is then
// treated as text too.
func (f *Filter) spillBlock(shown int) {
	if shown > 0 {
		f.prev = f.buf[shown-1]
	}
	f.buf, f.block.pos, f.block.oversized = f.buf[shown:], 0, true
}

func (f *Filter) dropCall(end int) {
	f.buf, f.block, f.lineStart, f.prev = f.buf[end:], block{}, true, '\n'
}

func (f *Filter) passVerbatim(out *strings.Builder, end int) {
	if end < 0 {
		end = len(f.buf)
	}
	out.WriteString(f.buf[:end])
	if end > 0 {
		f.prev = f.buf[end-1]
	}
	f.lineStart = false
	f.buf, f.block = f.buf[end:], block{}
}

// indexFold is strings.Index that ignores ASCII case.
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
