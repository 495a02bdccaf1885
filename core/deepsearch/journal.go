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

// Record is the saved state of a deep search, for resuming it and for explanations.
type Record struct {
	Question  string        // the planned question; another question is planned again
	Audience  string        // fingerprint of the audience of the plan
	Direct    bool          // the question needs no deep search
	Closed    bool          // no further questions: only the report is missing
	Asked     bool          // the search waits for a person to start it
	Waited    time.Duration // time since Asked
	Choice    Choice        // the person's choice; empty before it
	Questions []SubQuestion
	Findings  map[int]Finding // by the number of the sub-question, from 1
	Order     []int           // numbers of the findings in the order of their arrival
	Judgments []Judgment      // by round
}

// Changes are people's changes to a plan.
type Changes struct {
	Added   []SubQuestion
	Dropped []int
}

// ErrSteered means that people have added sub-questions that the writer has not seen.
var ErrSteered = errors.New("people have changed the plan")

// Planned reports whether a plan was made.
func (r Record) Planned() bool { return r.Direct || len(r.Questions) > 0 }

// Journal stores deep searches so that another worker can resume them. Writes are fenced: they fail
// with session.ErrFenced if the attempt is not the turn's newest. Implementations are safe for
// concurrent use by any number of processes.
type Journal interface {
	// Record returns the record of a turn, or the zero Record.
	Record(ctx context.Context, tenant access.TenantID, turn session.TurnID) (Record, error)
	// Plan stores the plan of a turn and deletes an earlier one with its findings. Asked starts the
	// waiting time. Questions that people added before are appended. It fails with ErrSteered if
	// there are any and the plan is Direct.
	Plan(ctx context.Context, f session.Fence, r Record) error
	// Extend stores a judgment and the sub-questions that it adds after the known ones. It fails
	// with ErrSteered if there are more than known.
	Extend(ctx context.Context, f session.Fence, known int, j Judgment, more []SubQuestion) error
	// Changes returns the sub-questions after the first known ones, and the numbers of all dropped
	// ones.
	Changes(ctx context.Context, f session.Fence, known int) (Changes, error)
	// Close ends the time in which people may change the plan and returns true. If there are more
	// sub-questions than known, it changes nothing and returns false.
	Close(ctx context.Context, f session.Fence, known int) (bool, error)
	// Found stores the finding of a sub-question and replaces an earlier one. A dropped
	// sub-question stays dropped.
	Found(ctx context.Context, f session.Fence, number int, finding Finding) error
	// Await releases a turn whose search waits for a person. The turn runs again after a choice or
	// a change of the plan. It also runs when Most has passed since Asked, or Again from now.
	Await(ctx context.Context, f session.Fence, w Waiting) error
	// Conclude stores the final progress of the search.
	Conclude(ctx context.Context, f session.Fence, p packet.Progress) error
	// Forget clears the judgments and replaces every sub-question based on one with a text.
	Forget(ctx context.Context, f session.Fence, text string) error
}

// audienceKey returns a fingerprint of the audience.
func (s *inquiry) audienceKey() string {
	sum := sha256.Sum256([]byte(s.req.Audience.Key()))
	return hex.EncodeToString(sum[:])
}

// fence returns the turn's fence.
func (s *inquiry) fence() session.Fence {
	return session.Fence{Tenant: s.req.Audience.Tenant(), Turn: s.req.Turn, Attempt: s.req.Attempt}
}
