package session

import (
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Vote is what a person thinks of an answer. Everybody has one for each answer, and may change it.
type Vote struct {
	Tenant access.TenantID
	Turn   TurnID
	// the platform's id of the press; the same one counts once, however late it comes again
	Key    string
	Person thread.Person
	Up     bool
	// Message is the page that was voted on, which says which of several models' replies is meant.
	// A vote on another page takes the place of the first; one on no page of the answer leaves it
	// where it is.
	Message thread.MessageID
	Reason  string    // empty: none was given, and one that was given with the same vote before stays
	At      time.Time // by the store's clock; set when read
}

// Feedback is a vote with what it is about, for whoever looks after the answers.
type Feedback struct {
	Vote
	Ref      thread.Ref
	Private  bool // the answer was for the voter alone
	Question string
	Outcome  Outcome
	// whose reply the vote is about; empty when no model ran. A vote on no page is about the one
	// that the conversation goes on from
	Model string
}

// FeedbackQuery says which votes are wanted. The zero value of a field wants all.
type FeedbackQuery struct {
	Tenant access.TenantID // required
	Since  time.Time
	Down   bool // only those that are not content
	Limit  int  // the newest; 0 means 1,000
}

// ErrRemoved says that the answer is gone: a moderator removed it, or a person deleted it on the
// platform.
var ErrRemoved = errors.New("the answer was removed")
