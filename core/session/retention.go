package session

import (
	"time"
)

// MinAuditRetention is how long entries of the audit trail stay at least, whatever a Retention
// says.
const MinAuditRetention = 7 * 24 * time.Hour

// Retention says how long things are kept. What is 0 is kept for good.
type Retention struct {
	// since a session was last touched: asked in, answered, delivered, corrected or removed from
	Sessions time.Duration
	Audit    time.Duration // since an entry was written; less than MinAuditRetention counts as that
}

// Pruned counts what was removed, or what would be.
type Pruned struct {
	Sessions int
	Turns    int // questions with their answers
	Files    int // that came with questions
	Threads  int // of which it was known who takes part
	Entries  int // of the audit trail
}

// Add returns both together.
func (p Pruned) Add(q Pruned) Pruned {
	return Pruned{p.Sessions + q.Sessions, p.Turns + q.Turns, p.Files + q.Files, p.Threads + q.Threads, p.Entries + q.Entries}
}
