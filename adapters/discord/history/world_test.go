package history_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/discord/history"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	hour = time.Hour
	old  = 60 * 24 * time.Hour
)

// fataler is a test, or one draw of a property.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
	Context() context.Context
}

// world is a server and the index of its history.
type world struct {
	*discordtest.Server
	guild   *discordtest.Guild
	history *history.Server
	store   *indextest.Store
	options history.Options
	report  func() // after each step of a run; may be nil
}

// newWorld begins a world. Its limits are wide, where config does not say otherwise.
func newWorld(t fataler, config discordtest.Config) *world {
	t.Helper()
	if config.GlobalRequests == 0 {
		config.GlobalRequests = 100_000
	}
	server, err := discordtest.New(config)
	if err != nil {
		t.Fatalf("%v", err)
	}
	w := &world{Server: server, guild: server.AddGuild("Team"), store: new(indextest.Store)}
	w.options = history.Options{Reading: history.Reading{Name: "chat", Public: true}, Guild: w.guild.ID}
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
func (w *world) restart(t fataler) {
	t.Helper()
	server, err := history.NewServer(w.settings())
	if err != nil {
		t.Fatalf("%v", err)
	}
	w.history = server
}

type words struct{}

func (words) Count(text string) int { return len(strings.Fields(text)) }

// try reads what has changed, until ctx ends.
func (w *world) try(ctx context.Context, t fataler) (index.Run, error) {
	t.Helper()
	connector, err := history.New(w.history, w.options)
	if err != nil {
		t.Fatalf("%v", err)
	}
	chunker, err := index.NewChunker(words{}, index.ChunkSize{Max: 40, Min: 1, Overlap: -1})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return index.New(w.store, chunker, nil, index.Config{}).Run(ctx, access.DefaultTenant, connector, func(index.Progress) {
		if w.report != nil {
			w.report()
		}
	})
}

// sync reads what has changed.
func (w *world) sync(t fataler) index.Run {
	t.Helper()
	run, err := w.try(t.Context(), t)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return run
}

// text is all that is found of documents that somebody who holds principals may read.
func (w *world) text(held ...access.Principal) string {
	var b strings.Builder
	audience := access.NewAudience(access.DefaultTenant, held...)
	for _, e := range w.store.Entries(access.DefaultTenant) {
		if !audience.MayRead(e.Document.ACL) {
			continue
		}
		for _, c := range e.Chunks {
			b.WriteString(c.Text + "\n")
		}
	}
	return b.String()
}

// found is what a person finds in a direct message.
func (w *world) found(t fataler, p *discordtest.Person) string {
	t.Helper()
	client := w.client(t)
	defer client.Close()
	return w.foundBy(t, client, p)
}

// client is the bot as it finds out who may read what.
func (w *world) client(t fataler) *discord.Client {
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

func (w *world) foundBy(t fataler, client *discord.Client, p *discordtest.Person) string {
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
	return w.text(held...)
}

// entry returns the stored document whose text holds something.
func (w *world) entry(t fataler, holds string) index.Entry {
	t.Helper()
	for _, e := range w.store.Entries(access.DefaultTenant) {
		if strings.Contains(e.Document.Text(), holds) {
			return e
		}
	}
	t.Fatalf("no document holds %q", holds)
	return index.Entry{}
}

func (w *world) ids() []document.ID { return indextest.IDs(w.store.Entries(access.DefaultTenant)) }

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

func has(t *testing.T, text string, present bool, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) != present {
			t.Errorf("%q is found: %v, want %v, in:\n%s", part, !present, present, text)
		}
	}
}

// pausing ends a run's context before its nth call.
func (w *world) pausing(t *testing.T, n int) (index.Run, error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	done := make(chan struct{})
	before := len(w.Requests())
	go func() {
		defer close(done)
		if w.Until(ctx, func() bool { return len(w.Requests())-before >= n }) == nil {
			cancel(index.ErrPaused)
		}
	}()
	run, err := w.try(ctx, t)
	cancel(nil)
	<-done
	if err != nil && !errors.Is(err, index.ErrPaused) {
		t.Fatal(err)
	}
	return run, err
}

func sortedText(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func numbered(format string, n int) string { return fmt.Sprintf(format, n) }
