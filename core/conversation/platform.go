package conversation

import (
	"context"
	"encoding/json"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Platform is the port to a chat platform. Its methods are safe for concurrent use.
type Platform interface {
	Notices
	// Tenant is whose documents are answered from in a place.
	Tenant(at thread.Ref) access.TenantID
	// Alone returns a person as the only one present: what the person holds, and where each of it
	// comes from. It may ask the platform, and with an error tells what it knows.
	Alone(ctx context.Context, at thread.Ref, person string) (access.Presence, error)
	// Gather returns what goes with a message that is to be answered; the judgement says who will
	// see the answer, read what of its thread is to be read, if not nil. What the platform cannot
	// be asked at once is left to a worker (answer.Completer).
	Gather(ctx context.Context, m chat.Message, j answer.Judgement, read *Reading) (Gathered, error)
	// Say tells the author of a message something beside an answer, and nobody else where the
	// platform can. It is not worth more than one try.
	Say(ctx context.Context, to chat.Message, sentence string)
	// HalfWritten reports whether a page of a turn's answer stands there as one that is still being
	// written. What cannot be known any more, such as in a channel that the bot was removed from,
	// is no error.
	HalfWritten(ctx context.Context, t session.Turn, p session.Page, permit answer.Permit) (bool, error)
}

// Gathered is what goes with a question.
type Gathered struct {
	Text    string          // of the message; AboutFiles for one that holds nothing else
	Files   []message.File  // what was said before, then what came with the message
	Listens access.Audience // as far as is known; the least else
	Name    string          // of the author, where the message does not tell
	Pending json.RawMessage // what a worker is to ask the platform; nil for nothing
}

// Notices are messages of the bot beside its answers, which everybody in the thread sees. Each is
// about a turn that waits.
type Notices interface {
	PostNotice(ctx context.Context, about session.Turn, at thread.Ref, sentence string) (thread.MessageID, error)
	EditNotice(ctx context.Context, about session.Turn, at thread.Ref, id thread.MessageID, sentence string) error
	// DeleteNotice takes a notice back. One that has gone, or that the bot may not take back any
	// more, is no error.
	DeleteNotice(ctx context.Context, at thread.Ref, id thread.MessageID) error
	// FindNotices lists the notices about a turn that a process may have posted which ended before
	// it knew.
	FindNotices(ctx context.Context, about session.Turn, at thread.Ref) ([]thread.MessageID, error)
}

// Moderation is implemented by platforms whose events do not say whether a person may look after
// other people's answers.
type Moderation interface {
	// Moderates asks the platform. Of whom nothing can be found out, nothing is true.
	Moderates(ctx context.Context, at thread.Ref, person string) bool
}

// Whispers is implemented by platforms that can tell a person something, at a place, which nobody
// else there sees.
type Whispers interface {
	TellAlone(ctx context.Context, at thread.Ref, person, sentence string)
}

// Refusals is implemented by platforms on which everyone sees what Say says.
type Refusals interface {
	// RefuseAlone tells the author of a message, and no one else, why it is not answered.
	RefuseAlone(ctx context.Context, to chat.Message, sentence string)
}

// Files is implemented by platforms on which the files of a message can change.
type Files interface {
	// ChangedFiles returns the files of an edited question, with what was said before it; nil when
	// they are those that it had.
	ChangedFiles(ctx context.Context, m chat.Message, had []message.File) []message.File
}

// Memory is implemented by platforms whose events are to be acknowledged before anything is asked.
type Memory interface {
	// Remembers returns what a person holds on the platform, if that is known without asking.
	// Decisions about questions rest on it; what of sources the person may read is asked for when
	// an answer is made.
	Remembers(ctx context.Context, person string) (access.Audience, error)
}

// Taken is implemented by platforms that look out for what happens to questions.
type Taken interface {
	// Taken tells that a message was taken in as a question.
	Taken(m chat.Message)
}

// History is implemented by platforms on which can be read what was said while nobody was there.
// What aside says of the bot's messages is about other questions.
type History interface {
	// Answered reports whether the platform shows the bot's answer to a message that the store does
	// not know.
	Answered(ctx context.Context, m chat.Message, aside func(thread.MessageID) bool) (bool, error)
	// Involved reports whether the bot has written about a message since: answered it, or asked
	// about it.
	Involved(ctx context.Context, m chat.Message, aside func(thread.MessageID) bool) (bool, error)
	// AskStill asks beside a message whether an answer is still wanted; the button comes back as
	// Conversation.Still.
	AskStill(ctx context.Context, m chat.Message, sentence, button string) error
	// Question reads a message; thread.ErrMessageGone where it is no longer there.
	Question(ctx context.Context, at thread.Ref, id thread.MessageID) (chat.Message, error)
}

// Redelivery is implemented by platforms that deliver an event again whose handling failed. On
// others a question is taken in until it is done.
type Redelivery interface{ Redelivers() }

// abilities are what a platform can do beside what every one can; nil for what it cannot. They are
// found once.
type abilities struct {
	moderation Moderation
	whispers   Whispers
	refusals   Refusals
	files      Files
	redelivers Redelivery
	memory     Memory
	taken      Taken
	history    History
}

func abilitiesOf(p Platform) (can abilities) {
	can.moderation, _ = p.(Moderation)
	can.whispers, _ = p.(Whispers)
	can.refusals, _ = p.(Refusals)
	can.files, _ = p.(Files)
	can.redelivers, _ = p.(Redelivery)
	can.memory, _ = p.(Memory)
	can.taken, _ = p.(Taken)
	can.history, _ = p.(History)
	return can
}
