package conversation_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/chat"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
)

// People see a page before the store knows its message. A stop in between ends the answer as soon
// as the message is recorded. Boards poll for stops every hour.
func TestStopOfPageThatIsNotRecordedEndsAnswer(t *testing.T) {
	t.Parallel()
	s, _ := begin(t, common.Setting{Replies: []llmtest.Reply{{llmtest.Text("This much was written as a whole sentence. "), llmtest.Hang()}}}).(*stage)
	s.board.posting = func(to thread.Ref, id thread.MessageID) {
		by := session.Stopper{ID: people[common.Ann]}
		if err := s.talk.Event(s.ctx, chat.Event{Reaction: &chat.Reaction{Ref: to, Message: id, By: by}}); err != nil {
			t.Error(err)
		}
	}
	at := common.Place{Thread: s.Mention(common.Ann, common.Place{}, "tell me everything")}
	s.Until("the answer is stopped", func() bool {
		shown := s.Shown(at)
		return len(shown) == 1 && strings.Contains(shown[0].Text, "Stopped")
	})
}

// failing is a store in which the requests to stop fail that its stage names.
type failing struct {
	sessiontest.Store
	stage *stage
}

func (f failing) Request(ctx context.Context, r session.StopRequest) (session.StopResult, error) {
	if f.stage.fails != nil && f.stage.fails(r) {
		return session.StopResult{}, errors.New("the database restarts")
	}
	return f.Store.Request(ctx, r)
}

// Boards do not redeliver events, and a moderator's rights are looked up after the event was
// acknowledged. A reaction that comes while the store is away stops the answer once it is back.
func TestReactionIsRetriedWhileStoreIsAway(t *testing.T) {
	t.Parallel()
	for by, lookUp := range map[common.Person]bool{common.Ann: false, common.Chief: true} {
		t.Run(people[by], func(t *testing.T) {
			t.Parallel()
			s, _ := begin(t, common.Setting{Replies: []llmtest.Reply{{llmtest.Text("This much was written as a whole sentence. "), llmtest.Hang()}}}).(*stage)
			question := s.Mention(common.Ann, common.Place{}, "tell me everything")
			at := common.Place{Thread: question}
			s.Until("words appear", func() bool { return len(s.Shown(at)) == 1 })
			s.board.lookUp.Store(lookUp)
			failures := 0
			s.fails = func(r session.StopRequest) bool {
				if r.By.Privileged == lookUp {
					failures++
				}
				return r.By.Privileged == lookUp && failures <= 2
			}
			err := s.talk.Event(s.ctx, chat.Event{Reaction: &chat.Reaction{Ref: s.channel(common.Place{}), Message: question, By: session.Stopper{ID: people[by]}}})
			if err != nil {
				t.Error(err)
			}
			s.Until("the answer is stopped", func() bool { return strings.Contains(s.Shown(at)[0].Text, "Stopped") })
		})
	}
}
