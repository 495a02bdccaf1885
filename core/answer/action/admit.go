package action

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
)

// admit checks the channel's current settings before a question is answered again. d refuses the
// question, or says whether the answer must be private. quotas are those of the person who
// requested the action.
func (s *Service) admit(ctx context.Context, a Request, t session.Turn, private bool) (d policy.Decision, quotas []session.Quota, err error) {
	place := session.PlaceOf(t.Session.Ref)
	rules, err := policy.In(ctx, s.Policies, a.Tenant, place)
	if err != nil {
		return d, nil, err
	}
	holds := access.NewAudience(a.Tenant)
	if !rules.Open() || rules.CountsRoles() {
		own := t
		own.Asker = a.By
		if known, err := s.Answerer.Present(ctx, own.ForAsker()); err == nil {
			holds = known
		}
	}
	state := rules.State()
	state.Permitted = a.Moderator || rules.MayAsk(holds)
	d = policy.Decide(policy.Event{Command: true, Private: private, Direct: t.Direct}, state)
	if d.Action == policy.Refuse {
		s.auditAction(ctx, a, t, d.Reason)
	}
	return d, rules.Counters(place, a.By.ID, holds), nil
}
