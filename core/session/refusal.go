package session

import (
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Refusal records that something was asked and not taken in, so that no turn tells of it.
type Refusal struct {
	Tenant access.TenantID
	Ref    thread.Ref
	// names what was refused within its workspace, and is noted once; empty: whatever it was, it is
	// noted
	Key    string
	Person string // platform id of who asked
	Direct bool
	Reason string // a code: of a decision, or of what was wrong with the question
}

// MessageKey is the Key of a refusal that is about a message.
func MessageKey(at thread.Ref, id thread.MessageID) string {
	return "message " + at.Channel + " " + string(id)
}
