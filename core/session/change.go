package session

import (
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

// Errors that [Store.Finish] returns if the question was edited or deleted while its turn ran.
var (
	// ErrEdited reports that the question was edited. The store discards the text of the attempt,
	// and queues the turn again with the new question. The worker must drop the turn silently.
	ErrEdited = errors.New("the question was edited")
	// ErrWithdrawn reports that the question was deleted. The turn can then only end as Superseded.
	ErrWithdrawn = errors.New("the question was deleted")
)

// Edit is an author's new text for a question.
type Edit struct {
	Tenant  access.TenantID
	Ref     thread.Ref // Thread is ignored
	Message thread.MessageID
	Text    string
	Files   []message.File // nil: the question keeps its files
	// the quotas that the edit counts against, like a question; if a quota has no room, the
	// question stays unchanged
	Quotas []Quota
}

// Changed is the result of an Edit or a Withdraw.
type Changed struct {
	Turn TurnID // empty if the message is not an accepted question
	// no new answer is needed: the text did not change, or the answer was removed, corrected or
	// stopped
	Same  bool
	Stop  bool   // a running attempt must be stopped
	Asker string // platform id of the asker
	// LimitedUntil is set if a quota had no room for the edit. The edit then changed nothing.
	LimitedUntil time.Time
}

// SentenceNothing is the answer if a search found nothing.
const SentenceNothing = "I found nothing about this in your documents. Try other words."

// SentenceWithdrawn is the notice under an answer whose question was deleted.
const SentenceWithdrawn = "The question was deleted."
