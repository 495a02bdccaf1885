package turn

import (
	"time"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
)

// Replay returns packets from which a saved answer is shown as it was when it was streamed: what a take-over, an edit of an old
// answer or an explanation needs. messages are the run's, as Answer.Messages made them; ending says how it ended.
func Replay(model int, messages []message.Message, ending Ending) []packet.Packet {
	mapping := cite.NewMapping()
	var packets []packet.Packet
	v := newVoice(func(index int) speaker {
		return collector{to: &packets, at: packet.Placement{TurnIndex: index, ModelIndex: model}}
	}, discard{}, mapping, false)
	for _, m := range messages {
		// A number that was not known yet when something was written was text, and stays it.
		for _, c := range m.Citations {
			mapping.Restore(c.ModelSees, sourceOf(c.Document, c.Link))
		}
		if m.Role == message.ToolCall || m.Role == message.Assistant {
			v.say(m.Text)
			v.close()
		}
	}
	end(collector{to: &packets, at: packet.Placement{TurnIndex: v.index, ModelIndex: model}}, ending)
	return packets
}

// collector gathers packets for one place.
type collector struct {
	to *[]packet.Packet
	at packet.Placement
}

func (c collector) Emit(p packet.Payload) {
	*c.to = append(*c.to, packet.Packet{Placement: c.at, Payload: p})
}

// discard records nothing: what is replayed is saved already.
type discard struct{}

var _ Recorder = discard{}

func (discard) Received()                              {}
func (discard) Reasoned(string)                        {}
func (discard) Opened()                                {}
func (discard) Wrote(string)                           {}
func (discard) Showed(string)                          {}
func (discard) Cited(cite.Info)                        {}
func (discard) Held([]message.Reference)               {}
func (discard) Searched(bool, []document.Ref)          {}
func (discard) Stepped([]message.Message)              {}
func (discard) Asked(string, llm.Usage, time.Duration) {}
func (discard) Ran(time.Duration)                      {}
func (discard) Noticed(...string)                      {}
