package answer

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Store is the part of session.Store that a [Service] uses. session.Store documents the methods.
type Store interface {
	// Intake
	Accept(ctx context.Context, in session.Intake) (session.Accepted, error)
	Refused(ctx context.Context, r session.Refusal) error
	Seen(ctx context.Context, s session.Sighting) error
	Thread(ctx context.Context, tenant access.TenantID, ref thread.Ref) (session.Thread, error)
	TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Turn, error)
	Unasked(ctx context.Context, tenant access.TenantID, at session.Place) (time.Duration, error)
	Judged(ctx context.Context, tenant access.TenantID, verdicts []session.Verdict) error
	Traces(ctx context.Context, tenant access.TenantID, platform thread.Platform, workspace string, newest []session.Newest) ([]session.Trace, error)
	Verdict(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Verdict, error)

	// Work on turns
	Lease(ctx context.Context, r session.LeaseRequest) ([]session.Turn, error)
	Exhausted(ctx context.Context, tenant access.TenantID, quotas []session.Quota, until time.Time) ([]session.Quota, error)
	Settle(ctx context.Context, f session.Fence, quotas []session.Quota) (until time.Time, err error)
	Complete(ctx context.Context, f session.Fence, c session.Completion) error
	Finish(ctx context.Context, f session.Fence, s session.Saved) error
	Delivered(ctx context.Context, f session.Fence, undelivered string) error
	Release(ctx context.Context, f session.Fence, after time.Duration) error
	Beat(ctx context.Context, id session.ReplicaID, ttl time.Duration) (work bool, err error)
	Leave(ctx context.Context, id session.ReplicaID) error
	Sweep(ctx context.Context) error

	// History
	Load(ctx context.Context, before session.Turn, limit int) ([]message.Message, error)
	Numbers(ctx context.Context, of session.Turn) (map[int]cite.Passage, error)
	Saved(ctx context.Context, of session.Turn) (session.Saved, error)
	Pages(ctx context.Context, f session.Fence) ([]session.Page, error)
	Drop(ctx context.Context, f session.Fence, key session.PageKey) error
	Unlisted(ctx context.Context, since time.Time, limit int) ([]session.Turn, error)
	Offer(ctx context.Context, tenant access.TenantID, id session.TurnID) (first bool, err error)

	// Stops
	Request(ctx context.Context, r session.StopRequest) (session.StopResult, error)
	Requested(ctx context.Context, turns []session.Fence) ([]session.TurnID, error)
}

// Prompts returns the system prompt of a tenant. session.Settings implements it.
type Prompts interface {
	Prompt(ctx context.Context, tenant access.TenantID) (session.Prompt, error)
}
