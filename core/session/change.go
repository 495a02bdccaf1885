package session

import (
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

// Sentinels of Finish about a question that was changed while its turn ran.
var (
	// ErrEdited says that the question was edited. The turn is queued again with the new question,
	// and the worker lets go of it without another word. What the attempt wrote is not kept; that
	// it was made is, as a separate superseded turn.
	ErrEdited = errors.New("the question was edited")
	// ErrWithdrawn says that the question was deleted: the turn can only end as Superseded.
	ErrWithdrawn = errors.New("the question was deleted")
)

// Edit is a question as its author wants it now.
type Edit struct {
	Tenant  access.TenantID
	Ref     thread.Ref // Thread is not looked at
	Message thread.MessageID
	Text    string
	Files   []message.File // nil: the question keeps those that it has
	// that an edit counts against, as a question does; without room the question stays as it was
	Quotas []Quota
}

// Changed is what became of a change.
type Changed struct {
	Turn TurnID // empty where the message is no question that was taken in
	// nothing is answered again: the question reads as before, or its answer was removed, corrected
	// or stopped
	Same  bool
	Stop  bool   // an attempt is running and is to be told to stop
	Asker string // platform id of who asked
	// LimitedUntil says that a quota had no room for the edit, which changed nothing.
	LimitedUntil time.Time
}

// SentenceNothing says that a search found no answer.
const SentenceNothing = "I found nothing about this in your documents. Try other words."

// SentenceWithdrawn is what stands under an answer whose question was deleted.
const SentenceWithdrawn = "The question was deleted."
