package session

import (
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Refusal records a question that was not accepted. A refused question has no turn.
type Refusal struct {
	Tenant access.TenantID
	Ref    thread.Ref
	// identifies the refused message or command within its workspace, so that its refusal is
	// recorded only once; if empty, every refusal is recorded
	Key    string
	Person string // platform id of who asked
	Direct bool
	Reason string // code of the decision, or of the fault in the question
}

// MessageKey returns [Refusal.Key] for a message.
func MessageKey(at thread.Ref, id thread.MessageID) string {
	return "message " + at.Channel + " " + string(id)
}
