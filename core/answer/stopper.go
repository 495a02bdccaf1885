package answer

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
)

// StopAs stops turns like [Service.Stop], but accepts requests of more people: those named by the
// channel's setting "stoppers". holds returns what the person may read. It is called only if the
// permission depends on it. If holds is nil, the person has no such permission.
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

func (s *Service) namedStopper(ctx context.Context, r session.StopRequest, holds func(context.Context) (access.Audience, error)) (bool, error) {
	if r.By.ID == "" {
		return false, nil
	}
	rules, err := policy.In(ctx, s.Policies, r.Tenant, session.PlaceOf(r.Ref))
	if err != nil || len(rules.Stoppers) == 0 {
		return false, err
	}
	h := &audienceLookup{ask: holds, tenant: r.Tenant}
	return h.holds(ctx).MayRead(rules.Stoppers), nil
}
