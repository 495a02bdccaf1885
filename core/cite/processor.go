// Package cite converts the citations that a model writes into the links that a reader sees. The
// model gets documents as {"document": n} and writes [n]. The reader gets numbered links, 1, 2, 3 …
// in the order of first use. Text that only looks like a citation, such as code, years, arrays,
// links and math, is unchanged.
//
// The package also checks citations. Sentences yields the statements of a finished answer with
// their numbers. Supported returns how much of a statement's words and numbers the cited text
// contains.
package cite

import (
	"strings"
	"unicode/utf8"
)

// Options configure a [Processor].
type Options struct {
	// Numbering is shared between the processors of one turn. With nil, the processor has a
	// separate Numbering.
	Numbering *Numbering
	// Keep is called for every citation with its sentence, as Sentences yields it, and the model's
	// number. If Keep returns false, the citation is dropped with the blanks around it. If Keep is
	// set, a citation and the text after it wait until the sentence is complete. The wait mostly
	// ends at the first letter of the next sentence, and at the latest after 1 KB. nil keeps all
	// citations.
	Keep func(sentence string, n int) bool
	// Lead returns a function that chooses the source of the model's number n for a sentence. It
	// returns nil if the source does not depend on the sentence. Otherwise the citation waits as
	// with Keep. A nil Lead means that no source depends on a sentence.
	Lead func(n int) func(sentence string) Source
	// Invented is called with the count of numbers that were dropped from a bracket because no
	// passage has them. The bracket must directly follow a statement. The numbers must be at most
	// inventedAbove above the highest known number. nil keeps invented numbers.
	Invented func(numbers int)
	// DropList drops a list of sources that the model wrote at the end of a message.
	DropList bool
}

// Event is a piece of a [Processor]'s output: text, or the [Info] of a cited section. The Info
// comes before the text with the first link to the section.
type Event struct {
	Text string
	Info *Info
}

// Processor replaces the citations in a model's streamed text with numbered links. The result does
// not depend on how the text was cut into deltas. A Processor holds back at most 128 bytes, or more
// if [Options] need a whole sentence or list. Time is linear in the input.
//
// A Processor is not safe for concurrent use. Its [Mapping] may grow while it is used.
type Processor struct {
	scan    scanner
	checker *citationChecker // nil: no citation waits for its sentence
	sources *sourceList      // nil: lists of sources stay
	render  renderer
}

// NewProcessor returns a [Processor] for one turn. mapping resolves the numbers in the model's
// text. nil means an empty mapping.
func NewProcessor(mapping *Mapping, opts Options) *Processor {
	if mapping == nil {
		mapping = NewMapping()
	}
	numbering := opts.Numbering
	if numbering == nil {
		numbering = NewNumbering()
	}
	p := &Processor{render: renderer{mapping: mapping, numbering: numbering}}
	p.render.startMessage()
	var out sink = &p.render
	if opts.Keep != nil || opts.Lead != nil || opts.Invented != nil {
		p.checker = &citationChecker{to: &p.render, keep: opts.Keep, lead: opts.Lead, invented: opts.Invented}
		out = p.checker
	}
	p.scan = newScanner(out, mapping.isKnown)
	if opts.DropList {
		p.sources = newSourceList(mapping, p.scan.push)
	}
	if opts.Invented != nil {
		p.scan.isInvented = mapping.isInvented
	}
	return p
}

// Push processes the next delta and appends the output to events. The caller may reuse the slice
// for the next call. If the input is valid UTF-8, each text consists of whole characters.
func (p *Processor) Push(delta string, events []Event) []Event {
	p.render.events = events
	if p.sources != nil {
		p.sources.push(delta)
	} else {
		p.scan.push(delta)
	}
	p.render.endPush(delta, p.scan.heldText() > 0 || p.checker != nil && p.checker.sent < len(p.checker.body))
	events, p.render.events = p.render.events, nil
	return events
}

// Flush ends a message and appends the remaining output to events. It converts a complete citation
// at the end, and leaves an incomplete one unchanged. The Processor is then ready for the next
// message and continues its numbers.
func (p *Processor) Flush(events []Event) []Event {
	p.render.events = events
	if p.sources != nil {
		p.sources.finish()
	}
	p.scan.finish()
	if p.checker != nil {
		p.checker.finish()
	}
	p.render.endMessage()
	events, p.render.events = p.render.events, nil
	return events
}

// Cited returns the sections cited so far in this turn, in the order of first use. The caller may
// modify the slice.
func (p *Processor) Cited() []Info { return p.render.numbering.Cited() }

// Text returns a whole message with numbered links instead of citations.
func (p *Processor) Text(message string) string {
	var b strings.Builder
	for _, e := range p.Flush(p.Push(message, nil)) {
		b.WriteString(e.Text)
	}
	return b.String()
}

// Clean removes citations of unknown numbers, and a list of sources at the end, from a model's
// text. It does not change other citations.
func Clean(message string, mapping *Mapping) string {
	p := NewProcessor(mapping, Options{Invented: func(int) {}, DropList: true})
	p.render.raw = true
	return p.Text(message)
}

// unfinished returns the number of bytes of an incomplete UTF-8 character at the end of b.
func unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
