package session

import (
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Derivation says how a turn was made from another turn. It is empty for a turn made from a new
// question.
type Derivation string

const (
	// Retried answers the same question again. The new turn replaces the original turn in the
	// history, and the new answer replaces the old messages. The record of the original turn
	// remains.
	Retried Derivation = "retry"
	// Privately answers a thread's question for the asker only, in the asker's private session.
	Privately Derivation = "private"
	// Shared posts a private answer to its thread. The turn starts as Done with a copy of the
	// answer, which is delivered at once.
	Shared Derivation = "share"
)

// Origin is the turn that a derived turn was made from.
type Origin struct {
	Turn TurnID
	As   Derivation
}

// Errors of actions on answers.
var (
	// ErrUnfinished reports that the turn has not ended. Its answer cannot be changed yet.
	ErrUnfinished = errors.New("the turn has not ended")
	// ErrCorrected reports that a person corrected the answer. A retry must not replace that text.
	ErrCorrected = errors.New("a person corrected the answer")
)

// Target identifies a turn, either by its id or by a message that belongs to it.
type Target struct {
	Tenant  access.TenantID
	Ref     thread.Ref       // platform, workspace and channel of Message
	Turn    TurnID           // takes precedence if set
	Message thread.MessageID // a question, a page of an answer, or a notice
}

// Record is the current state of a turn, for actions on its answer.
type Record struct {
	Turn
	Starter    string // the person who began the thread; empty if unknown
	Removed    *Removal
	Correction *Correction
	Private    TurnID // the asker's private turn of the same question; empty if there is none
	Shared     TurnID // the copy in the thread; empty if there is none
	Kept       bool   // the owner decided that the answer stays private
}

// Removal records that a moderator removed an answer. The answer's text is deleted, not only
// hidden.
type Removal struct {
	By     thread.Person
	Reason string // for the record; not shown
	At     time.Time
}

// Correction is a person's text that replaces an answer.
type Correction struct {
	Text string // Markdown
	By   thread.Person
	At   time.Time
}

// Derive is a request to make a turn from another turn.
type Derive struct {
	Tenant   access.TenantID
	Of       TurnID
	As       Derivation
	Key      string // the platform's id of the press; repeated presses count once
	By       string // platform id of the person who pressed
	Audience access.Audience
	Text     string // text of the question; empty: the origin's
	// Retried: reuse the findings of the origin's deep search and start no new search
	Findings bool
	Reply    *ReplyToken // reply token of the button press
	Saved    Saved       // Shared: the content to show
	Quotas   []Quota     // quotas that the new turn counts against
}

// QuotaError reports that a quota had no room. No turn was made, and the question was not counted.
type QuotaError struct {
	Until  time.Time
	Quotas []Quota // the quotas that were checked
}

// Error implements error.
func (e *QuotaError) Error() string {
	return "a quota has no room before " + e.Until.Format(time.RFC3339)
}
