package session

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Owners stores about which questions the owner of a page was asked, and who does not want to be
// asked. It is safe for concurrent use.
type Owners interface {
	// OwnerStanding returns what is known of a turn.
	OwnerStanding(ctx context.Context, t Turn) (OwnerStanding, error)
	// ClaimOwner records that the owner is asked about a turn's question and reports whether it is
	// the first time. It also counts other turns with the same question message. It does nothing if
	// the person does not want to be asked.
	ClaimOwner(ctx context.Context, t Turn, person string) (first bool, err error)
	// ReleaseOwner deletes that record, after nothing was posted.
	ReleaseOwner(ctx context.Context, t Turn) error
	// Undisturbed reports whether a person does not want to be asked.
	Undisturbed(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (bool, error)
	// SetUndisturbed changes that and reports whether it changed anything.
	SetUndisturbed(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string, undisturbed bool) (changed bool, err error)
}

// OwnerStanding is what is known of a turn before an owner is asked.
type OwnerStanding struct {
	Asked    bool // the owner was asked
	Enclosed bool // the thread may have fewer readers than its channel (review.Question.Enclosed)
}
