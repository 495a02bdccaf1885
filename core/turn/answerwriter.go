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

// messageBreak separates messages of one answer, such as the narration before a tool call and the
// text after the call.
const messageBreak = "\n\n"

type block int

const (
	none block = iota
	reasoning
	writing
)

// answerWriter converts a model's output into packets. Packets form blocks, such as a message or
// reasoning, and it closes each block before it begins the next. It may hold a message back, for
// example until the message has a citation. One goroutine and the timer of the held message use it.
type answerWriter struct {
	mu           sync.Mutex
	timer        *time.Timer // of the held message; nil if there is none
	messageCount int         // identifies the held message, so that a timer releases no other
	emit         *packet.Emitter
	current      *packet.Emitter // emitter of the open block
	record       recorder
	citations    *cite.Processor
	events       []cite.Event

	block block
	index int // of the open block, or of the next one

	// strict holds a message back until the message cites something. A message without citations is
	// not shown.
	strict bool
	// showDenials shows a message that strict holds back if the message only says that the
	// documents do not answer.
	showDenials bool
	// holdNarration holds a message back because it may be narration. The message is shown when it
	// is too long for narration, cites something, or was held for maxHold. turnIntoStatus converts
	// a held message to a status.
	holdNarration bool
	// beginning of the first shown message, for example the reason why the message only quotes
	preface string
	pending []packet.Payload
	raw     strings.Builder
	dropped bool // the last message was not shown
	// text since takeText, shown or not; messages are separated by a blank line
	text      strings.Builder
	documents []packet.Document
}

func newAnswerWriter(emit *packet.Emitter, record recorder, citations *cite.Processor, strict bool) *answerWriter {
	return &answerWriter{emit: emit, record: record, strict: strict, citations: citations}
}

func (v *answerWriter) openBlock(b block) {
	v.endBlock()
	v.block, v.current = b, v.emit.At(packet.Placement{TurnIndex: v.index})
}

func (v *answerWriter) writeReasoning(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.block != reasoning {
		v.openBlock(reasoning)
		v.current.Emit(packet.ReasoningStart{})
	}
	v.record.AddReasoning(text)
	v.current.Emit(packet.ReasoningDelta{Text: text})
}

// writeText emits text of the answer, or adds it to the held message. Leading white space does not
// begin a message.
func (v *answerWriter) writeText(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.block != writing {
		if text = strings.TrimLeft(text, " \t\r\n"); text == "" {
			return
		}
		v.openBlock(writing)
		v.dropped = false
		if v.text.Len() > 0 {
			v.text.WriteString(messageBreak)
		}
		v.pending = append(v.pending, packet.MessageStart{Documents: v.documents})
		switch {
		case v.strict:
		case v.holdNarration:
			v.startHoldTimer()
		default:
			v.release()
		}
	}
	v.text.WriteString(text)
	if len(v.pending) > 0 {
		v.raw.WriteString(text)
	} else {
		v.record.AddText(text)
	}
	v.events = v.citations.Push(text, v.events[:0])
	v.emitEvents()
	if v.holdNarration && !v.strict && len(v.pending) > 0 && isAnswer(v.raw.String()) {
		v.release()
	}
}

// maxHold is the longest time for which text is held back because a tool call may follow it.
const maxHold = 700 * time.Millisecond

func (v *answerWriter) startHoldTimer() {
	v.messageCount++
	message := v.messageCount
	v.timer = time.AfterFunc(maxHold, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.messageCount == message && v.timer != nil {
			v.release()
		}
	})
}

// minAnswerRunes is the number of characters from which a text counts as an answer. A shorter text
// may be narration before a tool call.
const minAnswerRunes = 200

func isAnswer(text string) bool {
	return strings.Contains(strings.TrimRight(text, " \t\r\n"), "\n\n") || utf8.RuneCountInString(text) >= minAnswerRunes
}

// turnIntoStatus shows a held message as a status, because a tool call follows it.
func (v *answerWriter) turnIntoStatus() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.block != writing || v.strict || len(v.pending) == 0 {
		return
	}
	v.events = v.citations.Flush(v.events[:0])
	v.emitEvents()
	var text strings.Builder
	for _, p := range v.pending {
		if d, ok := p.(packet.MessageDelta); ok {
			text.WriteString(d.Text)
		}
	}
	if len(v.pending) == 0 { // the end of the text has a citation, so the message was released
		return
	}
	v.dropPending()
	v.current.Emit(packet.Status{Text: strings.TrimSpace(text.String())})
}

// takeText returns the text that the model wrote since the last call of takeText.
func (v *answerWriter) takeText() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	defer v.text.Reset()
	return v.text.String()
}

func (v *answerWriter) emitEvents() {
	for _, e := range v.events {
		var p packet.Payload
		switch {
		case e.Info != nil:
			v.record.AddCitation(*e.Info)
			v.release()
			link, _ := cite.LinkURL(e.Info.URL) // empty if it must not be a link
			p = packet.CitationInfo{
				Number: e.Info.Number, Document: e.Info.Document, Title: e.Info.Title, Section: e.Info.Section, URL: link, Source: document.Kind(e.Info.Kind),
			}
		case e.Text == "":
			continue
		case len(v.pending) > 0:
			v.pending = append(v.pending, packet.MessageDelta{Text: e.Text})
			continue
		default:
			v.record.AddShown(e.Text)
			p = packet.MessageDelta{Text: e.Text}
		}
		v.current.Emit(p)
	}
}

func (v *answerWriter) release() {
	v.stopHoldTimer()
	if len(v.pending) == 0 {
		return
	}
	payloads := v.pending
	v.pending = nil
	v.record.BeginMessage()
	v.record.AddText(v.raw.String())
	v.raw.Reset()
	for _, p := range payloads {
		if d, ok := p.(packet.MessageDelta); ok {
			v.record.AddShown(d.Text)
		}
		v.current.Emit(p)
		if _, starts := p.(packet.MessageStart); starts && v.preface != "" {
			v.record.AddShown(v.preface)
			v.current.Emit(packet.MessageDelta{Text: v.preface})
			v.preface = ""
		}
	}
}

// toolCallBegan makes sure that a held message is not shown when its timer expires. A tool call has
// begun, so the message is narration.
func (v *answerWriter) toolCallBegan() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stopHoldTimer()
}

func (v *answerWriter) stopHoldTimer() {
	if v.timer != nil {
		v.timer.Stop()
		v.timer = nil
	}
}

func (v *answerWriter) dropPending() {
	v.stopHoldTimer()
	v.pending = nil
	v.raw.Reset()
	v.block, v.dropped = none, true
}

// close ends the open block. It drops a message that was held back for lack of citations.
func (v *answerWriter) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.endBlock()
}

func (v *answerWriter) endBlock() {
	switch v.block {
	case none:
		return
	case reasoning:
		v.current.Emit(packet.ReasoningDone{})
	case writing:
		v.events = v.citations.Flush(v.events[:0])
		v.emitEvents()
		if !v.strict || v.showDenials && deniesOnly(v.raw.String()) {
			v.release()
		}
		if len(v.pending) > 0 {
			v.dropPending()
			return
		}
		v.current.Emit(packet.SectionEnd{})
	}
	v.block = none
	v.index++
}

// nextPlacement closes the open block and returns an emitter for the next one, to which a tool
// writes.
func (v *answerWriter) nextPlacement() *packet.Emitter {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.endBlock()
	v.index++
	return v.emit.At(packet.Placement{TurnIndex: v.index - 1})
}

// addDocuments adds documents to the list that the next message starts with. It skips documents
// that are in the list, and those of which the model saw only the title.
func (v *answerWriter) addDocuments(references []message.Reference) {
	for _, r := range references {
		known := r.Text == "" // the model saw only its title
		for _, d := range v.documents {
			known = known || d.ID == r.Document.ID
		}
		if !known {
			v.documents = append(v.documents, packet.DocumentOf(r.Document, r.Anchor, r.Score))
		}
	}
	// packets share the slice, so appends must copy it
	v.documents = v.documents[:len(v.documents):len(v.documents)]
}
