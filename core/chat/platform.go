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

// Platform reads from and writes to a chat platform. An implementation embeds [Unsupported] and
// adds what its platform supports. Methods are safe for concurrent use. They return the errors of
// package thread, such as thread.ErrMessageGone, where these apply.
type Platform interface {
	// Features returns the capabilities of the thread's platform. They never change.
	Features(at thread.Ref) Features

	// Reads.

	// Tenant returns the tenant whose documents are used for answers in a thread.
	Tenant(at thread.Ref) access.TenantID
	// Alone returns the presence of one person, with the person's principals and the origin of
	// each. After an error the result is partial.
	Alone(ctx context.Context, at thread.Ref, person string) (access.Presence, error)
	// Known is like Alone, but never calls the platform. It returns false if a call would be needed
	// (Features.Known).
	Known(ctx context.Context, at thread.Ref, person string) (access.Audience, bool)
	// Moderates reports whether a person may manage other people's answers (Features.Moderates). It
	// returns false for unknown people.
	Moderates(ctx context.Context, at thread.Ref, person string) bool
	// Gather returns the context of a message that will be answered. private says that only the
	// author will see the answer. If reading is not nil, the context includes this part of the
	// thread.
	Gather(ctx context.Context, m Message, private bool, reading *Reading) (Gathered, error)
	// Attachments yields the files of a message, one at a time. The files have not been parsed.
	// Each has at most most bytes.
	Attachments(ctx context.Context, m Message, most int64) iter.Seq[Attachment]
	// ChangedFiles returns the files of an edited question, preceded by the file of earlier
	// messages in had. It returns nil if the files have not changed.
	ChangedFiles(ctx context.Context, m Message, had []message.File) []message.File
	// Message reads a message. If the message was deleted, it returns thread.ErrMessageGone.
	Message(ctx context.Context, at thread.Ref, id thread.MessageID) (Message, error)
	// Answered reports whether the platform shows an answer of the bot to a message that the store
	// does not know. other reports whether a message of the bot is about another question.
	Answered(ctx context.Context, m Message, other func(thread.MessageID) bool) (bool, error)
	// Involved reports whether the bot has posted an answer or a Notice about a message. other is
	// as for Answered.
	Involved(ctx context.Context, m Message, other func(thread.MessageID) bool) (bool, error)
	// Written returns the text of the answer that a page of a turn shows, and whether the page
	// looks as if it were still being written. The text is without notes and search steps. If the
	// bot can no longer read the channel, Written returns nothing without an error. It checks
	// permit before it calls the platform.
	Written(ctx context.Context, t session.Turn, p session.Page, permit Permit) (text string, unfinished bool, err error)
	// Listeners returns who can currently see the answer of a turn. In a private conversation this
	// is the asker. In a channel it is everyone who can open the channel. It returns an error if
	// the platform cannot be asked, which is thread.ErrNotPermitted if another try cannot help.
	Listeners(ctx context.Context, t session.Turn) (access.Presence, error)
	// Complete loads the data that Gather left pending. Data that cannot be loaded is omitted, or
	// replaced by a file that says why. Another process may call Complete again.
	Complete(ctx context.Context, t session.Turn) session.Completion
	// Room returns a channel and who can currently open it. at gives Platform and Channel. It
	// returns thread.ErrNotPermitted if the bot cannot see the channel. It returns the same error
	// for threads and direct messages, because reports cannot be posted there.
	Room(ctx context.Context, at thread.Ref) (Room, error)
	// Zone returns the asker's time zone. It returns nil if the zone is unknown or the lookup would
	// delay the answer.
	Zone(ctx context.Context, t session.Turn) *time.Location

	// Writes.

	// Post posts a notice that everyone in the thread sees.
	Post(ctx context.Context, at thread.Ref, n Notice) (thread.MessageID, error)
	// Edit replaces a notice.
	Edit(ctx context.Context, at thread.Ref, id thread.MessageID, n Notice) error
	// Delete deletes a notice. It returns nil if the notice no longer exists or can no longer be
	// deleted.
	Delete(ctx context.Context, at thread.Ref, id thread.MessageID) error
	// Posted returns the notices with this To and Subject that any process has posted. For an Apart
	// notice, it returns errors.ErrUnsupported if the bot may not search the channel.
	Posted(ctx context.Context, at thread.Ref, n Notice) ([]thread.MessageID, error)
	// Say sends a notice to the author of a message. Only the author sees it, if the platform
	// supports that. Otherwise the notice is visible to others, or is sent as a direct message if
	// private is set. Say does not retry.
	Say(ctx context.Context, to Message, sentence string, private bool)
	// Whisper sends a note to the asker of a turn. Others in the channel cannot see it. It is an
	// ephemeral message if possible, or else a direct message. Each note is sent once, and errors
	// are only logged (Features.Whispers).
	Whisper(ctx context.Context, t session.Turn, note Note) error
	// Open starts the delivery of a turn. The delivery continues in messages of earlier attempts.
	// When ctx ends, the delivery makes no further call and needs no Finish.
	Open(ctx context.Context, t session.Turn, permit Permit) (Delivery, error)
	// Taken tells the platform that a message was accepted as the question of a turn.
	Taken(m Message, t session.Turn)
}

// Features are the capabilities of a platform.
type Features struct {
	Redelivers bool // failed events are redelivered
	Moderates  bool // Moderates is supported; otherwise events report moderators
	Known      bool // Known is supported, so events are acknowledged before any call to the platform
	Whispers   bool // Whisper works
	SaysAlone  bool // Say is visible to one person only, also after a reaction
}

// Reading says where to begin when the earlier messages of a thread are read before a question.
type Reading struct {
	After thread.MessageID // empty: from the thread's beginning
}

// Gathered is what a platform knows about a question: its text, its files, and who may see the
// answer.
type Gathered struct {
	Text    string          // text of the message; a placeholder if it has only files
	Files   []message.File  // the earlier messages, then the message's files
	Listens access.Audience // the known audience; the minimum if unknown
	Name    string          // name of the author, if the message lacks it
	Pending json.RawMessage // request for a worker (Complete); nil for none
	// Unread says that Files lacks the earlier messages that were asked for. They could not be
	// read, or Pending includes them.
	Unread bool
}

// Attachment is an unparsed file of a message.
type Attachment struct {
	Name   string
	Data   []byte
	Link   string // address of the message; empty: none
	Failed string // sentence that says why Data is missing; empty if Data is present
}

// Notice is a message of the bot that is not an answer.
type Notice struct {
	To      thread.MessageID // the question
	Subject string           // identifies the notice: the turn, or the question if there is no turn
	Text    string
	Still   string // label of the button "still wanted"; empty for none
	// Mention is the account that the beginning of Text mentions, or "". With a Mention, Text is
	// plain text in paragraphs. Paragraphs after ">" are quotations. Text contains no other
	// mentions and no links. Post returns thread.ErrOutcomeUnknown if the notice may have been
	// posted.
	Mention string
	// Apart says that the notice is not about a question. It is posted to the channel itself. Text
	// is plain text without mentions and links. Posted searches for the notice from Since on.
	Apart bool
	Since time.Time
}

// Room is a channel and who can open it.
type Room struct {
	Ref     thread.Ref // Thread is empty
	Present access.Presence
	Open    bool // every full member of the workspace can open it
}

// ReplySubject returns the Subject of a [Notice] that is the reply to a message instead of an
// answer. An example is a notice that files were stored. [Platform].Answered treats such a notice
// as an answer, and ignores all other notices.
func ReplySubject(id thread.MessageID) string { return "reply " + string(id) }

// WaitingNotice returns a [Notice] for the question of a turn that waits in its thread's queue.
// sentence is the text.
func WaitingNotice(t session.Turn, sentence string) Notice {
	return Notice{To: t.Message, Subject: string(t.ID), Text: sentence}
}

// Unsupported is a [Platform] without any capability. Methods that must report a failure return
// [errors.ErrUnsupported].
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

// Gather implements Platform. It returns only the text, for an audience that may read public
// documents.
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

// Written implements Platform.
func (Unsupported) Written(context.Context, session.Turn, session.Page, Permit) (string, bool, error) {
	return "", false, nil
}

// Listeners implements Platform: the audience is unknown.
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
