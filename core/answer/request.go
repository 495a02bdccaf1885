package answer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/turn"
)

// requestFor builds the engine's request for a turn. Each attempt reads all data again, so that a
// changed prompt or a revoked document takes effect.
func (s *Service) requestFor(ctx context.Context, t session.Turn) (turn.Request, error) {
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	req, depth, err := buildRequest(ctx, s.Setups, s.Prompts, s.Catalogue, t)
	if err != nil {
		return turn.Request{}, err
	}
	if req.Numbers, err = s.Store.Numbers(ctx, t); err != nil {
		return turn.Request{}, err
	}
	history, err := s.Store.Load(ctx, t, s.config.History)
	if err != nil {
		return turn.Request{}, err
	}
	if req.History, err = s.dropUnreadable(ctx, t.Audience, history); err != nil {
		return turn.Request{}, err
	}
	req.Now = s.askedAt(ctx, t)
	if text, asked := policy.Deeply(t.Question.Text); !t.Ambient && (asked || depth.Always) {
		req.Question.Text, req.Depth = text, &depth
	}
	return req, nil
}

func buildRequest(ctx context.Context, setups Setups, prompts Prompts, catalogue Catalogue, t session.Turn) (turn.Request, turn.Depth, error) {
	setup, err := setups.Setup(ctx, t)
	if err != nil {
		return turn.Request{}, turn.Depth{}, fmt.Errorf("choose who answers: %w", err)
	}
	system, err := prompts.Prompt(ctx, t.Session.Tenant)
	if err != nil {
		return turn.Request{}, turn.Depth{}, err
	}
	req := turn.Request{
		Turn: t.ID, Attempt: t.Attempt, Audience: t.Audience, Asker: t.Asker.ID, Question: t.Question, Project: setup.Project,
		Agent: setup.Agent, System: system.Text, Models: setup.Models, ForceTool: setup.ForceTool, SearchOnly: setup.SearchOnly,
		ResponseFormat: setup.ResponseFormat, StandIn: setup.StandIn, Filter: setup.Filter,
		SmallTalk: policy.IsSmallTalk(t.Question.Text), Place: describeOrigin(t),
	}
	if catalogue != nil {
		req.Sources = slices.DeleteFunc(slices.Clone(catalogue.Searchable(ctx, t.Audience)), func(source tool.Source) bool {
			return len(setup.Agent.Sources) > 0 && !slices.Contains(setup.Agent.Sources, source.ID)
		})
	}
	return req, setup.Depth, nil
}

var platforms = map[thread.Platform]string{"slack": "Slack", "discord": "Discord", "console": "a terminal"}

// describeOrigin returns for example "Slack, channel C0123". The model gets this text.
func describeOrigin(t session.Turn) string {
	at := cmp.Or(platforms[t.Session.Ref.Platform], string(t.Session.Ref.Platform))
	switch {
	case at == "" || t.Session.Ref.Channel == "" || t.Session.Ref.Platform == "console":
		return at
	case t.Direct:
		return at + ", a direct message"
	}
	return at + ", channel " + t.Session.Ref.Channel
}

func (s *Service) dropUnreadable(ctx context.Context, audience access.Audience, history []message.Message) ([]message.Message, error) {
	history = completeTurns(history)
	var ids []document.ID
	seen := make(map[document.ID]bool)
	note := func(id document.ID) {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	for _, m := range history {
		for _, r := range m.Documents {
			note(r.Document.ID)
		}
		for _, c := range m.Citations {
			note(c.Document.ID)
		}
	}
	if len(ids) == 0 {
		return history, nil
	}
	readable, err := s.Library.Readable(ctx, audience, ids)
	if err != nil {
		return nil, fmt.Errorf("find out what the audience may read: %w", err)
	}
	return s.dropWithdrawn(ctx, audience.Tenant(), message.Readable(history, func(id document.ID) bool { return readable[id] }))
}

// dropWithdrawn removes answers from the history that depend on a deleted or edited passage. Later
// answers that cite the same document are removed too.
func (s *Service) dropWithdrawn(ctx context.Context, tenant access.TenantID, history []message.Message) ([]message.Message, error) {
	shown := message.Shown(history)
	if s.Quotes == nil || len(shown) == 0 {
		return history, nil
	}
	stands, err := s.Quotes.Standing(ctx, tenant, shown)
	if err != nil {
		return nil, fmt.Errorf("find out what of earlier answers still stands: %w", err)
	}
	var taken []message.Reference
	for i, r := range shown {
		if !stands[i] {
			taken = append(taken, r)
		}
	}
	return message.Standing(history, func(r message.Reference) bool {
		return slices.ContainsFunc(taken, func(t message.Reference) bool { return t.Number == r.Number && t.Text == r.Text })
	}), nil
}

// completeTurns removes tool calls and results from the history if their turn has no answer. It
// sets Courtesy on messages of users that are small talk.
func completeTurns(history []message.Message) []message.Message {
	complete := make(map[int]bool)
	for _, m := range history {
		if m.Role == message.Assistant {
			complete[m.Turn] = true
		}
	}
	kept := make([]message.Message, 0, len(history))
	for _, m := range history {
		if m.Role == message.User || complete[m.Turn] {
			m.Courtesy = m.Role == message.User && policy.TalkOf(m.Text) != policy.NoTalk
			kept = append(kept, m)
		}
	}
	return kept
}
