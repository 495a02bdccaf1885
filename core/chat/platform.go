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

// Platform is the port to a chat platform. A platform embeds Unsupported and implements what it can
// do. Methods are safe for concurrent use. Their errors are thread's where one of those applies.
type Platform interface {
	// Features returns what the platform of a thread can do. It never changes.
	Features(at thread.Ref) Features

	// Reads.

	// Tenant returns whose documents are answered from in a place.
	Tenant(at thread.Ref) access.TenantID
	// Alone returns a person as the only one present: what the person holds, and where each of it
	// comes from. With an error it returns what is known.
	Alone(ctx context.Context, at thread.Ref, person string) (access.Presence, error)
	// Known is Alone without a call to the platform; false when it needs one (Features.Known).
	Known(ctx context.Context, at thread.Ref, person string) (access.Audience, bool)
	// Moderates reports whether a person may manage other people's answers (Features.Moderates).
	// Unknown people may not.
	Moderates(ctx context.Context, at thread.Ref, person string) bool
	// Gather returns what goes with a message that gets an answer; private: for its author alone.
	// Where reading is not nil, it includes that part of the thread.
	Gather(ctx context.Context, m Message, private bool, reading *Reading) (Gathered, error)
	// Attachments yields the files of a message one after the other, unread, each with up to most
	// bytes.
	Attachments(ctx context.Context, m Message, most int64) iter.Seq[Attachment]
	// ChangedFiles returns the files of an edited question, after what was said before it; nil when
	// they are those that it had.
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
	// Listeners returns who sees a turn's answer, as the platform says at this moment: the asker
	// alone in a private conversation, else everyone who can open the channel. It fails when the
	// platform cannot be asked.
	Listeners(ctx context.Context, t session.Turn) (access.Presence, error)
	// Complete asks for what Gather left pending of a turn. What the platform does not say is left
	// out, or a file says why it is empty. It may be called again, by another process.
	Complete(ctx context.Context, t session.Turn) session.Completion
	// Room returns a channel, which Platform and Channel of at name, and who can open it at this
	// moment. It fails with thread.ErrNotPermitted where the bot cannot see it, and where it is none
	// that a report may go to: a thread, or a direct message.
	Room(ctx context.Context, at thread.Ref) (Room, error)
	// Zone returns the asker's time zone; nil when the platform does not say within the time that a
	// first word may take.
	Zone(ctx context.Context, t session.Turn) *time.Location

	// Writes.

	// Post writes a notice that everyone in the thread sees.
	Post(ctx context.Context, at thread.Ref, n Notice) (thread.MessageID, error)
	// Edit replaces a notice.
	Edit(ctx context.Context, at thread.Ref, id thread.MessageID, n Notice) error
	// Delete removes a notice. It returns nil for one that is gone or can no longer be deleted.
	Delete(ctx context.Context, at thread.Ref, id thread.MessageID) error
	// Posted lists the notices with this To and Subject, whichever process posted them. Of one that
	// is Apart it fails with errors.ErrUnsupported where the bot may not look for it.
	Posted(ctx context.Context, at thread.Ref, n Notice) ([]thread.MessageID, error)
	// Say tells the author of a message something, and no one else if the platform can do so in
	// that place. private asks for another place rather than for others to read along. It is tried
	// once.
	Say(ctx context.Context, to Message, sentence string, private bool)
	// Whisper tells the asker of a turn something that no one else in the channel sees, nor that
	// it was said: in a message for one person, else in a direct message. It is called once for a
	// note, and a failure is logged (Features.Whispers).
	Whisper(ctx context.Context, t session.Turn, note Note) error
	// Open starts the delivery of a turn, and adopts messages of earlier attempts. When ctx ends,
	// the delivery makes no further call and needs no Finish.
	Open(ctx context.Context, t session.Turn, permit Permit) (Delivery, error)
	// Taken reports that a message was taken in as the question of a turn.
	Taken(m Message, t session.Turn)
}

// Features are what a platform can do.
type Features struct {
	Redelivers bool // an event whose handler failed comes again
	Moderates  bool // Moderates answers; else events say who is a moderator
	Known      bool // Known answers: events are acknowledged before the platform is asked anything
	Whispers   bool // Whisper works
	SaysAlone  bool // Say reaches one person without the others, also for a reaction
}

// Reading is a part of a thread: after one message, and before the question.
type Reading struct {
	After thread.MessageID // empty: from the thread's beginning
}

// Gathered is what goes with a question.
type Gathered struct {
	Text    string          // of the message; a stand-in for one with files alone
	Files   []message.File  // what was said before, then what came with the message
	Listens access.Audience // as far as is known; the least otherwise
	Name    string          // of the author, where the message does not say
	Pending json.RawMessage // what a worker asks the platform (Complete); nil for nothing
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
	To      thread.MessageID // the question that it is about
	Subject string           // marks it: the turn, or the question where there is no turn
	Text    string
	Still   string // label of a button that says that an answer is still wanted; empty: none
	// Mention is the account that Text begins by mentioning; empty: none. Text is then plain text in
	// paragraphs, of which those after ">" are quotations. It mentions no one else and links nowhere.
	// Post fails with thread.ErrOutcomeUnknown if it may have been posted.
	Mention string
	// Apart says that it is about no question: it is in the channel itself, and Text is plain text
	// that can mention no one and link nowhere. Posted looks for it from Since on.
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

// Unsupported is a platform that can do nothing. Methods that have to say so return
// errors.ErrUnsupported.
type Unsupported struct{}

// Features implements Platform.
func (Unsupported) Features(thread.Ref) Features { return Features{} }

// Tenant implements Platform.
func (Unsupported) Tenant(thread.Ref) access.TenantID { return access.DefaultTenant }

// Alone implements Platform: it may be anyone.
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
