package history_test

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/transcript/transcripttest"
	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/history"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// world is a workspace and the index of its history.
type world struct {
	*slacktest.Server
	*transcripttest.Index
	history *history.Workspace
	options history.Options
}

func newWorld(t transcripttest.T, config slacktest.Config) *world {
	t.Helper()
	config.NoTiers = true
	w := &world{Server: slacktest.Start(config), options: history.Options{Reading: history.Reading{Name: "chat", Public: true}}}
	w.Index = &transcripttest.Index{
		Store:     new(indextest.Store),
		Connector: func() (index.Connector, error) { return history.New(w.history, w.options) },
		Called:    func() int { return len(w.Calls("")) },
		Wait:      func(ctx context.Context, holds func() bool) error { return w.Server.Wait(ctx, "so many calls", holds) },
	}
	w.restart(t)
	return w
}

// settings reach the workspace without pauses between calls.
func (w *world) settings() call.Config {
	return call.Config{BotToken: slacktest.BotToken, APIURL: w.URL(), History: time.Microsecond}
}

// restart is another process: it knows what the index holds and nothing more.
func (w *world) restart(t transcripttest.T) {
	t.Helper()
	reader, err := history.NewWorkspace(w.settings())
	if err != nil {
		t.Fatalf("%v", err)
	}
	w.history = reader
}

// found is what a person finds in a direct message.
func (w *world) found(t transcripttest.T, p *slacktest.Person) string {
	t.Helper()
	client, err := slack.New(w.settings())
	if err != nil {
		t.Fatalf("%v", err)
	}
	if _, err := client.Connect(t.Context()); err != nil {
		t.Fatalf("%v", err)
	}
	alone, err := client.Alone(t.Context(), p.ID)
	if err != nil {
		t.Fatalf("who %s is: %v", p.Name, err)
	}
	return w.Words(access.AudienceOf(alone.Tenant, alone.Held).Principals()...)
}

// called counts the calls of a method since a number of calls.
func (w *world) called(method string, since int) int {
	n := 0
	for _, c := range w.Calls("")[since:] {
		if c.Method == method {
			n++
		}
	}
	return n
}

// everybody holds whatever documents of these channels name.
func everybody(channels ...*slacktest.Channel) []access.Principal {
	held := []access.Principal{access.Members}
	for _, c := range channels {
		held = append(held, access.Channel("slack", c.ID))
	}
	return held
}

func numbered(format string, n int) string { return fmt.Sprintf(format, n) }
