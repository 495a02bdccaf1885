package answer

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
)

// StopAs is Stop for a person, whom the channel's setting stoppers may name: then other people's
// answers are stopped too, as by an administrator. holds returns what the person alone may read; it
// is called only where that decides, and nil counts as nothing.
func (s *Service) StopAs(
	ctx context.Context, r session.StopRequest, holds func(context.Context) (access.Audience, error),
) (session.StopResult, error) {
	result, err := s.Stop(ctx, r)
	if err != nil || !result.Undecided() || r.By.Privileged {
		return result, err
	}
	if r.By.Privileged, err = s.namedStopper(ctx, r, holds); err != nil || !r.By.Privileged {
		return result, err
	}
	return s.Stop(ctx, r)
}

// namedStopper reports whether the channel's setting stoppers names a person who has no say
// otherwise.
func (s *Service) namedStopper(ctx context.Context, r session.StopRequest, holds func(context.Context) (access.Audience, error)) (bool, error) {
	if r.By.ID == "" {
		return false, nil
	}
	rules, err := policy.In(ctx, s.Policies, r.Tenant, session.PlaceOf(r.Ref))
	if err != nil || len(rules.Stoppers) == 0 {
		return false, err
	}
	h := &holder{ask: holds, tenant: r.Tenant}
	return h.holds(ctx).MayRead(rules.Stoppers), nil
}
