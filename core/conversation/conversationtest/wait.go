package conversationtest

import (
	"context"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/turn"
)

type cautious struct{ answer.Engine }

// Run implements answer.Engine.
func (c cautious) Run(ctx context.Context, req turn.Request, to packet.Sink) (turn.Report, error) {
	if strings.Contains(req.Question.Text, "ask me first") {
		depth := *req.Depth
		depth.Ask, req.Depth = 1, &depth
	}
	return c.Engine.Run(ctx, req, to)
}

type plans struct {
	store *sessiontest.Memory

	mu   sync.Mutex
	kept map[session.TurnID]deepsearch.Record
}

var (
	_ deepsearch.Journal  = (*plans)(nil)
	_ deepsearch.Steering = (*plans)(nil)
)

func newPlans(store sessiontest.Store) *plans {
	memory, _ := store.(*sessiontest.Memory)
	return &plans{store: memory, kept: make(map[session.TurnID]deepsearch.Record)}
}

// Record implements deepsearch.Journal.
func (p *plans) Record(_ context.Context, _ access.TenantID, id session.TurnID) (deepsearch.Record, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept[id], nil
}

// Plan implements deepsearch.Journal.
func (p *plans) Plan(_ context.Context, f session.Fence, r deepsearch.Record) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Asked {
		p.kept[f.Turn] = r
	}
	return nil
}

// Await implements deepsearch.Journal.
func (p *plans) Await(_ context.Context, f session.Fence, w deepsearch.Waiting) error {
	return p.store.Park(f, w.Most)
}

// Steer implements [deepsearch.Steering], but only for choices to start or skip a search.
func (p *plans) Steer(ctx context.Context, at session.StopRequest, in deepsearch.Instruction) (deepsearch.Steered, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, r := range p.kept {
		t, err := p.store.Turn(ctx, at.Tenant, id)
		if err != nil {
			return deepsearch.Steered{}, err
		}
		switch {
		case in.Choice == "" || t.Session.Ref.Channel != at.Ref.Channel:
		case r.Choice != "":
			return deepsearch.Steered{Became: deepsearch.Decided, Turn: id}, nil
		default:
			r.Choice = in.Choice
			p.kept[id] = r
			p.store.Resume(id)
			return deepsearch.Steered{Became: deepsearch.Changed, Turn: id}, nil
		}
	}
	return deepsearch.Steered{}, nil
}

// The rest of deepsearch.Journal keeps nothing: no scenario changes a plan, or ends a process in
// the middle of a search.

// Extend implements deepsearch.Journal.
func (*plans) Extend(context.Context, session.Fence, int, deepsearch.Judgment, []deepsearch.SubQuestion) error {
	return nil
}

// Changes implements deepsearch.Journal.
func (*plans) Changes(context.Context, session.Fence, int) (c deepsearch.Changes, err error) {
	return c, nil
}

// Close implements deepsearch.Journal.
func (*plans) Close(context.Context, session.Fence, int) (bool, error) { return true, nil }

// Found implements deepsearch.Journal.
func (*plans) Found(context.Context, session.Fence, int, deepsearch.Finding) error { return nil }

// Conclude implements deepsearch.Journal.
func (*plans) Conclude(context.Context, session.Fence, packet.Progress) error { return nil }

// Forget implements deepsearch.Journal.
func (*plans) Forget(context.Context, session.Fence, string) error { return nil }
