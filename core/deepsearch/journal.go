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

// Record is the stored state of a deep search, from which another worker can resume the search.
type Record struct {
	Question  string        // the planned question; the plan is not used for another question
	Audience  string        // fingerprint of the audience of the plan
	Direct    bool          // the question needs no deep search
	Closed    bool          // no further questions: only the report is missing
	Asked     bool          // the search waits for a person to start it
	Waited    time.Duration // time since Asked
	Choice    Choice        // the person's choice; empty before it
	Questions []SubQuestion
	Findings  map[int]Finding // keys are the numbers of the sub-questions, from 1
	Order     []int           // numbers of the findings in the order of their arrival
	Judgments []Judgment      // one for each round of further questions
}

// Changes are the changes that people made to the plan of a deep search.
type Changes struct {
	Added   []SubQuestion
	Dropped []int
}

// ErrSteered reports that people have added sub-questions that the caller has not seen.
var ErrSteered = errors.New("people have changed the plan")

// Planned reports whether the record has a plan. The decision to answer without a deep search
// (Direct) counts as a plan.
func (r Record) Planned() bool { return r.Direct || len(r.Questions) > 0 }

// Journal stores deep searches so that another worker can resume them. A write fails with
// [session.ErrFenced] if a newer attempt at the turn exists. A Journal is safe for concurrent use
// by any number of processes.
type Journal interface {
	// Record returns the record of a turn. It returns the zero Record if there is none.
	Record(ctx context.Context, tenant access.TenantID, turn session.TurnID) (Record, error)
	// Plan stores the plan of a turn. It deletes an earlier plan with its findings. If r.Asked is
	// true, the search starts to wait for a person. Questions that people added before are
	// appended. If there are such questions and the plan is Direct, Plan fails with ErrSteered.
	Plan(ctx context.Context, f session.Fence, r Record) error
	// Extend stores a judgment and the sub-questions that it adds. known is the number of
	// sub-questions that the caller has seen. If the record has more, Extend fails with ErrSteered.
	Extend(ctx context.Context, f session.Fence, known int, j Judgment, more []SubQuestion) error
	// Changes returns the sub-questions that the caller has not seen, and the numbers of all
	// dropped sub-questions. known is the number of sub-questions that the caller has seen.
	Changes(ctx context.Context, f session.Fence, known int) (Changes, error)
	// Close ends the time in which people may change the plan and returns true. known is the number
	// of sub-questions that the caller has seen. If the record has more, Close changes nothing and
	// returns false.
	Close(ctx context.Context, f session.Fence, known int) (bool, error)
	// Found stores the finding of a sub-question, which replaces an earlier finding. A dropped
	// sub-question stays dropped.
	Found(ctx context.Context, f session.Fence, number int, finding Finding) error
	// Await releases a turn whose search waits for a person. The turn runs again after a choice or
	// a change of the plan. It also runs again when Most has passed since Asked, or when Again has
	// passed from now.
	Await(ctx context.Context, f session.Fence, w Waiting) error
	// Conclude stores the final progress of the search.
	Conclude(ctx context.Context, f session.Fence, p packet.Progress) error
	// Forget deletes all judgments. It replaces the text of every sub-question that is based on a
	// judgment with text.
	Forget(ctx context.Context, f session.Fence, text string) error
}

func (s *inquiry) audienceKey() string {
	sum := sha256.Sum256([]byte(s.req.Audience.Key()))
	return hex.EncodeToString(sum[:])
}

func (s *inquiry) fence() session.Fence {
	return session.Fence{Tenant: s.req.Audience.Tenant(), Turn: s.req.Turn, Attempt: s.req.Attempt}
}
