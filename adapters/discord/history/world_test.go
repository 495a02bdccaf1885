package history_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/discord/history"
	"github.com/footnotehq/footnote/adapters/internal/transcript/transcripttest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	hour = time.Hour
	old  = 60 * 24 * time.Hour
)

// world is a server and the index of its history.
type world struct {
	*discordtest.Server
	*transcripttest.Index
	guild   *discordtest.Guild
	history *history.Server
	options history.Options
}

// newWorld begins a world. Its limits are wide, where config does not say otherwise.
func newWorld(t transcripttest.T, config discordtest.Config) *world {
	t.Helper()
	if config.GlobalRequests == 0 {
		config.GlobalRequests = 100_000
	}
	server, err := discordtest.New(config)
	if err != nil {
		t.Fatalf("%v", err)
	}
	w := &world{Server: server, guild: server.AddGuild("Team")}
	w.options = history.Options{Reading: history.Reading{Name: "chat", Public: true}, Guild: w.guild.ID}
	w.Index = &transcripttest.Index{
		Store:     new(indextest.Store),
		Connector: func() (index.Connector, error) { return history.New(w.history, w.options) },
		Called:    func() int { return len(w.Requests()) },
		Wait:      func(ctx context.Context, holds func() bool) error { return w.Server.Until(ctx, holds) },
	}
	w.restart(t)
	return w
}

func (w *world) close(t testing.TB) {
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

func (w *world) settings() call.Config {
	return call.Config{Token: w.Token(), APIURL: w.URL(), History: time.Microsecond}
}

// restart is another process: it knows what the index holds and nothing more.
func (w *world) restart(t transcripttest.T) {
	t.Helper()
	server, err := history.NewServer(w.settings())
	if err != nil {
		t.Fatalf("%v", err)
	}
	w.history = server
}

// found is what a person finds in a direct message.
func (w *world) found(t transcripttest.T, p *discordtest.Person) string {
	t.Helper()
	client := w.client(t)
	defer client.Close()
	return w.foundBy(t, client, p)
}

// client is the bot as it finds out who may read what.
func (w *world) client(t transcripttest.T) *discord.Client {
	t.Helper()
	client, err := discord.New(w.settings())
	if err != nil {
		t.Fatalf("%v", err)
	}
	for {
		err := client.Survey(t.Context(), w.guild.ID)
		var limited *thread.RateLimitError
		if errors.As(err, &limited) && sleep.For(t.Context(), limited.RetryAfter) == nil { // the pass has used up what Discord allows
			continue
		}
		if err != nil {
			t.Fatalf("survey: %v", err)
		}
		return client
	}
}

func (w *world) foundBy(t transcripttest.T, client *discord.Client, p *discordtest.Person) string {
	t.Helper()
	m, err := client.Membership(t.Context(), w.guild.ID, p.ID)
	if err != nil {
		t.Fatalf("who %s is: %v", p.Username, err)
	}
	var held []access.Principal
	if m.Full {
		held = append(held, access.Members)
	}
	for _, c := range m.Channels {
		held = append(held, access.Channel("discord", c))
	}
	return w.Words(held...)
}

// called counts the calls of a path since a number of calls.
func (w *world) called(path string, since int) int {
	n := 0
	for _, r := range w.Requests()[since:] {
		if strings.Contains(r.Path, path) {
			n++
		}
	}
	return n
}

func numbered(format string, n int) string { return fmt.Sprintf(format, n) }
