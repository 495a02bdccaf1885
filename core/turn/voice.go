package turn

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
)

// messageBreak stands between two messages of one answer, such as narration before a tool call and
// what follows it.
const messageBreak = "\n\n"

// block is what is open in the user interface.
type block int

const (
	none block = iota
	reasoning
	writing
)

// voice turns what a model says into packets: one block at a time, each closed before the next one
// opens. It is used by one goroutine and by its own timer, which shows a message that was held back
// for long enough.
type voice struct {
	mu        sync.Mutex
	timer     *time.Timer // of the message that is held back; nil: none
	held      int         // counts messages, so that a timer releases none but its own
	emit      *packet.Emitter
	here      *packet.Emitter // of the block that is open
	record    recorder
	citations *cite.Processor
	events    []cite.Event

	block block
	index int // of the block that is open, or of the next one

	// strict holds a message back until it cites something; one that never does is not shown.
	strict bool
	// denials shows a message that is held back by strict if it says, and says no more than, that
	// the documents do not answer.
	denials bool
	// holding holds a message back until it is long enough to be more than narration, or cites
	// something, for maxHold at most. narrate makes status of it.
	holding bool
	// of the first message that is shown, where the reader needs to know how it came about
	preface string
	pending []packet.Payload
	raw     strings.Builder
	dropped bool // the last message was not shown
	// what the model wrote since take, shown or not; a blank line parts its messages
	said    strings.Builder
	gathers []packet.Document
}

// newVoice returns a voice whose citations are what citations makes of them.
func newVoice(emit *packet.Emitter, record recorder, citations *cite.Processor, strict bool) *voice {
	return &voice{emit: emit, record: record, strict: strict, citations: citations}
}

// open begins a block, after ending the one before it.
func (v *voice) open(b block) {
	v.end()
	v.block, v.here = b, v.emit.At(packet.Placement{TurnIndex: v.index})
}

// reason passes on reasoning.
func (v *voice) reason(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.block != reasoning {
		v.open(reasoning)
		v.here.Emit(packet.ReasoningStart{})
	}
	v.record.Reasoned(text)
	v.here.Emit(packet.ReasoningDelta{Text: text})
}

// say passes on text of the answer. White space before the first word opens no message.
func (v *voice) say(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
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
		switch {
		case v.strict:
		case v.holding:
			v.hold()
		default:
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
	if v.holding && !v.strict && len(v.pending) > 0 && isAnswer(v.raw.String()) {
		v.release()
	}
}

// maxHold is how long words may be held back to see whether a tool call follows: models send it
// right behind their narration, and a reader should see words as they are written.
const maxHold = 700 * time.Millisecond

// hold shows the message that has just begun after maxHold, unless it ends before.
func (v *voice) hold() {
	v.held++
	message := v.held
	v.timer = time.AfterFunc(maxHold, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.held == message && v.timer != nil {
			v.release()
		}
	})
}

// narration is how many characters a model may write before a tool call without being taken to
// answer.
const narration = 200

// isAnswer reports whether a text is more than the narration of a model that is about to call a
// tool: it is long, or has a second paragraph.
func isAnswer(text string) bool {
	return strings.Contains(strings.TrimRight(text, " \t\r\n"), "\n\n") || utf8.RuneCountInString(text) >= narration
}

// narrate makes status of a message that is held back, because a tool call follows it.
func (v *voice) narrate() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.block != writing || v.strict || len(v.pending) == 0 {
		return
	}
	v.events = v.citations.Flush(v.events[:0])
	v.show()
	var text strings.Builder
	for _, p := range v.pending {
		if d, ok := p.(packet.MessageDelta); ok {
			text.WriteString(d.Text)
		}
	}
	if len(v.pending) == 0 { // its end cites something
		return
	}
	v.drop()
	v.here.Emit(packet.Status{Text: strings.TrimSpace(text.String())})
}

// take returns what was said since the last call, as the model wrote it.
func (v *voice) take() string {
	v.mu.Lock()
	defer v.mu.Unlock()
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
	v.unhold()
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
		if _, starts := p.(packet.MessageStart); starts && v.preface != "" {
			v.record.Showed(v.preface)
			v.here.Emit(packet.MessageDelta{Text: v.preface})
			v.preface = ""
		}
	}
}

// called notes that a tool call has begun: what is held back is narration, however long the call
// takes to arrive.
func (v *voice) called() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.unhold()
}

// unhold stops the timer of a message that is held back.
func (v *voice) unhold() {
	if v.timer != nil {
		v.timer.Stop()
		v.timer = nil
	}
}

// drop forgets the message that is held back.
func (v *voice) drop() {
	v.unhold()
	v.pending = nil
	v.raw.Reset()
	v.block, v.dropped = none, true
}

// close ends the block that is open, if any. A message that is still held back is dropped.
func (v *voice) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.end()
}

func (v *voice) end() {
	switch v.block {
	case none:
		return
	case reasoning:
		v.here.Emit(packet.ReasoningDone{})
	case writing:
		v.events = v.citations.Flush(v.events[:0])
		v.show()
		if !v.strict || v.denials && deniesOnly(v.raw.String()) {
			v.release()
		}
		if len(v.pending) > 0 {
			v.drop()
			return
		}
		v.here.Emit(packet.SectionEnd{})
	}
	v.block = none
	v.index++
}

// next is the place of a block that is not the voice's own, such as tools; the call uses it up.
func (v *voice) next() *packet.Emitter {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.end()
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
