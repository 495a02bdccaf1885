package discordbot_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
)

// broken is an inbox that fails so many times; with lost it fails after it has stored the question.
type broken struct {
	*sessiontest.Memory
	failures atomic.Int64
	lost     bool
}

// Accept implements session.Store.
func (b *broken) Accept(ctx context.Context, in session.Intake) (session.Accepted, error) {
	if b.failures.Add(-1) < 0 {
		return b.Memory.Accept(ctx, in)
	}
	if b.lost {
		if _, err := b.Memory.Accept(ctx, in); err != nil {
			return session.Accepted{}, err
		}
	}
	return session.Accepted{}, errors.New("the database is away")
}

// onInbox makes a world whose store has a broken inbox.
func onInbox(t *testing.T, failures int64, lost bool, replies ...llmtest.Reply) *world {
	t.Helper()
	inbox := &broken{lost: lost}
	inbox.failures.Store(failures)
	return begin(t, llmtest.Native(replies...), func(s *setting) {
		s.inbox = inbox
		s.before = func(w *world) { inbox.Memory = w.store }
	})
}

func TestQuestionIsTakenInOnceTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		lost bool
	}{{"it failed", false}, {"it only seemed to fail", true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := onInbox(t, 2, tt.lost, said(0, "The only answer."), said(0, "The other answer."))
			w.answers(w.ada.Mention(w.general, "What is it?"), 1)
			got := w.finished(w.ada.Ask(w.general, "And then?"))
			if !strings.HasPrefix(got.Content, "The other answer.") {
				t.Errorf("the command shows %+v", got)
			}
			if n := len(w.model.Requests()); n != 2 {
				t.Errorf("the model was asked %d times, want 2", n)
			}
		})
	}
}

func TestCommandThatCannotBeTakenInIsToldSo(t *testing.T) {
	t.Parallel()
	w := onInbox(t, 1<<40, false)
	got := w.finished(w.ada.Ask(w.general, "What is it?"))
	if !strings.Contains(got.Content, "Ask again in a minute") || got.After > 3*time.Second {
		t.Errorf("the command shows %+v", got)
	}
}

// slow is an inbox that answers when it is let.
type slow struct {
	*sessiontest.Memory
	let chan struct{}
}

// Accept implements session.Store.
func (s *slow) Accept(ctx context.Context, in session.Intake) (session.Accepted, error) {
	select {
	case <-s.let:
	case <-ctx.Done():
		return session.Accepted{}, ctx.Err()
	}
	return s.Memory.Accept(ctx, in)
}

// slowRules are policies that answer when they are let.
type slowRules struct {
	command.Policies
	let chan struct{}
}

// Policy implements command.Policies.
func (s slowRules) Policy(ctx context.Context, tenant access.TenantID, at session.Place) (policy.Effective, error) {
	select {
	case <-s.let:
	case <-ctx.Done():
		return policy.Effective{}, ctx.Err()
	}
	return s.Policies.Policy(ctx, tenant, at)
}

// A command is acknowledged in time however long the database takes to say what holds, or to take the question in; it is answered all the same.
func TestCommandIsAcknowledgedWhateverTheDatabaseTakes(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"judging", "taking in"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			let := make(chan struct{})
			inbox := &slow{let: let}
			w := begin(t, llmtest.Native(said(0, "The answer.")), func(s *setting) {
				if what == "judging" {
					s.policies = slowRules{holding(func(*policy.Policy) {}), let}
					return
				}
				s.inbox = inbox
				s.before = func(w *world) { inbox.Memory = w.store }
			})
			i := w.ada.Ask(w.general, "What is it?")
			w.until("the bot thinks", func() bool { return i.State().Loading })
			close(let)
			got := w.finished(i)
			if got.Kind != 5 || got.After > 3*time.Second || !strings.HasPrefix(got.Content, "The answer.") {
				t.Errorf("the command shows %+v", got)
			}
		})
	}
}

// What was shown to all before it was known that answers are for the asker alone does not become the answer.
func TestPrivateAnswerIsNotShownWhereAllSeeThatTheBotThinks(t *testing.T) {
	t.Parallel()
	let := make(chan struct{})
	w := begin(t, llmtest.Native(said(0, "Between us.")), func(s *setting) {
		s.policies = slowRules{holding(func(p *policy.Policy) { p.Private = policy.PrivateAlways }), let}
	})
	i := w.ada.Ask(w.general, "What is it?")
	w.until("the bot thinks", func() bool { return i.State().Loading })
	close(let)
	if got := w.finished(i); !strings.Contains(got.Content, "Please ask again.") {
		t.Errorf("the command shows %+v", got)
	}
	if got := w.finished(w.ada.Ask(w.general, "What is it?")); !got.Private || !strings.HasPrefix(got.Content, "Between us.") {
		t.Errorf("asked again, the command shows %+v", got)
	}
}
