package session

import (
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

// Sentinels of Finish about a question that was changed while its turn ran.
var (
	// ErrEdited says that the question was edited. The turn is queued again with the new question, and the worker lets go of it without
	// another word. What the attempt wrote is not kept; that it was made is, as a superseded turn of its own.
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
	Quotas  []Quota        // that an edit counts against, as a question does; without room the question stays as it was
}

// Changed is what became of a change.
type Changed struct {
	Turn  TurnID // empty where the message is no question that was taken in
	Same  bool   // nothing is answered anew: the question reads as before, or its answer was removed, corrected or stopped
	Stop  bool   // an attempt is running and is to be told to stop
	Asker string // platform id of who asked
	// LimitedUntil says that a quota had no room for the edit, which changed nothing.
	LimitedUntil time.Time
}

// Changes are what happened to questions after they were taken in. A message that is no question of a turn changes nothing and is no
// error. Safe for concurrent use by any number of processes.
type Changes interface {
	// Edit has a question answered anew, in place: a waiting turn takes the new text, a running one stops and begins again, and a finished
	// one is queued once more as the session's newest, keeping the messages that it posted. That it was asked before is kept as a turn of its
	// own whose outcome is Superseded, with its votes; what was asked and answered before is erased, and of what the turn had replaced too.
	// Private answers and shared copies of it are conversations of their own and stay. An answer that nobody had asked for counts as asked for
	// from then on. A turn that a person stopped while it ran stays stopped, and an answer that was removed or corrected stays so, with the
	// question as it was edited.
	Edit(ctx context.Context, e Edit) (Changed, error)
	// Withdraw erases the text and files of a question that was deleted, and ends its turn as Superseded; and so with every turn that asks the
	// same question: those that it replaced, what stood in its place before an edit, private answers of it and copies that were shared. What can
	// be seen of a finished one is delivered once more, with the sentence saved beside what it had answered. Once that is Delivered the answer is
	// erased, and at once where nothing is to be seen of it.
	Withdraw(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID, sentence string) (Changed, error)
	// Erase deletes what an answer said, and what stood in its place before, after somebody deleted a page of it on the platform. Its turn counts
	// as removed by nobody in particular, and its other pages stay as they are. Of an answer that is being written the first page counts, which no
	// worker takes back: it is removed as by Revisions.Remove, or as soon as the page is recorded, where the deletion is known first (within
	// TombstoneAge). It reports whether there was such an answer, and the turns that ran and must be stopped.
	Erase(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (erased bool, running []TurnID, err error)
}

// SentenceWithdrawn is what stands under an answer whose question was deleted.
const SentenceWithdrawn = "The question was deleted."
