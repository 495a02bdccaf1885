package answer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

// verdictEvery is the interval at which queued verdicts are stored. A verdict is the decision about
// a message.
const (
	verdictEvery = time.Second
	// maxVerdicts is the maximum number of queued verdicts. Further verdicts are dropped.
	maxVerdicts = 2000
)

type pendingVerdict struct {
	tenant  access.TenantID
	verdict session.Verdict
}

// verdict queues the decision about a message for "footnote why". It ignores events without a
// message, which people cannot ask about.
func (s *Service) verdict(o Occurrence, d policy.Decision) {
	if o.Message == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.verdicts) < maxVerdicts {
		s.verdicts = append(s.verdicts, pendingVerdict{o.Tenant, session.Verdict{
			Ref: o.Ref, Message: o.Message, Action: d.Action.String(), Reason: string(d.Reason),
		}})
	}
}

// Passed reports whether a process decided not to answer a message. It returns false if no decision
// is known, or if the decision was to answer.
func (s *Service) Passed(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (bool, error) {
	s.mu.Lock()
	for _, j := range slices.Backward(s.verdicts) { // not written yet
		if v := j.verdict; j.tenant == tenant && v.Message == id && session.PlaceOf(v.Ref) == session.PlaceOf(at) {
			s.mu.Unlock()
			return v.Action != policy.Answer.String(), nil
		}
	}
	s.mu.Unlock()
	v, err := s.Store.Verdict(ctx, tenant, at, id)
	if err != nil {
		return false, fmt.Errorf("find out what was decided about message %s of %s: %w", id, at.Platform, err)
	}
	return v.Action != "" && v.Action != policy.Answer.String(), nil
}

// News returns the entries of newest whose channels may have unhandled messages. Each entry is the
// newest message of a channel. News checks only these messages, because the messages of a channel
// are handled in order.
func (s *Service) News(
	ctx context.Context, tenant access.TenantID, platform thread.Platform, workspace string, newest []session.Newest,
) ([]session.Newest, error) {
	traces, err := s.Store.Traces(ctx, tenant, platform, workspace, newest)
	if err != nil {
		return nil, fmt.Errorf("find out what is new in %s: %w", workspace, err)
	}
	var news []session.Newest
	for i, t := range traces {
		if passed := t.Action != "" && t.Action != policy.Answer.String(); t.Open || !t.Asked && !passed {
			news = append(news, newest[i])
		}
	}
	return news, nil
}

// writeVerdicts stores queued verdicts at intervals. When ctx ends, it stores the remaining ones.
func (s *Service) writeVerdicts(ctx context.Context) {
	failing := false
	for more := true; more; {
		more = sleep.For(ctx, verdictEvery) == nil
		err := s.flushVerdicts(ctx)
		if err != nil && !failing {
			s.Logger.WarnContext(ctx, "decisions are not kept, so footnote why cannot explain them", "error", err)
		}
		failing = err != nil
	}
}

// flushVerdicts stores the queued verdicts. After an error it drops them, because they are needed
// only for explanations.
func (s *Service) flushVerdicts(ctx context.Context) error {
	s.mu.Lock()
	waiting := s.verdicts
	s.verdicts = nil
	s.mu.Unlock()
	byTenant := make(map[access.TenantID][]session.Verdict)
	for _, j := range waiting {
		byTenant[j.tenant] = append(byTenant[j.tenant], j.verdict)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	for tenant, verdicts := range byTenant {
		if err := s.Store.Judged(ctx, tenant, verdicts); err != nil {
			return err
		}
	}
	return nil
}
