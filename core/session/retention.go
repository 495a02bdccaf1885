package session

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
)

// MinAuditRetention is how long entries of the audit trail stay at least, whatever a Retention says.
const MinAuditRetention = 7 * 24 * time.Hour

// Retention says how long things are kept. What is 0 is kept for good.
type Retention struct {
	Sessions time.Duration // since a session was last touched: asked in, answered, delivered, corrected or removed from
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

// Pruner removes what has been kept for long enough. Safe for concurrent use by any number of processes.
type Pruner interface {
	// Prune removes a bounded number of sessions, with everything that belongs to them, of threads and of entries, and reports whether
	// there may be more, so that it is called until there is not. What a call has removed is gone, whatever becomes of the next. A session
	// is left alone while a turn of it waits, runs, or is being delivered. The trail keeps what was removed, as done by who asked for it.
	Prune(ctx context.Context, tenant access.TenantID, r Retention, by Actor) (gone Pruned, more bool, err error)
	// Prunable counts what Prune would remove now, and removes nothing.
	Prunable(ctx context.Context, tenant access.TenantID, r Retention) (Pruned, error)
	// Tenants lists all tenants.
	Tenants(ctx context.Context) ([]access.TenantID, error)
}
