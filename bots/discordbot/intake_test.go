package discordbot_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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

// Accept implements session.Inbox.
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

func TestCommandThatCannotBeTakenInIsToldSoInTime(t *testing.T) {
	t.Parallel()
	w := onInbox(t, 1<<40, false)
	got := w.finished(w.ada.Ask(w.general, "What is it?"))
	if got.Kind != 4 || !got.Private || !strings.Contains(got.Content, "Ask again in a minute") {
		t.Errorf("the command shows %+v", got)
	}
	if got.After > 3*time.Second {
		t.Errorf("it was answered after %s, and Discord waits for three seconds", got.After)
	}
}
