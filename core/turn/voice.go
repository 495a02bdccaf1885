package turn

import (
	"strings"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
)

// messageBreak stands between two messages of one answer, such as narration before a tool call and what follows it.
const messageBreak = "\n\n"

// block is what is open in the user interface.
type block int

const (
	none block = iota
	reasoning
	writing
)

// voice turns what a model says into packets: one block at a time, each closed before the next one opens. It is used by one goroutine.
type voice struct {
	emit      *packet.Emitter
	here      *packet.Emitter // of the block that is open
	record    recorder
	citations *cite.Processor
	events    []cite.Event

	block block
	index int // of the block that is open, or of the next one

	// strict holds a message back until it cites something; one that never does is not shown.
	strict  bool
	pending []packet.Payload
	raw     strings.Builder
	dropped bool            // the last message was not shown
	said    strings.Builder // what the model wrote since take, shown or not; a blank line parts its messages
	gathers []packet.Document
}

// newVoice returns a voice whose citations are what citations makes of them.
func newVoice(emit *packet.Emitter, record recorder, citations *cite.Processor, strict bool) *voice {
	return &voice{emit: emit, record: record, strict: strict, citations: citations}
}

// open begins a block, after ending the one before it.
func (v *voice) open(b block) {
	v.close()
	v.block, v.here = b, v.emit.At(packet.Placement{TurnIndex: v.index})
}

// reason passes on reasoning.
func (v *voice) reason(text string) {
	if v.block != reasoning {
		v.open(reasoning)
		v.here.Emit(packet.ReasoningStart{})
	}
	v.record.Reasoned(text)
	v.here.Emit(packet.ReasoningDelta{Text: text})
}

// say passes on text of the answer. White space before the first word opens no message.
func (v *voice) say(text string) {
	if v.block != writing {
		if text = strings.TrimLeft(text, " \t\r\n"); text == "" {
			return
		}
		v.open(writing)
		v.dropped = false
		if v.said.Len() > 0 {
			v.said.WriteString(messageBreak)
		}
		v.pending = append(v.pending, packet.MessageStart{Documents: v.gathers})
		if !v.strict {
			v.release()
		}
	}
	v.said.WriteString(text)
	if len(v.pending) > 0 {
		v.raw.WriteString(text)
	} else {
		v.record.Wrote(text)
	}
	v.events = v.citations.Push(text, v.events[:0])
	v.show()
}

// take returns what was said since the last call, as the model wrote it.
func (v *voice) take() string {
	defer v.said.Reset()
	return v.said.String()
}

// show passes on the events, or holds them back.
func (v *voice) show() {
	for _, e := range v.events {
		var p packet.Payload
		switch {
		case e.Info != nil:
			v.record.Cited(*e.Info)
			v.release()
			link, _ := cite.LinkURL(e.Info.URL) // empty when it must not be linked
			p = packet.CitationInfo{
				Number: e.Info.Number, Document: e.Info.Document, Title: e.Info.Title, Section: e.Info.Section, URL: link, Source: document.Kind(e.Info.Kind),
			}
		case e.Text == "":
			continue
		case len(v.pending) > 0:
			v.pending = append(v.pending, packet.MessageDelta{Text: e.Text})
			continue
		default:
			v.record.Showed(e.Text)
			p = packet.MessageDelta{Text: e.Text}
		}
		v.here.Emit(p)
	}
}

// release shows what was held back, and everything from now on.
func (v *voice) release() {
	if len(v.pending) == 0 {
		return
	}
	held := v.pending
	v.pending = nil
	v.record.Opened()
	v.record.Wrote(v.raw.String())
	v.raw.Reset()
	for _, p := range held {
		if d, ok := p.(packet.MessageDelta); ok {
			v.record.Showed(d.Text)
		}
		v.here.Emit(p)
	}
}

// close ends the block that is open, if any. A message that is still held back is dropped.
func (v *voice) close() {
	switch v.block {
	case none:
		return
	case reasoning:
		v.here.Emit(packet.ReasoningDone{})
	case writing:
		v.events = v.citations.Flush(v.events[:0])
		v.show()
		if len(v.pending) > 0 {
			v.pending = nil
			v.raw.Reset()
			v.block, v.dropped = none, true
			return
		}
		v.here.Emit(packet.SectionEnd{})
	}
	v.block = none
	v.index++
}

// next is the place of a block that is not the voice's own, such as tools; the call uses it up.
func (v *voice) next() *packet.Emitter {
	v.close()
	v.index++
	return v.emit.At(packet.Placement{TurnIndex: v.index - 1})
}

// gathered adds documents to those that the next message names as found.
func (v *voice) gathered(references []message.Reference) {
	for _, r := range references {
		known := r.Text == "" // the model saw no more than its title
		for _, d := range v.gathers {
			known = known || d.ID == r.Document.ID
		}
		if !known {
			v.gathers = append(v.gathers, packet.DocumentOf(r.Document, r.Anchor, r.Score))
		}
	}
	v.gathers = v.gathers[:len(v.gathers):len(v.gathers)] // packets keep what they were given
}
