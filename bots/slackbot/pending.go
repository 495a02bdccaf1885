package slackbot

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// pending says what must still be read from Slack for a question that is already stored and
// acknowledged.
type pending struct {
	Files   []event.File `json:"files,omitempty"`   // files to read
	Unknown bool         `json:"unknown,omitempty"` // whether there are files must be looked up
	Bare    bool         `json:"bare,omitempty"`    // the question has no text
	Before  *before      `json:"before,omitempty"`  // earlier messages of the thread
	Name    bool         `json:"name,omitempty"`    // the asker's name must be looked up
	// Listens is set if the audience was unknown. Every turn looks it up again.
	Listens bool `json:"listens,omitempty"`
}

// before asks for the messages of a thread from After (exclusive; empty: the first) to the
// question.
type before struct {
	After thread.MessageID `json:"after,omitempty"`
}

func (p pending) empty() bool {
	return len(p.Files) == 0 && !p.Unknown && p.Before == nil && !p.Name && !p.Listens
}

// Complete implements chat.Platform.
func (b *Bot) Complete(ctx context.Context, t session.Turn) (c session.Completion) {
	var p pending
	if err := json.Unmarshal(t.Pending.Ask, &p); err != nil { // written by another version
		b.deps.Logger.WarnContext(ctx, "what was pending of a question is not understood; it is answered as it is", "turn", t.ID, "error", err)
		return session.Completion{}
	}
	var earlier session.Completion
	var asking sync.WaitGroup
	// in reading order: earlier messages, then the question's files
	defer func() {
		asking.Wait()
		c.Files, c.Starter, c.CaughtUp = append(earlier.Files, c.Files...), earlier.Starter, earlier.CaughtUp
		// the question may have been edited since
		c.Empty = p.Bare && len(c.Files) == 0 && t.Question.Text == conversation.AboutFiles
	}()
	if p.Before != nil {
		asking.Go(func() { earlier = b.readBefore(ctx, t.Session.Ref, p.Before.After, t.Message) })
	}
	if p.Name {
		asking.Go(func() { c.Name = b.person(ctx, t.Asker.ID).Name })
	}
	if p.Unknown {
		p.Files = b.client.Attached(ctx, chat.Message{Ref: t.Session.Ref, ID: t.Message})
	}
	c.Files = b.client.Fetch(ctx, p.Files)
	return c
}

func (p pending) raw() (json.RawMessage, error) {
	if p.empty() {
		return nil, nil
	}
	return json.Marshal(p)
}
