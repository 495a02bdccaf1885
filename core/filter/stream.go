package filter

import (
	"context"
	"strings"
	"unicode/utf8"
)

// Action says what happens to an answer that matches a block list.
type Action string

// The values of [Action].
const (
	Mask Action = "redact" // matches are masked
	Stop Action = "stop"   // the answer ends before the first match
)

// Listed is a stage that removes matches of a block list from answers.
type Listed struct {
	List   *List
	Action Action // empty: Mask
}

var _ Stage = Listed{}

// Screen implements Stage. The Screen holds back only text that may become part of a match. If a
// pattern has no maximum length, it holds back the whole paragraph.
func (l Listed) Screen(Answer) Screen { return &listScreen{Listed: l} }

const (
	// maxParagraph is the maximum number of bytes that are searched at once if a pattern has no
	// maximum length.
	maxParagraph = 16 << 10
	// minWindow is the minimum number of bytes that are searched at once in a longer text.
	minWindow = 512
	// stride is the number of bytes that must arrive before the text is matched again.
	stride = 32
)

func (l *List) window() int {
	if l.longest == unbounded {
		return maxParagraph
	}
	return min(max(minWindow, 4*l.longest), 2*maxParagraph)
}

type listScreen struct {
	Listed
	raw     string
	shown   int  // number of bytes of raw that were shown
	looked  int  // length of raw when it was last matched
	begun   bool // raw begins with a character that was shown already
	stopped bool
}

// Push implements Screen.
func (s *listScreen) Push(_ context.Context, text string) (string, error) {
	var out strings.Builder
	for text != "" && !s.stopped {
		// The windows do not depend on how the text is split into pieces.
		n := min(len(text), s.List.window()-len(s.raw))
		if end := paragraphEnd(s.raw, text[:n]); end > 0 {
			n = end
		}
		s.raw += text[:n]
		text = text[n:]
		switch {
		case endsParagraph(s.raw):
			s.showSettled(&out, true)
			s.begin()
		case len(s.raw) >= s.List.window():
			s.showSettled(&out, s.List.longest == unbounded)
			s.advance(&out)
		case len(s.raw) >= s.looked+stride:
			s.showSettled(&out, false)
		}
	}
	return out.String(), s.err()
}

// advance drops the text that was already shown from raw. It keeps the last visible character,
// which decides whether a word can begin after it.
func (s *listScreen) advance(out *strings.Builder) {
	half := s.List.window() / 2
	if len(s.raw)-s.shown > half { // invisible marks without an end
		s.showSettled(out, true)
	}
	keep := s.shown
	if p := project(s.raw[:s.shown], true); len(p.text) > 0 {
		_, size := utf8.DecodeLastRuneInString(p.text)
		if last := p.at[len(p.text)-size]; s.shown-last < half {
			keep = last
		}
	}
	s.begun = s.shown > keep
	s.raw, s.shown = s.raw[keep:], s.shown-keep
	s.looked = len(s.raw)
}

func (s *listScreen) begin() { s.raw, s.shown, s.looked, s.begun = "", 0, 0, false }

// Flush implements Screen.
func (s *listScreen) Flush(context.Context) (string, error) {
	var out strings.Builder
	if !s.stopped {
		s.showSettled(&out, true)
		s.begin()
	}
	return out.String(), s.err()
}

func (s *listScreen) err() error {
	if s.stopped {
		return &Blocked{sentenceBlock}
	}
	return nil
}

// showSettled writes the part of the text that further input cannot change to out, with all matches
// masked. If final is true, this is all text. If the action is Stop, it writes only the text before
// the first match.
func (s *listScreen) showSettled(out *strings.Builder, final bool) {
	s.looked = len(s.raw)
	if !final && s.List.longest == unbounded { // only a complete paragraph can be matched
		return
	}
	p := project(s.raw, final)
	settled, upTo := len(p.text), p.end
	if !final {
		// A match that begins before settled is complete, and so is the character after it.
		settled = max(0, len(p.text)-s.List.longest-utf8.UTFMax)
		for settled > 0 && settled < len(p.text) && !utf8.RuneStart(p.text[settled]) {
			settled--
		}
		if settled < len(p.text) {
			upTo = p.at[settled]
		}
	}
	found := s.List.find(p)
	kept := found[:0]
	for _, m := range found {
		// A match at the character that was already shown was handled earlier. If it is new, it
		// only seems to begin a paragraph.
		if m.from < settled && (m.from > 0 || !s.begun) {
			kept = append(kept, m)
			upTo = max(upTo, p.at[m.to-1]+1)
		}
	}
	if len(kept) > 0 && s.Action == Stop {
		first := kept[0].from
		for _, m := range kept {
			first = min(first, m.from)
		}
		if at := p.at[first]; at > s.shown {
			out.WriteString(s.raw[s.shown:at])
		}
		s.stopped, s.raw = true, ""
		return
	}
	if upTo > s.shown {
		out.WriteString(p.mask(s.raw, s.shown, upTo, kept))
		s.shown = upTo
	}
}

// paragraphEnd returns how many bytes of text belong to the paragraph that begins in raw. It
// returns 0 if the paragraph does not end in text.
func paragraphEnd(raw, text string) int {
	blank := blankSince(raw)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n' && blank:
			return i + 1
		case c == '\n':
			blank = true
		case c != ' ' && c != '\t' && c != '\r':
			blank = false
		}
	}
	return 0
}

// blankSince reports whether only blanks follow the last line break in raw.
func blankSince(raw string) bool {
	return strings.HasSuffix(strings.TrimRight(raw, " \t\r"), "\n")
}

func endsParagraph(raw string) bool {
	before, ok := strings.CutSuffix(raw, "\n")
	return ok && blankSince(before)
}
