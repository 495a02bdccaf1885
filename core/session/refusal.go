package session

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Refusal records that something was asked and not taken in, so that no turn tells of it.
type Refusal struct {
	Tenant access.TenantID
	Ref    thread.Ref
	Key    string // names what was refused within its workspace, and is noted once; empty: whatever it was, it is noted
	Person string // platform id of who asked
	Direct bool
	Reason string // a code: of a decision, or of what was wrong with the question
}

// Refusals keeps in the audit trail what was not taken in. Safe for concurrent use by any number of processes.
type Refusals interface {
	Refused(ctx context.Context, r Refusal) error
}

// MessageKey is the Key of a refusal that is about a message.
func MessageKey(at thread.Ref, id thread.MessageID) string {
	return "message " + at.Channel + " " + string(id)
}
