package answer_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
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
