// Package consolebot connects the console to the core: one conversation of one person, in this
// process.
package consolebot

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os/user"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

// Config describes a conversation in a terminal. Renderer, Surface and Store are required.
type Config struct {
	Thread   string          // conversation to continue; empty: a new one
	Present  access.Presence // permissions of the person
	Renderer *console.Renderer
	Surface  *console.Surface
	Store    conversation.Store
	Packets  packet.Sink // also receives every packet; may be nil
	// Models are the models that answer side by side. Two or more get headings.
	Models []string
	Logger *slog.Logger
}

// Bot asks the questions that a person types and shows the answers. It implements chat.Platform. It
// is safe for concurrent use, but only one call of Ask may run at a time.
type Bot struct {
	chat.Unsupported

	config Config
	ref    thread.Ref
	asker  thread.Person
	talk   *conversation.Conversation

	mu      sync.Mutex
	taken   session.TurnID // turn of the message that is being passed on
	said    string         // sentence about that message
	waiting map[session.TurnID]chan Result
	early   map[session.TurnID]Result // finished before its caller waited
	asks    session.TurnID            // turn whose deep search waits to be started, or ""
}

// Result is a finished turn with its answers. Err is set if they could not be shown.
type Result struct {
	Turn  session.Turn
	Views []stream.View // shown views, one per model, at least one
	Final chat.Result
	Err   error // set if the answer could not be written
}

// Best returns the first answered view, or else the first one. The conversation continues with it.
func (r Result) Best() *stream.View {
	for i := range r.Views {
		if r.Views[i].Outcome == session.Answered {
			return &r.Views[i]
		}
	}
	return &r.Views[0]
}

// New returns a bot. Call Bind before asking.
func New(config Config) (*Bot, error) {
	name := config.Thread
	if name == "" {
		name = strings.ToLower(rand.Text())
	}
	asker := thread.Person{ID: "console", Name: "you"}
	if u, err := user.Current(); err == nil { // the name is for display only
		asker = thread.Person{ID: u.Username, Name: u.Username}
	}
	b := &Bot{
		config: config, asker: asker,
		ref:     thread.Ref{Platform: console.Platform, Workspace: name, Channel: name, Thread: name},
		waiting: make(map[session.TurnID]chan Result), early: make(map[session.TurnID]Result),
	}
	var err error
	b.talk, err = conversation.New(conversation.Deps{Platform: b, Store: config.Store, Logger: config.Logger})
	return b, err
}

// Workspace returns the id of this conversation. It is unique, so that no other process answers its
// questions.
func (b *Bot) Workspace() string { return b.ref.Workspace }

// Bind sets the services that answer questions. Call it once, before the first question.
func (b *Bot) Bind(services conversation.Services) { b.talk.Bind(services) }

const (
	// patience is how long passing on a line is retried while the database is unreachable.
	patience   = 30 * time.Second
	firstPause = 100 * time.Millisecond
)

// Ask sends a line with files to the conversation. For a question it returns the turn to [Bot.Wait]
// for. For a line such as "stop", it returns no turn and possibly a sentence for the person.
func (b *Bot) Ask(ctx context.Context, line string, files ...message.File) (id session.TurnID, sentence string, err error) {
	b.mu.Lock()
	b.taken, b.said = "", ""
	b.mu.Unlock()
	key := rand.Text()
	err = b.deliver(ctx, chat.Event{Message: &chat.Message{
		Event: policy.Event{Direct: true, Operator: true}, Ref: b.ref, At: b.ref, ID: thread.MessageID(key), EventKey: key, Author: b.asker, Text: line,
		Written: time.Now(), Attached: len(files) > 0, Source: files,
	}})
	b.talk.Wait() // sentences about it arrive a little later
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken, b.said, err
}

// deliver retries for up to patience, except if the event is invalid.
func (b *Bot) deliver(ctx context.Context, e chat.Event) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return sleep.Backoff{First: firstPause}.Retry(ctx, func() error { return b.talk.Event(ctx, e) }, func(err error) time.Duration {
		if errors.Is(err, session.ErrInvalid) {
			return sleep.Never
		}
		return 0
	})
}

// Wait waits until the turn was answered or ctx is done.
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

// Stop stops the answers that are being written.
func (b *Bot) Stop(ctx context.Context) error {
	return b.talk.Event(ctx, chat.Event{Reaction: &chat.Reaction{Ref: b.ref, By: session.Stopper{ID: b.asker.ID}}})
}

// Asks reports whether a deep search waits until the person starts it. Meanwhile, other questions
// can be asked.
func (b *Bot) Asks() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.asks != ""
}

func (b *Bot) asking(id session.TurnID, waits bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if waits {
		b.asks = id
	} else if b.asks == id {
		b.asks = ""
	}
}

// Perform takes an action on an answer, such as a vote or a retry, and returns the reply for the
// person. For a retry, the reply names the turn to [Bot.Wait] for.
func (b *Bot) Perform(ctx context.Context, do thread.Action, id session.TurnID, text string) (action.Reply, error) {
	return b.talk.Press(ctx, conversation.Press{Direct: true, Request: action.Request{
		Do: do, Ref: b.ref, Turn: id, Key: rand.Text(), By: b.asker, Text: text, Submitted: true,
	}})
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
