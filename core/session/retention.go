package session

import (
	"time"
)

// MinAuditRetention is the minimum time for which audit entries are stored. A shorter
// Retention.Audit has no effect.
const MinAuditRetention = 7 * 24 * time.Hour

// Retention says how long data is stored. A zero field means forever.
type Retention struct {
	// time since the last question, answer, delivery, correction or removal in a session
	Sessions time.Duration
	Audit    time.Duration // time since an entry was written; at least MinAuditRetention
}

// Pruned counts rows that were deleted or would be deleted.
type Pruned struct {
	Sessions int
	Turns    int // questions with their answers
	Files    int // files that came with questions
	Threads  int // threads with known participants
	Entries  int // entries of the audit trail
}

// Add returns the sum of both counts.
func (p Pruned) Add(q Pruned) Pruned {
	return Pruned{p.Sessions + q.Sessions, p.Turns + q.Turns, p.Files + q.Files, p.Threads + q.Threads, p.Entries + q.Entries}
}
