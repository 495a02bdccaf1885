package discordbot_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

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
	panics   bool
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
	if b.panics {
		panic("the database is away")
	}
	return session.Accepted{}, errors.New("the database is away")
}

// onInbox makes a world whose store has a broken inbox.
func onInbox(t *testing.T, failures int64, inbox *broken, replies ...llmtest.Reply) *world {
	t.Helper()
	inbox.failures.Store(failures)
	return begin(t, llmtest.Native(replies...), func(s *setting) {
		s.inbox = inbox
		s.before = func(w *world) { inbox.Memory = w.store }
	})
}

func TestQuestionIsTakenInOnceTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		inbox *broken
	}{{"it failed", &broken{}}, {"it only seemed to fail", &broken{lost: true}}, {"it ended in a panic", &broken{panics: true}}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := onInbox(t, 2, tt.inbox, said(0, "The only answer."), said(0, "The other answer."))
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
	w := onInbox(t, 1<<40, &broken{})
	got := w.finished(w.ada.Ask(w.general, "What is it?"))
	if !strings.Contains(got.Content, "Ask again in a minute") {
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

// A command is acknowledged in time however long the database takes to say what holds, or to take
// the question in; it is answered all the same.
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
			if got.Kind != 5 || !strings.HasPrefix(got.Content, "The answer.") {
				t.Errorf("the command shows %+v", got)
			}
		})
	}
}

// What was shown to all before it was known that answers are for the asker alone does not become
// the answer.
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

// mute is what replicas know together when it cannot be told at first what has changed.
type mute struct {
	*access.Local
	failures atomic.Int32 // to come
	owed     atomic.Bool  // that something has changed was not told
}

// Changed implements access.Changes.
func (m *mute) Changed(ctx context.Context, w access.Workspace, scopes ...string) error {
	if m.failures.Add(-1) >= 0 {
		m.owed.Store(true)
		return errors.New("the database does not answer")
	}
	m.owed.Store(false)
	return m.Local.Changed(ctx, w, scopes...)
}

// informed is an inbox that takes nothing in before all replicas know what came before it.
type informed struct {
	*sessiontest.Memory
	changes     *mute
	taken, less atomic.Int32 // of which less when others did not know
}

// Accept implements session.Store.
func (i *informed) Accept(ctx context.Context, in session.Intake) (session.Accepted, error) {
	if i.changes.owed.Load() {
		i.less.Add(1)
	}
	i.taken.Add(1)
	return i.Memory.Accept(ctx, in)
}

// Any replica may answer what one has taken in: it knows by then of every change before the
// question, also where that could not be told at once.
func TestNothingIsTakenInBeforeOthersKnowWhatHasChanged(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(*world){
		"a mention": func(w *world) { w.ada.Mention(w.general, "What is it?") },
		"a command": func(w *world) { w.ada.Ask(w.general, "What is it?") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changes := &mute{Local: access.NewLocal()}
			inbox := &informed{changes: changes}
			w := begin(t, llmtest.Native(said(0, "The answer.")), func(s *setting) {
				s.bot.Discord.Changes, s.inbox = changes, inbox
				s.before = func(w *world) { inbox.Memory = w.store }
			})
			changes.failures.Store(3)
			w.guild.Show(w.general)
			for refused := 0; inbox.taken.Load() == 0; refused++ { // Discord does not wait long for a command
				ask(w)
				w.until("the question is taken in, or not handled", func() bool {
					return inbox.taken.Load() > 0 || strings.Count(w.log.String(), "event not handled") > refused
				})
			}
			if less, failures := inbox.less.Load(), changes.failures.Load(); less > 0 || failures >= 0 {
				t.Errorf("%d questions were taken in before others knew what has changed; %d failures were left", less, failures)
			}
		})
	}
}

// While a change of a channel cannot be recorded, nothing is answered. A command gets a sentence
// that says so, in time, and a message is answered once the change is recorded.
func TestCommandIsToldThatAChangeIsNotRecorded(t *testing.T) {
	t.Parallel()
	changes := &mute{Local: access.NewLocal()}
	inbox := &informed{changes: changes}
	w := begin(t, llmtest.Native(said(0, "The answer.")), func(s *setting) {
		s.bot.Discord.Changes, s.inbox = changes, inbox
		s.before = func(w *world) { inbox.Memory = w.store }
	})
	changes.failures.Store(1 << 30)
	w.guild.Show(w.general)
	i := w.ada.Ask(w.general, "What is it?")
	w.until("the command is told so", func() bool { return strings.Contains(i.State().Content, "not certain yet") })
	if n := inbox.taken.Load(); n != 0 || !i.State().Private {
		t.Errorf("%d questions were taken in; the command shows %+v", n, i.State())
	}
	changes.failures.Store(0)
	if got := w.finished(w.ada.Ask(w.general, "What is it?")); !strings.HasPrefix(got.Content, "The answer.") {
		t.Errorf("asked again, the command shows %+v", got)
	}
}
