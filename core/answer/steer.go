package answer

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/session"
)

// Steer applies a person's instruction to the plan of a deep search. The person needs the same
// permission as for [Service.StopAs].
func (s *Service) Steer(
	ctx context.Context, at session.StopRequest, in deepsearch.Instruction, holds func(context.Context) (access.Audience, error),
) (deepsearch.Steered, error) {
	if s.Steering == nil {
		return deepsearch.Steered{}, nil
	}
	defer s.Wake() // a waiting search may continue
	became, err := s.Steering.Steer(ctx, at, in)
	if err != nil || became.Became != deepsearch.Forbidden {
		return became, err
	}
	if at.By.Privileged, err = s.namedStopper(ctx, at, holds); err != nil || !at.By.Privileged {
		return became, err
	}
	return s.Steering.Steer(ctx, at, in)
}

// steerSearch changes the plan of a deep search if the message asks for that. It returns false for
// all other messages.
func (s *Service) steerSearch(ctx context.Context, o Occurrence, j *Judgement) (bool, error) {
	in, ok := deepsearch.ParseInstruction(o.Text)
	if !ok || o.Bot || o.Message == "" || !o.addressed(j.Thread.Known) {
		return false, nil
	}
	at := session.StopRequest{Tenant: o.Tenant, Ref: o.Ref, By: session.Stopper{ID: o.Author}}
	if o.Direct && !o.InThread { // outside of any thread it refers to the whole channel
		at.Ref.Thread = ""
	}
	var err error
	if j.Steered, err = s.Steer(ctx, at, in, o.Holds); err != nil || j.Steered.Became == deepsearch.NoSearch {
		return false, err
	}
	j.Instruction = in
	j.Decision = policy.Decision{Action: policy.Steer, Reason: "steering"}
	s.verdict(o, j.Decision)
	return true, nil
}
