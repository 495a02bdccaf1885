package deepsearch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
)

// Record is what is kept of a deep search while it runs, and for explanations afterwards.
type Record struct {
	Question  string        // for which it was planned; another one starts over
	Audience  string        // a fingerprint of those for whom it was planned
	Direct    bool          // the question needs no depth
	Closed    bool          // all was asked: what is left is the report
	Asked     bool          // a person is asked whether the search is to be begun
	Waited    time.Duration // since then
	Choice    Choice        // what was answered; empty by then
	Questions []SubQuestion
	Findings  map[int]Finding // by the number of the sub-question, from 1
	Order     []int           // of the findings, as they came
	Judgments []Judgment      // by round
}

// Changes are what people have changed in a plan.
type Changes struct {
	Added   []SubQuestion
	Dropped []int
}

// ErrSteered says that people have added sub-questions that whoever writes does not know.
var ErrSteered = errors.New("people have changed the plan")

// Planned reports whether the question was taken apart.
func (r Record) Planned() bool { return r.Direct || len(r.Questions) > 0 }

// Journal keeps deep searches, so that whoever takes a turn over goes on with what is missing.
// Writes are fenced: they fail with session.ErrFenced once the attempt is not the turn's newest.
// Safe for concurrent use by any number of processes.
type Journal interface {
	// Record returns what is kept of a turn; the zero Record where nothing is.
	Record(ctx context.Context, tenant access.TenantID, turn session.TurnID) (Record, error)
	// Plan keeps the plan of a turn and deletes an earlier one with its findings; Asked begins the
	// time that it waits. What people said before there was a plan is added to it. It fails with
	// ErrSteered where they did and the question needs no depth.
	Plan(ctx context.Context, f session.Fence, r Record) error
	// Extend keeps a judgment, and the sub-questions that it adds behind those that are known. It
	// fails with ErrSteered where there are others.
	Extend(ctx context.Context, f session.Fence, known int, j Judgment, more []SubQuestion) error
	// Changes returns what people have changed in the plan: the sub-questions behind those that are
	// known, and the numbers of all that were dropped.
	Changes(ctx context.Context, f session.Fence, known int) (Changes, error)
	// Close ends the time in which people may change the plan, and reports true; where there are
	// sub-questions that are not known, it changes nothing and reports false.
	Close(ctx context.Context, f session.Fence, known int) (bool, error)
	// Found keeps the finding of a sub-question and replaces an earlier one. A sub-question that a
	// person dropped stays so.
	Found(ctx context.Context, f session.Fence, number int, finding Finding) error
	// Await lets go of a turn whose search waits for a person: until that person has chosen or the
	// plan is another than the one that was shown, for Most since it was Asked, and for Again from
	// now on.
	Await(ctx context.Context, f session.Fence, w Waiting) error
	// Conclude keeps how far the search was at its end.
	Conclude(ctx context.Context, f session.Fence, p packet.Progress) error
	// Forget empties the judgments, and replaces every sub-question that was asked because of one
	// with a text.
	Forget(ctx context.Context, f session.Fence, text string) error
}

// listeners is a fingerprint of those who listen.
func (s *inquiry) listeners() string {
	sum := sha256.Sum256([]byte(s.req.Audience.Key()))
	return hex.EncodeToString(sum[:])
}

// fence is that of the turn.
func (s *inquiry) fence() session.Fence {
	return session.Fence{Tenant: s.req.Audience.Tenant(), Turn: s.req.Turn, Attempt: s.req.Attempt}
}
