package conversationtest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/owner"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
)

// Own configures deps so that answers find no evidence and name the owner of the closest page.
// person returns the id of this owner on the platform.
func Own(store sessiontest.Store, deps *answer.Deps, person func() string) {
	deps.Engine, deps.Owners = unanswering{}, &owners{store, person}
}

type unanswering struct{}

// Run implements answer.Engine.
func (unanswering) Run(_ context.Context, _ turn.Request, sink packet.Sink) (turn.Report, error) {
	end := turn.Ending{Outcome: session.NoEvidence, Sentence: "Nothing answers this.", Closest: []document.Ref{handbook}}
	sink.Accept(packet.Packet{Payload: packet.Stop{Reason: string(end.Outcome), Message: string(end.Sentence), Closest: []packet.Document{packet.DocumentOf(handbook, "", 0)}}})
	return turn.Report{Answers: []turn.Answer{{Model: "m", Ending: end}}}, nil
}

type owners struct {
	sessiontest.Store
	person func() string
}

// Nearest implements answer.Owners.
func (o *owners) Nearest(_ context.Context, t session.Turn, _ access.Audience, pages []document.Ref) (owner.Offer, bool, error) {
	offer := owner.Offer{Owner: owner.Owner{Page: pages[0], Name: "Bob <!channel> @everyone"}}
	if t.Public() {
		offer.Account = access.Account{ID: o.person(), Name: "Bob <!channel> @everyone"}
	}
	return offer, true, nil
}

func ownerScenarios() []scenario {
	return []scenario{
		{"the owner of the nearest page is asked once, by the asker", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Owned: true})
			question := s.Mention(Ann, Place{}, "where is *it*, @everyone?")
			at := inThread(question)
			shown := answered(s, at, 1)[0]
			settled(s, question)
			if !strings.Contains(shown.Text, "belongs to Bob") {
				t.Errorf("the answer is %q", shown.Text)
			}
			s.Press(Bob, shown.ID, thread.ActionOwner)
			waitUntilReads(s, Bob, "Only the person who asked")
			s.Press(Ann, shown.ID, thread.ActionOwner)
			waitUntilReads(s, Ann, "in the thread.")
			mentions := func() int {
				return len(slices.DeleteFunc(s.Shown(at), func(m Shown) bool { return !strings.Contains(m.Text, "You own the nearest page") }))
			}
			s.Until("the owner is asked", func() bool { return mentions() == 1 })
			s.Press(Ann, shown.ID, thread.ActionOwner)
			waitUntilReads(s, Ann, "asked already")
			if n := mentions(); n != 1 {
				t.Errorf("the owner is asked %d times", n)
			}
		}},
		{"the owner of the nearest page is only named in a direct message", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Owned: true})
			shown := answered(s, direct(s.Say(Ann, Place{Direct: true}, "where is it?")), 1)[0]
			if !strings.Contains(shown.Text, "belongs to Bob") {
				t.Errorf("the answer is %q", shown.Text)
			}
		}},
	}
}
