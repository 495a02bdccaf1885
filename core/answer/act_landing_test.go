package answer_test

import (
	"context"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// landing is a store that knows of an answer's last write a little later than its readers.
type landing struct {
	action.Store
	late int // lookups
}

func (l *landing) Find(ctx context.Context, target session.Target) (session.Record, error) {
	r, err := l.Store.Find(ctx, target)
	if l.late > 0 {
		l.late--
		r.State = session.Delivering
	}
	return r, err
}

// The buttons of an answer are on the screen a moment before the answer is known as delivered.
func TestPressThatIsSoonerThanTheRecord(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.publish("handbook", access.Members)
		q := s.ask(r, "handbook?")
		s.settle()
		for late, refused := range map[int]bool{3: false, 1000: true} {
			m := s.store
			early := serve(s, answer.Deps{
				Store: m, Prompts: m,
				Signal: s.signal, Engine: s, Setups: setups{}, Library: s, Surfaces: s,
			}, answer.Config{}, action.Deps{Store: &landing{m, late}}, command.Deps{Store: m})
			if got := s.act(early, thread.ActionCorrect, q.ID, "MOD"); got.Refused != refused || refused == (got.Form != nil) {
				t.Errorf("%d lookups too soon, the press is answered with %+v", late, got)
			}
		}
	})
}
