package slack_test

import (
	"context"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/thread"
)

// Slack gives a press three seconds.
func TestPressesAreAcknowledgedWhileEarlierOnesAreHandled(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(slacktest.Config{})
	t.Cleanup(s.Close)
	client, err := slack.New(slack.Config{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, APIURL: strings.TrimSuffix(s.URL(), "/"), Sockets: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	released, ended := make(chan struct{}), make(chan error, 1)
	handle := func(_ context.Context, e chat.Event) (chat.Reply, error) {
		if e.Press != nil {
			<-released
		}
		return chat.Reply{}, nil
	}
	go func() { ended <- client.Listen(ctx, handle) }()
	ann := s.Person("ann", nil)
	channel := s.Channel("general", nil, ann)
	var presses []string
	if err := s.Wait(t.Context(), "the socket is open", func() bool { open, _ := s.Sockets(); return open > 0 }); err != nil {
		t.Fatal(err)
	}
	said := ann.Say(channel, "", "hi")
	for range 3 {
		presses = append(presses, ann.Shortcut(channel, said, thread.ButtonID(thread.ActionRetry, "")))
	}
	for i, id := range presses {
		var d slacktest.Delivery
		if err := s.Wait(t.Context(), "it is acknowledged", func() (ok bool) { d, ok = s.Delivered(id); return ok }); err != nil {
			t.Fatal(err)
		}
		if d.Acked.IsZero() {
			t.Errorf("press %d was given up by Slack", i+1)
		}
	}
	close(released)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
