package answer_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// repairs counts disturbances.
type repairs int

func (r *repairs) Disturbed(context.Context, session.Fence) error {
	*r++
	return nil
}

// A call whose permit ended while it was made is reported, and fails.
func TestGuard(t *testing.T) {
	t.Parallel()
	lost, refused := errors.New("lost"), errors.New("refused")
	for name, test := range map[string]struct {
		permit, made, want error
		repairs            repairs
	}{
		"made": {}, "refused by the platform": {made: refused, want: refused},
		"made late": {permit: lost, want: lost, repairs: 1}, "refused late": {permit: lost, made: refused, want: lost, repairs: 1},
	} {
		var told repairs
		g := answer.Guard(&told, session.Turn{}, func() error { return test.permit }, slog.New(slog.DiscardHandler))
		if err := g.Permit(); !errors.Is(err, test.permit) {
			t.Errorf("%s: the permit says %v", name, err)
		}
		if err := g.Made(t.Context(), test.made); !errors.Is(err, test.want) || told != test.repairs {
			t.Errorf("%s: %v and %d repairs, want %v and %d", name, err, told, test.want, test.repairs)
		}
	}
}

// present counts how often it was shown that the bot is at work.
type present int

func (p *present) Status(context.Context, thread.Ref, string) error {
	*p++
	return nil
}

// That the bot is at work is shown with a permit alone.
func TestPresenceWithAPermit(t *testing.T) {
	t.Parallel()
	lost, shown := errors.New("lost"), new(present)
	if err := chat.Permit(func() error { return lost }).Status(shown.Status)(t.Context(), thread.Ref{}, "is reading"); !errors.Is(err, lost) || *shown != 0 {
		t.Errorf("without a permit: %v, shown %d times", err, *shown)
	}
	if err := chat.Permit(func() error { return nil }).Status(shown.Status)(t.Context(), thread.Ref{}, "is reading"); err != nil || *shown != 1 {
		t.Errorf("with a permit: %v, shown %d times", err, *shown)
	}
}
