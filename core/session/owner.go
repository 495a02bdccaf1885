package session

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Owners records which questions were passed on to the owner of a page, and which people do not
// want to be asked. It is safe for concurrent use.
type Owners interface {
	// OwnerStanding reports whether the owner was asked about a turn's question, and who may read
	// its thread.
	OwnerStanding(ctx context.Context, t Turn) (OwnerStanding, error)
	// ClaimOwner records that the owner is asked about a turn's question. It reports whether this
	// is the first time. Turns with the same question message count as one question. It does
	// nothing if the person does not want to be asked.
	ClaimOwner(ctx context.Context, t Turn, person string) (first bool, err error)
	// ReleaseOwner deletes the record of ClaimOwner if the question to the owner was not posted.
	ReleaseOwner(ctx context.Context, t Turn) error
	// Undisturbed reports whether a person does not want to be asked.
	Undisturbed(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (bool, error)
	// SetUndisturbed stores whether a person does not want to be asked. It reports whether the
	// stored value changed.
	SetUndisturbed(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string, undisturbed bool) (changed bool, err error)
}

// OwnerStanding is what the store knows about a turn before an owner is asked.
type OwnerStanding struct {
	Asked    bool // the owner was asked
	Enclosed bool // the thread may have fewer readers than its channel (review.Question.Enclosed)
}
