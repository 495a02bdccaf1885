package deepsearch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
)

// Record is what is kept of a deep search while it runs, and for explanations afterwards.
type Record struct {
	Question  string // for which it was planned; another one begins anew
	Audience  string // a fingerprint of those for whom it was planned
	Direct    bool   // the question needs no depth
	Questions []SubQuestion
	Findings  map[int]Finding // by the number of the sub-question, from 1
	Order     []int           // of the findings, as they came
	Judgments []Judgment      // by round
}

// Planned reports whether the question was taken apart.
func (r Record) Planned() bool { return r.Direct || len(r.Questions) > 0 }

// Journal keeps deep searches, so that whoever takes a turn over goes on with what is missing. Writes are fenced: they fail with session.ErrFenced once the
// attempt is not the turn's newest. Safe for concurrent use by any number of processes.
type Journal interface {
	// Record returns what is kept of a turn; the zero Record where nothing is.
	Record(ctx context.Context, tenant access.TenantID, turn session.TurnID) (Record, error)
	// Plan keeps the plan of a turn, in the place of one that was kept before, with all that was found by it.
	Plan(ctx context.Context, f session.Fence, r Record) error
	// Extend keeps a judgment, and the sub-questions that it adds behind those that are there.
	Extend(ctx context.Context, f session.Fence, j Judgment, more []SubQuestion) error
	// Found keeps the finding of a sub-question, in the place of one that was kept before.
	Found(ctx context.Context, f session.Fence, number int, finding Finding) error
	// Forget empties the judgments, and puts a text in the place of every sub-question that was asked because of one.
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
