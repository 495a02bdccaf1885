package discordbot

import (
	"context"
	"errors"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// platform is Discord as conversations know it. A notice replies to the question that it is about.
type platform struct{ client *discord.Client }

var _ conversation.Platform = platform{}

// Tell implements conversation.Notices.
func (p platform) Tell(ctx context.Context, about session.Turn, at thread.Ref, sentence string) (thread.MessageID, error) {
	note, err := p.client.SayAt(ctx, at, about.Message, sentence)
	return note.ID(), err
}

// Retell implements conversation.Notices.
func (p platform) Retell(ctx context.Context, _ session.Turn, at thread.Ref, id thread.MessageID, sentence string) error {
	return p.client.Resay(ctx, discord.NoteAt(at, id), sentence)
}

// Untell implements conversation.Notices.
func (p platform) Untell(ctx context.Context, at thread.Ref, id thread.MessageID) error {
	if err := p.client.Unsay(ctx, discord.NoteAt(at, id)); err != nil && !errors.Is(err, thread.ErrNotPermitted) {
		return err
	}
	return nil
}

// Told implements conversation.Notices.
func (p platform) Told(ctx context.Context, about session.Turn, at thread.Ref) ([]thread.MessageID, error) {
	notes, err := p.client.Noted(ctx, discord.NoteAt(at, ""), about.Message, answer.IsNotice)
	ids := make([]thread.MessageID, len(notes))
	for i, n := range notes {
		ids[i] = n.ID()
	}
	return ids, err
}

// HalfWritten implements conversation.Platform.
func (p platform) HalfWritten(ctx context.Context, t session.Turn, page session.Page, _ answer.Permit) (bool, error) {
	return p.client.HalfWritten(ctx, t, page.Message)
}
