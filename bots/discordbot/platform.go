package discordbot

import (
	"context"
	"errors"
	"slices"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// platform is Discord as conversations know it. A notice replies to the question that it is about.
type platform struct {
	client *discord.Client
	bot    *Bot
}

var (
	_ conversation.Platform = platform{}
	_ conversation.Files    = platform{}
	_ conversation.Refusals = platform{}
	_ conversation.Taken    = platform{}
	_ conversation.History  = platform{}
)

// Tenant implements conversation.Platform.
func (p platform) Tenant(at thread.Ref) access.TenantID { return p.bot.tenant(at) }

// Alone implements conversation.Platform.
func (p platform) Alone(ctx context.Context, at thread.Ref, person string) (access.Presence, error) {
	return p.bot.alone(ctx, at, person)
}

// Say implements conversation.Platform: in reply to the message, where others see it too.
func (p platform) Say(ctx context.Context, to chat.Message, sentence string) {
	if _, err := p.client.SayAt(ctx, to.At, to.ID, sentence); err != nil {
		p.bot.deps.Logger.WarnContext(ctx, "sentence not said", "error", err)
	}
}

// RefuseAlone implements conversation.Refusals, by a direct message. Where the person takes none,
// the reply in the channel is the only way left.
func (p platform) RefuseAlone(ctx context.Context, to chat.Message, sentence string) {
	t := session.Turn{Asker: thread.Person{ID: to.Author.ID}}
	if err := p.client.Whisper(ctx, t, sentence, nil); err != nil {
		p.bot.deps.Logger.WarnContext(ctx, "refusal not sent as a direct message; it is said in the channel", "error", err)
		p.Say(ctx, to, sentence)
	}
}

// ChangedFiles implements conversation.Files. Discord tells of previews, and of the thread that was
// opened from a message, as it tells of edits: those change no files, and redo no answer.
func (p platform) ChangedFiles(ctx context.Context, edited chat.Message, had []message.File) []message.File {
	m := event.SourceOf(edited.Source)
	files := []message.File{}
	var ids []message.FileID
	for _, f := range had {
		if f.ID == conversation.TranscriptID {
			files = append(files, f)
		} else {
			ids = append(ids, f.ID)
		}
	}
	if slices.EqualFunc(m.Files, ids, func(a event.Attachment, id message.FileID) bool { return message.FileID(a.ID) == id }) {
		return nil
	}
	return append(files, p.client.Fetch(ctx, m.Files)...)
}

// PostNotice implements conversation.Notices.
func (p platform) PostNotice(ctx context.Context, about session.Turn, at thread.Ref, sentence string) (thread.MessageID, error) {
	note, err := p.client.SayAt(ctx, at, about.Message, sentence)
	return note.ID(), err
}

// EditNotice implements conversation.Notices.
func (p platform) EditNotice(ctx context.Context, _ session.Turn, at thread.Ref, id thread.MessageID, sentence string) error {
	return p.client.Resay(ctx, event.NoteAt(at, id), sentence)
}

// DeleteNotice implements conversation.Notices.
func (p platform) DeleteNotice(ctx context.Context, at thread.Ref, id thread.MessageID) error {
	if err := p.client.Unsay(ctx, event.NoteAt(at, id)); err != nil && !errors.Is(err, thread.ErrNotPermitted) {
		return err
	}
	return nil
}

// FindNotices implements conversation.Notices.
func (p platform) FindNotices(ctx context.Context, about session.Turn, at thread.Ref) ([]thread.MessageID, error) {
	notes, err := p.client.Noted(ctx, event.NoteAt(at, ""), about.Message, policy.IsNotice)
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
