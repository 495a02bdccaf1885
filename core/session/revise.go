package session

import (
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Derivation says why a turn exists that no new question made.
type Derivation string

const (
	// Retried is the same question answered again. The turn has its origin's place in the
	// conversation and takes its messages over, so that the new answer replaces the old one where
	// it stands. The origin keeps its record and is in no history any more.
	Retried Derivation = "retry"
	// Privately is the question of a thread answered for its asker alone, in that person's private
	// session.
	Privately Derivation = "private"
	// Shared is a private answer posted to its thread. It is born Done, with a copy of the answer
	// that is delivered at once.
	Shared Derivation = "share"
)

// Origin is where a derived turn comes from.
type Origin struct {
	Turn TurnID
	As   Derivation
}

// Errors of what people do to answers.
var (
	// ErrUnfinished says that the turn has not ended, so that its answer cannot be worked on yet.
	ErrUnfinished = errors.New("the turn has not ended")
	// ErrCorrected says that a person's text stands in place of the answer, which the model is not
	// to replace.
	ErrCorrected = errors.New("a person corrected the answer")
)

// Target names a turn as a person does: by what a button says, else by a message.
type Target struct {
	Tenant  access.TenantID
	Ref     thread.Ref       // its platform, workspace and channel are those of Message
	Turn    TurnID           // leads when it is set
	Message thread.MessageID // a question, a page of an answer, or a notice
}

// Record is a turn as it stands now, for whoever acts on it.
type Record struct {
	Turn
	Starter    string // who began the thread; empty when not known
	Removed    *Removal
	Correction *Correction
	Private    TurnID // the asker's private turn of the same question; empty while there is none
	Shared     TurnID // the copy in the thread; empty while there is none
	Kept       bool   // its owner said that it stays private
}

// Removal records that a moderator took an answer away. What the answer said is deleted, not only
// hidden.
type Removal struct {
	By     thread.Person
	Reason string // for the record; not shown
	At     time.Time
}

// Correction is a person's text in place of an answer.
type Correction struct {
	Text string // Markdown
	By   thread.Person
	At   time.Time
}

// Derive asks for a turn that comes of another one.
type Derive struct {
	Tenant   access.TenantID
	Of       TurnID
	As       Derivation
	Key      string // the platform's id of the press; the same one is taken in once
	By       string // platform id of who pressed
	Audience access.Audience
	Text     string // of the question; empty: the origin's
	// Retried: with what the origin's deep search found, and nothing is asked beyond that
	Findings bool
	Reply    *ReplyToken // of the press
	Saved    Saved       // Shared: what is shown
	Quotas   []Quota     // that it counts against
}

// QuotaError says that one of the quotas had no room: nothing was made, and it counts in none.
type QuotaError struct {
	Until  time.Time
	Quotas []Quota // that were counted against
}

// Error implements error.
func (e *QuotaError) Error() string {
	return "a quota has no room before " + e.Until.Format(time.RFC3339)
}
