// Package cite turns the citations that a model writes into what a reader
// sees. The model is given documents as {"document": n} and writes [n]; the
// reader gets numbered links, 1, 2, 3 … in the order of first use. Text that
// only looks like a citation — code, years, arrays, links, math — is left
// exactly as written.
//
// The package also checks citations: Sentences yields what a finished answer
// claims with which numbers, and Supported says how far a claim's words and
// numbers are found in the cited text.
package cite

import (
	"strings"
	"unicode/utf8"
)

// Options configure a Processor.
type Options struct {
	// Numbering is shared between the processors of one turn. Without one, the
	// processor has its own.
	Numbering *Numbering
	// Keep, if set, is asked about every citation, with its sentence as
	// Sentences yields it and the model's number. What it refuses is left out,
	// with the blanks that stood only for it. A citation then waits, with the
	// text behind it, until its sentence is known: mostly for the first letter
	// of the next sentence, never for more than 1 KB.
	Keep func(sentence string, n int) bool
	// Lead, if set, is asked where the model's number n leads. It returns nil where that does not
	// depend on the sentence; else a citation waits as with Keep, and the function returned chooses
	// the place.
	Lead func(n int) func(sentence string) Source
	// Invented, if set, is called with how many numbers were left out of a bracket: numbers that
	// were never shown, at most inventedAbove above the highest that was, directly behind a
	// statement.
	Invented func(numbers int)
	// DropList leaves out a list of sources that the model itself wrote at the end of a message.
	DropList bool
}

// Event is one piece of output: either Text, or the Info of a document whose
// first link stands in the text that follows.
type Event struct {
	Text string
	Info *Info
}

// Processor is a streaming transducer from a model's deltas to what the reader
// sees. The result does not depend on how the text was cut into deltas. Time is
// linear in the input. At most 128 bytes are held back, and only from the
// beginning of an unfinished bracket expression or character; Options.Keep
// holds back more.
//
// A Processor is not safe for concurrent use; the Mapping may grow meanwhile.
type Processor struct {
	scan   scanner
	judge  *judge   // nil: no citation waits for its sentence
	list   *ownList // nil: a list of the model's own is text
	render renderer
}

// NewProcessor returns a processor for one turn. The mapping belongs to the
// session and says which numbers are real; nil stands for an empty one.
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
		p.judge = &judge{to: &p.render, keep: opts.Keep, lead: opts.Lead, invented: opts.Invented}
		out = p.judge
	}
	p.scan = newScanner(out, mapping.known)
	if opts.DropList {
		p.list = newOwnList(mapping, p.scan.push)
	}
	if opts.Invented != nil {
		p.scan.invented = mapping.invented
	}
	return p
}

// Push takes the next delta and appends to events what can be shown now. The
// caller may reuse the slice for the next call; events that were appended stay
// valid. Text is whole characters as long as the input is valid UTF-8.
func (p *Processor) Push(delta string, events []Event) []Event {
	p.render.events = events
	if p.list != nil {
		p.list.push(delta)
	} else {
		p.scan.push(delta)
	}
	p.render.endPush(delta, p.scan.held() > 0 || p.judge != nil && p.judge.sent < len(p.judge.body))
	events, p.render.events = p.render.events, nil
	return events
}

// Flush ends a message: it appends what was held back, and the processor is
// ready for the next message of the turn. A finished citation at the end is
// converted, an unfinished one comes out as it was written. Numbers go on.
func (p *Processor) Flush(events []Event) []Event {
	p.render.events = events
	if p.list != nil {
		p.list.finish()
	}
	p.scan.finish()
	if p.judge != nil {
		p.judge.finish()
	}
	p.render.endMessage()
	events, p.render.events = p.render.events, nil
	return events
}

// Cited returns the documents cited so far in this turn, in the order of first
// use. The caller owns the slice.
func (p *Processor) Cited() []Info { return p.render.numbering.Cited() }

// Text converts a whole message at once.
func (p *Processor) Text(message string) string {
	var b strings.Builder
	for _, e := range p.Flush(p.Push(message, nil)) {
		b.WriteString(e.Text)
	}
	return b.String()
}

// Clean returns what a model wrote without numbers that it made up and without its own list of
// sources, as Options.Invented and DropList have it. Citations stay as they were written.
func Clean(message string, mapping *Mapping) string {
	p := NewProcessor(mapping, Options{Invented: func(int) {}, DropList: true})
	p.render.raw = true
	return p.Text(message)
}

// unfinished returns the length of an incomplete character at the end of b.
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
