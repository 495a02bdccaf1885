package answer

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
)

// admit decides whether a question may be answered once more, as if it were new: by what holds in its channel at this moment, and against the
// quotas of the person who wants it answered. The decision may be to refuse, and says whether the answer is to be private.
func (s *Service) admit(ctx context.Context, a Action, t session.Turn, private bool) (d Decision, quotas []session.Quota, err error) {
	place := session.PlaceOf(t.Session.Ref)
	policy, err := s.policy(ctx, a.Tenant, place)
	if err != nil {
		return d, nil, err
	}
	holds := access.NewAudience(a.Tenant)
	if !policy.Open() || policy.countsRoles() {
		own := t
		own.Asker = a.By
		if known, err := s.Surfaces.Listeners(ctx, alone(own)); err == nil {
			holds = known
		}
	}
	state := policy.State()
	state.Permitted = a.Moderator || policy.MayAsk(holds)
	d = Decide(Event{Command: true, Private: private, Direct: t.Direct}, state)
	if d.Action == Refuse {
		s.actRefused(ctx, a, t, d.Reason)
	}
	return d, policy.counters(place, a.By.ID, holds), nil
}
