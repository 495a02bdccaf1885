package slackbot_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/slackbot"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
)

// reported keeps which turns were said to be written over.
type reported struct {
	*sessiontest.Memory
	mu    sync.Mutex
	turns []session.TurnID
	heard func()
}

func (r *reported) Disturbed(ctx context.Context, f session.Fence) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turns = append(r.turns, f.Turn)
	r.heard()
	return r.Memory.Disturbed(ctx, f)
}

// A call that ended after the turn had gone to another worker, as in a process that was paused
// meanwhile, is reported, so that the turn is delivered once more.
func TestWriteThatCameTooLateIsReported(t *testing.T) {
	t.Parallel()
	server := slacktest.Start(slacktest.Config{})
	t.Cleanup(server.Close)
	ann := server.Person("ann", nil)
	general := server.Channel("general", nil, ann)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	store := &reported{Memory: sessiontest.NewMemory(), heard: cancel} // as the service lets go of a turn that is another's
	bot, err := slackbot.New(slackbot.Config{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, APIURL: server.URL()},
		slackbot.Deps{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	if err := bot.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	root := ann.Say(general, "", slacktest.Mention()+" how?")
	accepted, err := store.Accept(t.Context(), session.Intake{
		Tenant: access.DefaultTenant, EventKey: "1", Message: thread.MessageID(root), Asker: thread.Person{ID: ann.ID}, Text: "how?",
		Ref:      thread.Ref{Platform: slack.Platform, Workspace: bot.Workspaces()[0], Channel: general.ID, Thread: root},
		Audience: access.NewAudience(access.DefaultTenant),
	})
	if err != nil {
		t.Fatal(err)
	}
	turn, err := sessiontest.One(store.Lease(t.Context(), session.LeaseRequest{Replica: "paused"}))
	if err != nil || turn == nil || turn.ID != accepted.Turn.ID {
		t.Fatal(turn, err)
	}
	gone := errors.New("another worker holds the turn")
	writes := func() int { return len(server.Calls("chat.startStream")) + len(server.Calls("chat.postMessage")) }
	delivery, err := bot.Open(ctx, *turn, func() error {
		if writes() > 0 { // the lease ended while the call was under way
			return gone
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []packet.Payload{packet.MessageStart{}, packet.MessageDelta{Text: "Like this."}, packet.Stop{Reason: "answered"}} {
		delivery.Accept(packet.Packet{Payload: p})
	}
	if err := delivery.Finish(ctx, chat.Result{Outcome: session.Answered}); err == nil {
		t.Error("it finished")
	}
	if writes() != 1 {
		t.Errorf("%d calls wrote a message", writes())
	}
	store.mu.Lock()
	defer store.mu.Unlock()
	if !slices.Contains(store.turns, turn.ID) {
		t.Error("the late write was not reported")
	}
}
