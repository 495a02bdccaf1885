package conversation

import (
	"time"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Message is a message that somebody wrote or changed, as its platform tells of it.
type Message struct {
	policy.Event            // what the platform says of it
	Ref          thread.Ref // the thread that an answer would belong to
	At           thread.Ref // where the message stands, for what is said beside an answer
	ID           thread.MessageID
	EventKey     string
	Author       thread.Person // the name may be left out
	Moderator    bool          // the author may look after other people's answers; Moderation says so else
	Starter      string        // who began the thread; empty when the platform does not say
	Text         string        // as a model should read it
	Written      time.Time
	Late         bool      // read after an absence, and not heard
	Looked       time.Time // Late: when the looking for what was missed began, which may take a while; zero: now
	Hidden       bool      // what was written cannot be read
	Attached     bool      // files came with it, or may have
	Source       any       // the platform's own form of the message, for the platform alone
}

// key names a message among all of a platform.
func (m Message) key() string { return m.Ref.Workspace + " " + m.Ref.Channel + " " + string(m.ID) }

// Deletion is a message that somebody deleted.
type Deletion struct {
	Ref     thread.Ref // Thread may be empty
	Message thread.MessageID
	Of      Deleted
}

// Deleted says whose message was deleted.
type Deleted int

// Whose message it was.
const (
	Somebodys Deleted = iota // a person's: it may be a question, and the deletion may overtake it
	Answers                  // the bot's
	Unsaid                   // the platform does not say whose
)

// Reaction is the sign that stops an answer, put on a message.
type Reaction struct {
	Ref     thread.Ref       // Thread may be empty
	Message thread.MessageID // empty: the thread is meant
	By      session.Stopper
}
