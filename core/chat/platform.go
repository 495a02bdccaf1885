package chat

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Platform is the port to a chat platform. An implementation embeds Unsupported and adds what its
// platform supports. Methods are safe for concurrent use. They return the errors of package thread
// where one applies.
type Platform interface {
	// Features returns what the platform of a thread can do. It never changes.
	Features(at thread.Ref) Features

	// Reads.

	// Tenant returns whose documents are answered from in a place.
	Tenant(at thread.Ref) access.TenantID
	// Alone returns a person as the only one present, with their principals and the origin of each.
	// With an error the result is partial.
	Alone(ctx context.Context, at thread.Ref, person string) (access.Presence, error)
	// Known is Alone without a call to the platform. It returns false if a call is needed
	// (Features.Known).
	Known(ctx context.Context, at thread.Ref, person string) (access.Audience, bool)
	// Moderates reports whether a person may manage other people's answers (Features.Moderates).
	// Unknown people may not.
	Moderates(ctx context.Context, at thread.Ref, person string) bool
	// Gather returns the context of a message that is to be answered. private says that only its
	// author will see the answer. A non-nil reading is the part of the thread to include.
	Gather(ctx context.Context, m Message, private bool, reading *Reading) (Gathered, error)
	// Attachments yields the files of a message one after the other, unread, each with up to most
	// bytes.
	Attachments(ctx context.Context, m Message, most int64) iter.Seq[Attachment]
	// ChangedFiles returns the files of an edited question, after the earlier messages, or nil if
	// they are unchanged.
	ChangedFiles(ctx context.Context, m Message, had []message.File) []message.File
	// Message reads a message; thread.ErrMessageGone when it was deleted.
	Message(ctx context.Context, at thread.Ref, id thread.MessageID) (Message, error)
	// Answered reports whether the platform shows the bot's answer to a message that the store does
	// not know. Messages for which other returns true are about other questions.
	Answered(ctx context.Context, m Message, other func(thread.MessageID) bool) (bool, error)
	// Involved reports whether the bot has written about a message since: an answer, or a Notice.
	Involved(ctx context.Context, m Message, other func(thread.MessageID) bool) (bool, error)
	// Unfinished reports whether a page of a turn's answer looks as if it were still being written.
	// In a place that the bot can no longer read the result is false, without an error. permit is
	// asked first.
	Unfinished(ctx context.Context, t session.Turn, p session.Page, permit Permit) (bool, error)
	// Listeners returns the current audience of a turn: the asker in a private conversation, else
	// everyone who can open the channel. It returns an error if the platform cannot be asked.
	Listeners(ctx context.Context, t session.Turn) (access.Presence, error)
	// Complete loads what Gather left pending. Missing data is omitted, or replaced by a file that
	// says why. It may be called again, by another process.
	Complete(ctx context.Context, t session.Turn) session.Completion
	// Room returns a channel, given by Platform and Channel of at, and who can currently open it.
	// It returns thread.ErrNotPermitted if the bot cannot see the channel, and for threads and
	// direct messages, to which reports cannot go.
	Room(ctx context.Context, at thread.Ref) (Room, error)
	// Zone returns the asker's time zone, or nil if it is unknown or the lookup would delay the
	// answer.
	Zone(ctx context.Context, t session.Turn) *time.Location

	// Writes.

	// Post writes a notice that everyone in the thread sees.
	Post(ctx context.Context, at thread.Ref, n Notice) (thread.MessageID, error)
	// Edit replaces a notice.
	Edit(ctx context.Context, at thread.Ref, id thread.MessageID, n Notice) error
	// Delete deletes a notice. It returns nil if the notice is gone or can no longer be deleted.
	Delete(ctx context.Context, at thread.Ref, id thread.MessageID) error
	// Posted returns the notices with this To and Subject, posted by any process. For an Apart
	// notice it returns errors.ErrUnsupported if the bot may not search for it.
	Posted(ctx context.Context, at thread.Ref, n Notice) ([]thread.MessageID, error)
	// Say sends a notice to the author of a message, visible only to them if the platform supports
	// that in this place. With private, another place is used rather than showing it to others. It
	// is not retried.
	Say(ctx context.Context, to Message, sentence string, private bool)
	// Whisper sends the asker of a turn a note that is invisible to others in the channel: as an
	// ephemeral message, or else as a direct message. It is called once per note, and a failure is
	// only logged (Features.Whispers).
	Whisper(ctx context.Context, t session.Turn, note Note) error
	// Open starts the delivery of a turn, and adopts messages of earlier attempts. When ctx ends,
	// the delivery makes no further call and needs no Finish.
	Open(ctx context.Context, t session.Turn, permit Permit) (Delivery, error)
	// Taken reports that a message was taken in as the question of a turn.
	Taken(m Message, t session.Turn)
}

// Features are the capabilities of a platform.
type Features struct {
	Redelivers bool // failed events are redelivered
	Moderates  bool // Moderates is supported; otherwise events report moderators
	Known      bool // Known answers: events are acknowledged before the platform is asked anything
	Whispers   bool // Whisper works
	SaysAlone  bool // Say is visible to one person only, also after a reaction
}

// Reading is a part of a thread: after one message, and before the question.
type Reading struct {
	After thread.MessageID // empty: from the thread's beginning
}

// Gathered is the context of a question.
type Gathered struct {
	Text    string          // of the message; a placeholder if it has only files
	Files   []message.File  // the earlier messages, then the message's files
	Listens access.Audience // the known audience; the minimum if unknown
	Name    string          // name of the author, if the message lacks it
	Pending json.RawMessage // request for a worker (Complete); nil for none
}

// Attachment is a file of a message as it was attached.
type Attachment struct {
	Name   string
	Data   []byte
	Link   string // address of the message; empty: none
	Failed string // sentence for the person why there is no data; empty: there is
}

// Notice is a message of the bot next to its answers.
type Notice struct {
	To      thread.MessageID // the question
	Subject string           // identifies the notice: the turn, or the question if there is no turn
	Text    string
	Still   string // label of the button "still wanted"; empty for none
	// Mention is the account that Text begins by mentioning, if any. Text is then plain text in
	// paragraphs, of which those after ">" are quotations. It contains no other mentions and no
	// links. Post returns thread.ErrOutcomeUnknown if the notice may have been posted.
	Mention string
	// Apart says that the notice is not about a question. It is posted to the channel itself, and
	// Text is plain text without mentions and links. Posted searches for it from Since on.
	Apart bool
	Since time.Time
}

// Room is a channel and who can open it.
type Room struct {
	Ref     thread.Ref // Thread is empty
	Present access.Presence
	Open    bool // every full member of the workspace can open it
}

// ReplySubject is the Subject of a notice that is the whole reply to a message, such as the one
// about kept files. Platform.Answered counts it as an answer, and no other notice.
func ReplySubject(id thread.MessageID) string { return "reply " + string(id) }

// WaitingNotice is the notice that a turn waits.
func WaitingNotice(t session.Turn, sentence string) Notice {
	return Notice{To: t.Message, Subject: string(t.ID), Text: sentence}
}

// Unsupported is a platform without any capability. Its methods return errors.ErrUnsupported where
// an error is needed.
type Unsupported struct{}

// Features implements Platform.
func (Unsupported) Features(thread.Ref) Features { return Features{} }

// Tenant implements Platform.
func (Unsupported) Tenant(thread.Ref) access.TenantID { return access.DefaultTenant }

// Alone implements Platform: the person is unknown.
func (Unsupported) Alone(context.Context, thread.Ref, string) (access.Presence, error) {
	return access.Presence{Tenant: access.DefaultTenant, Open: true, Outsiders: true}, nil
}

// Known implements Platform.
func (Unsupported) Known(context.Context, thread.Ref, string) (access.Audience, bool) {
	return access.Audience{}, false
}

// Moderates implements Platform.
func (Unsupported) Moderates(context.Context, thread.Ref, string) bool { return false }

// Gather implements Platform: the text alone, for an audience that reads public documents.
func (Unsupported) Gather(_ context.Context, m Message, _ bool, _ *Reading) (Gathered, error) {
	return Gathered{Text: m.Text, Listens: access.NewAudience(access.DefaultTenant)}, nil
}

// Attachments implements Platform.
func (Unsupported) Attachments(context.Context, Message, int64) iter.Seq[Attachment] {
	return func(func(Attachment) bool) {}
}

// ChangedFiles implements Platform.
func (Unsupported) ChangedFiles(context.Context, Message, []message.File) []message.File { return nil }

// Message implements Platform.
func (Unsupported) Message(context.Context, thread.Ref, thread.MessageID) (Message, error) {
	return Message{}, errors.ErrUnsupported
}

// Answered implements Platform.
func (Unsupported) Answered(context.Context, Message, func(thread.MessageID) bool) (bool, error) {
	return false, errors.ErrUnsupported
}

// Involved implements Platform.
func (Unsupported) Involved(context.Context, Message, func(thread.MessageID) bool) (bool, error) {
	return false, errors.ErrUnsupported
}

// Unfinished implements Platform.
func (Unsupported) Unfinished(context.Context, session.Turn, session.Page, Permit) (bool, error) {
	return false, nil
}

// Listeners implements Platform: it may be anyone.
func (Unsupported) Listeners(context.Context, session.Turn) (access.Presence, error) {
	return access.Presence{Tenant: access.DefaultTenant, Open: true, Outsiders: true}, nil
}

// Complete implements Platform.
func (Unsupported) Complete(context.Context, session.Turn) session.Completion {
	return session.Completion{}
}

// Room implements Platform.
func (Unsupported) Room(context.Context, thread.Ref) (Room, error) {
	return Room{}, errors.ErrUnsupported
}

// Zone implements Platform.
func (Unsupported) Zone(context.Context, session.Turn) *time.Location { return nil }

// Whisper implements Platform.
func (Unsupported) Whisper(context.Context, session.Turn, Note) error { return errors.ErrUnsupported }

// Open implements Platform.
func (Unsupported) Open(context.Context, session.Turn, Permit) (Delivery, error) {
	return nil, errors.ErrUnsupported
}

// Post implements Platform.
func (Unsupported) Post(context.Context, thread.Ref, Notice) (thread.MessageID, error) {
	return "", errors.ErrUnsupported
}

// Edit implements Platform.
func (Unsupported) Edit(context.Context, thread.Ref, thread.MessageID, Notice) error {
	return errors.ErrUnsupported
}

// Delete implements Platform.
func (Unsupported) Delete(context.Context, thread.Ref, thread.MessageID) error { return nil }

// Posted implements Platform.
func (Unsupported) Posted(context.Context, thread.Ref, Notice) ([]thread.MessageID, error) {
	return nil, nil
}

// Say implements Platform.
func (Unsupported) Say(context.Context, Message, string, bool) {}

// Taken implements Platform.
func (Unsupported) Taken(Message, session.Turn) {}
