// Package consolebot joins the console to the core: one conversation of one person, in this
// process.
package consolebot

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os/user"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

// Config says who talks, and how answers are shown. Renderer and Surface are required.
type Config struct {
	Thread   string          // name of the conversation, to go on with it later; empty: a new one
	Present  access.Presence // who the person at the console counts as
	Renderer *console.Renderer
	Surface  *console.Surface
	Packets  packet.Sink // also gets every packet; may be nil
	// names of the models that answer side by side, for headings; one or none needs none
	Models []string
	Logger *slog.Logger
}

// Bot asks questions and waits for their answers. It implements chat.Platform for its own
// conversation. It is safe for concurrent use.
type Bot struct {
	chat.Unsupported

	config  Config
	ref     thread.Ref
	asker   thread.Person
	service conversation.Services

	mu      sync.Mutex
	waiting map[session.TurnID]chan Result
	early   map[session.TurnID]Result // finished before its caller waited
	asks    session.TurnID            // whose deep search waits to be started; empty: none does
}

// Result is a finished turn.
type Result struct {
	Turn  session.Turn
	Views []stream.View // as they were shown, one for each model, at least one
	Final chat.Result
	Err   error // the answer could not be written
}

// Best is the view that the conversation goes on from: the first that was answered, else the first.
func (r Result) Best() *stream.View {
	for i := range r.Views {
		if r.Views[i].Outcome == session.Answered {
			return &r.Views[i]
		}
	}
	return &r.Views[0]
}

// New returns a bot; Bind gives it a service.
func New(config Config) *Bot {
	name := config.Thread
	if name == "" {
		name = strings.ToLower(rand.Text())
	}
	asker := thread.Person{ID: "console", Name: "you"}
	if u, err := user.Current(); err == nil { // the name is for display only
		asker = thread.Person{ID: u.Username, Name: u.Username}
	}
	return &Bot{
		config: config, asker: asker,
		ref:     thread.Ref{Platform: console.Platform, Workspace: name, Channel: name, Thread: name},
		waiting: make(map[session.TurnID]chan Result), early: make(map[session.TurnID]Result),
	}
}

// Workspace is the conversation's own: no other process answers its turns.
func (b *Bot) Workspace() string { return b.ref.Workspace }

// Bind says which services answer. It is called once, before anything is asked.
func (b *Bot) Bind(services conversation.Services) { b.service = services }

// patience is how long a question waits for a database that is away.
const patience = 30 * time.Second

// Ask takes a question in, with its files, and returns its turn. An answer.Rejection is a sentence
// for the person.
func (b *Bot) Ask(ctx context.Context, question string, files ...message.File) (session.TurnID, error) {
	id := rand.Text()
	accepted, err := b.service.Take(ctx, answer.Question{Patience: patience, Mention: thread.Mention{
		Ref: b.ref, EventKey: id, Message: thread.MessageID(id), Asker: b.asker, Text: question, Files: files, At: time.Now(), Direct: true,
		Tenant: b.config.Present.Tenant, Listens: access.AudienceOf(b.config.Present.Tenant, b.config.Present.Held),
	}})
	if err != nil {
		return "", err
	}
	return accepted.Turn.ID, nil
}

// Wait returns when the turn has been answered, or ctx ends.
func (b *Bot) Wait(ctx context.Context, id session.TurnID) (Result, error) {
	b.mu.Lock()
	if r, ok := b.early[id]; ok {
		delete(b.early, id)
		b.mu.Unlock()
		return r, nil
	}
	done := make(chan Result, 1)
	b.waiting[id] = done
	b.mu.Unlock()
	select {
	case r := <-done:
		return r, nil
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
}

// here is all that is being answered in the conversation.
func (b *Bot) here() session.StopRequest {
	return session.StopRequest{Tenant: b.config.Present.Tenant, Ref: b.ref, By: session.Stopper{ID: b.asker.ID}}
}

// Stop stops what is being answered.
func (b *Bot) Stop(ctx context.Context) error {
	_, err := b.service.Stop(ctx, b.here())
	return err
}

// Steer changes the plan of the deep search that is under way, if a line says so. sentence is what
// the person reads, empty where the plan shows it; ok is false for a line like all others.
func (b *Bot) Steer(ctx context.Context, line string) (sentence string, ok bool, err error) {
	in, ok := deepsearch.ParseInstruction(line)
	if !ok {
		return "", false, nil
	}
	became, err := b.service.Steer(ctx, b.here(), in, nil)
	return became.Sentence(in), became.Became != deepsearch.NoSearch, err
}

// Asks reports whether a deep search waits to be started: what is asked meanwhile is answered at
// once.
func (b *Bot) Asks() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.asks != ""
}

// asking notes that a turn's deep search waits to be started, or does not.
func (b *Bot) asking(id session.TurnID, waits bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if waits {
		b.asks = id
	} else if b.asks == id {
		b.asks = ""
	}
}

// Perform does something to an answer of this conversation, with a text where the action takes one,
// and returns what to tell the person. Of a retry the reply names the turn to Wait for.
func (b *Bot) Perform(ctx context.Context, do thread.Action, id session.TurnID, text string) (action.Reply, error) {
	return b.service.Actions.Perform(ctx, action.Request{
		Do: do, Tenant: b.config.Present.Tenant, Ref: b.ref, Turn: id, Key: rand.Text(), By: b.asker, Text: text, Submitted: true,
	})
}

func (b *Bot) finished(r Result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if done, ok := b.waiting[r.Turn.ID]; ok {
		delete(b.waiting, r.Turn.ID)
		done <- r
		return
	}
	b.early[r.Turn.ID] = r
}
