package conversation_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/thread"
)

// A platform posts the question of a command where others read it, so a question that will not be
// answered is refused before the platform is asked for its place.
func TestAskIsRefusedBeforeItIsPlaced(t *testing.T) {
	t.Parallel()
	s := begin(t, common.Setting{}).(*stage)
	for name, test := range map[string]struct {
		ask  conversation.Ask
		want string
	}{
		"about an answer":        {conversation.Ask{About: &chat.Target{Text: "An answer.", Own: true}}, "already one of my answers"},
		"about an empty message": {conversation.Ask{About: &chat.Target{}}, "nothing in this message"},
		"of an unknown model":    {conversation.Ask{Models: "oracle"}, "No models can be chosen"},
	} {
		test.ask.Ref, test.ask.EventKey, test.ask.By = s.channel(common.Place{}), name, thread.Person{ID: "ann"}
		test.ask.Place = func(context.Context, conversation.Admitted) (conversation.Placed, error) {
			t.Errorf("%s: it is placed", name)
			return conversation.Placed{}, nil
		}
		if asked, err := s.talk.Ask(s.ctx, test.ask); err != nil || !strings.Contains(asked.Refusal, test.want) {
			t.Errorf("%s: %q, %v; want %q", name, asked.Refusal, err, test.want)
		}
	}
}

func TestAskSaysWhatBecameOfIt(t *testing.T) {
	t.Parallel()
	s := begin(t, common.Setting{}).(*stage)
	full := errors.New("the place is full")
	at := s.channel(common.Place{Thread: "1"})
	question := conversation.Placed{Mention: thread.Mention{Ref: at, Message: "1", Text: "how?", Listens: access.NewAudience(access.DefaultTenant)}}
	for i, test := range []struct {
		name   string
		placed conversation.Placed
		fails  error
		want   conversation.Asked
	}{
		{"no place", conversation.Placed{}, full, conversation.Asked{}},
		{"refused by the platform", conversation.Placed{Refusal: "Invite me."}, nil, conversation.Asked{Refusal: "Invite me."}},
		{"asked", question, nil, conversation.Asked{}},
		{"asked again", question, nil, conversation.Asked{Duplicate: true}},
	} {
		asked, err := s.talk.Ask(s.ctx, conversation.Ask{
			Ref: at, EventKey: string(rune('a' + i)), By: thread.Person{ID: "ann"}, About: &chat.Target{Text: "how?"},
			Place: func(context.Context, conversation.Admitted) (conversation.Placed, error) {
				return test.placed, test.fails
			},
		})
		if !errors.Is(err, test.fails) || asked != test.want {
			t.Errorf("%s: %+v, %v; want %+v, %v", test.name, asked, err, test.want, test.fails)
		}
	}
	turn, err := s.store.TurnOf(s.ctx, access.DefaultTenant, at, "1")
	if err != nil || turn.Asker.ID != "ann" || turn.Question.Text != "how?" {
		t.Errorf("stored: %+v, %v", turn, err)
	}
}
