package session

import (
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Vote is a person's opinion of an answer. Each person has one vote per answer and may change it.
type Vote struct {
	Tenant access.TenantID
	Turn   TurnID
	// the platform's id of the button press; a press counts only once, even if it is repeated late
	Key    string
	Person thread.Person
	Up     bool
	// Message is the answer page that the person voted on. It identifies the reply, if several
	// models answered. A vote on another page moves the vote to that page's reply. A vote on a
	// message that is no page of the answer does not move the vote.
	Message thread.MessageID
	Reason  string    // empty: none; an earlier reason for the same vote then stays
	At      time.Time // by the store's clock; set when read
}

// Feedback is a vote with its question and answer, for the people who maintain the bot.
type Feedback struct {
	Vote
	Ref      thread.Ref
	Private  bool // the answer was for the voter alone
	Question string
	Outcome  Outcome
	// the model whose reply the vote is about; empty if no model ran. A vote on no page is about
	// the run that the conversation continues from (Saved.Best)
	Model string
}

// FeedbackQuery selects votes. Fields with the zero value do not filter.
type FeedbackQuery struct {
	Tenant access.TenantID // required
	Since  time.Time
	Down   bool // only negative votes
	Limit  int  // maximum number, the newest first; 0 means 1,000
}

// ErrRemoved reports that the answer no longer exists. A moderator removed it, or a person deleted
// it on the platform.
var ErrRemoved = errors.New("the answer was removed")
