package session

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Verdict is what was decided about a message, without what it said and who wrote it.
type Verdict struct {
	Ref     thread.Ref
	Message thread.MessageID
	Action  string
	Reason  string
	At      time.Time // by the store's clock
}

// VerdictAge is how long verdicts are kept at least.
const VerdictAge = 7 * 24 * time.Hour

// Never is the time since something that has not happened: longer than anything can have been ago.
const Never = time.Duration(1<<63 - 1)

// Verdicts remembers decisions, so that they can be explained. Safe for concurrent use by any number of processes.
type Verdicts interface {
	// Judged stores verdicts; the newest about a message counts.
	Judged(ctx context.Context, tenant access.TenantID, verdicts []Verdict) error
	// Verdict returns what was decided about a message. The zero value says that nothing is known.
	Verdict(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (Verdict, error)
}

// Turns finds turns. Those of private sessions are found like any other: whether somebody may see one is the caller's concern. A turn
// that is not there gives ErrUnknownTurn. Safe for concurrent use by any number of processes.
type Turns interface {
	// Turn returns a turn by its id.
	Turn(ctx context.Context, tenant access.TenantID, id TurnID) (Turn, error)
	// TurnOf returns the turn that a message belongs to: as its question, a page of its answer, or a notice. Of the place only the channel
	// counts.
	TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (Turn, error)
	// Latest returns the newest turn of a thread, or of a channel where Thread is empty, among those that the reader asked or that belong to
	// no private session.
	Latest(ctx context.Context, tenant access.TenantID, at thread.Ref, reader string) (Turn, error)
	// Unasked returns how long ago an answer that nobody had asked for was given in a channel; Never when none was.
	Unasked(ctx context.Context, tenant access.TenantID, at Place) (time.Duration, error)
	// Waiting counts the unfinished turns of a channel, without those of private sessions, of which the channel does not learn.
	Waiting(ctx context.Context, tenant access.TenantID, at Place) (int, error)
}

// Forgotten counts what was deleted.
type Forgotten struct {
	Turns    int // questions with their answers
	Sessions int
	Running  []TurnID // of Turns, that a worker was at: they are to be told to stop
}

// Forgetter deletes what is kept of a person. Safe for concurrent use by any number of processes.
type Forgetter interface {
	// Forget deletes what a person asked on a platform, with the answers, files and everything else that belongs to it, the sessions in which
	// nobody else asked, and the person's part in threads. Settings, removals and corrections stay and name nobody. Workers that are at one of the
	// turns are fenced. The audit trail keeps its entries and no longer says whom they mean.
	Forget(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (Forgotten, error)
}

// Quota lets a counter pass so many questions within each window. Windows begin at multiples of their length since 1970, in UTC, so that
// days begin at midnight.
type Quota struct {
	Counter string // who shares it, such as "user:slack:U1"
	Limit   int
	Window  time.Duration
}
