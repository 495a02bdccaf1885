package history_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/history"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// fataler is a test, or one draw of a property.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
	Context() context.Context
}

// world is a workspace and the index of its history.
type world struct {
	*slacktest.Server
	history *history.Workspace
	store   *indextest.Store
	options history.Options
	report  func() // after each step of a run; may be nil
}

func newWorld(t fataler, config slacktest.Config) *world {
	t.Helper()
	config.NoTiers = true
	w := &world{Server: slacktest.Start(config), store: new(indextest.Store), options: history.Options{Reading: history.Reading{Name: "chat", Public: true}}}
	w.restart(t)
	return w
}

// settings reach the workspace without pauses between calls.
func (w *world) settings() call.Config {
	return call.Config{BotToken: slacktest.BotToken, APIURL: w.URL(), History: time.Microsecond}
}

// restart is another process: it knows what the index holds and nothing more.
func (w *world) restart(t fataler) {
	t.Helper()
	reader, err := history.NewWorkspace(w.settings())
	if err != nil {
		t.Fatalf("%v", err)
	}
	w.history = reader
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
func (w *world) found(t fataler, p *slacktest.Person) string {
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
	return w.text(access.AudienceOf(alone.Tenant, alone.Held).Principals()...)
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

func has(t *testing.T, text string, present bool, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) != present {
			t.Errorf("%q is found: %v, want %v, in:\n%s", part, !present, present, text)
		}
	}
}

// everybody holds whatever documents of these channels name.
func everybody(channels ...*slacktest.Channel) []access.Principal {
	held := []access.Principal{access.Members}
	for _, c := range channels {
		held = append(held, access.Channel("slack", c.ID))
	}
	return held
}

// pausing ends a run's context before its nth call.
func (w *world) pausing(t *testing.T, n int) (index.Run, error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	done := make(chan struct{})
	before := len(w.Calls(""))
	go func() {
		defer close(done)
		if w.Wait(ctx, "so many calls", func() bool { return len(w.Calls(""))-before >= n }) == nil {
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
