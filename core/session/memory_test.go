package session_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	sessiontest.Suite(t, func(*testing.T) sessiontest.Store { return sessiontest.NewMemory() })
}

func TestLocalSignal(t *testing.T) {
	t.Parallel()
	sessiontest.SignalSuite(t, func(*testing.T) (raise, watch session.Signal) {
		s := new(session.LocalSignal)
		return s, s
	})
}

func TestMayStop(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		by             session.Stopper
		asker, starter string
		want           bool
	}{
		{"the asker", session.Stopper{ID: "a"}, "a", "s", true},
		{"whoever began the thread", session.Stopper{ID: "s"}, "a", "s", true},
		{"an administrator", session.Stopper{ID: "x", Privileged: true}, "a", "s", true},
		{"the platform", session.Stopper{Privileged: true}, "a", "s", true},
		{"somebody else", session.Stopper{ID: "x"}, "a", "s", false},
		{"nobody, where the starter is not known", session.Stopper{}, "a", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := session.MayStop(tt.by, tt.asker, tt.starter); got != tt.want {
				t.Errorf("MayStop = %v", got)
			}
		})
	}
}
