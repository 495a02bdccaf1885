package answer_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// pad is a surface that counts calls.
type pad struct{ calls int }

func (p *pad) Post(context.Context, thread.Ref, string) (thread.MessageID, error) {
	p.calls++
	return "m", nil
}

func (p *pad) Edit(context.Context, thread.Ref, thread.MessageID, string) error {
	p.calls++
	return nil
}

func (p *pad) Delete(context.Context, thread.Ref, thread.MessageID) error {
	p.calls++
	return nil
}

func (p *pad) Capabilities() thread.Capabilities { return thread.Capabilities{MinEditInterval: 7} }

type streaming struct{ *pad }

func (s streaming) Start(ctx context.Context, to thread.Ref, page string) (thread.MessageID, error) {
	return s.Post(ctx, to, page)
}

func (s streaming) Append(ctx context.Context, to thread.Ref, id thread.MessageID, page string) error {
	return s.Edit(ctx, to, id, page)
}

func (s streaming) Stop(ctx context.Context, to thread.Ref, id thread.MessageID, page string) error {
	return s.Edit(ctx, to, id, page)
}

type present struct{ *pad }

func (p present) Status(ctx context.Context, to thread.Ref, _ string) error {
	return p.Edit(ctx, to, "", "")
}

type rolling struct{}

func (rolling) Split(piece string) ([]string, string)       { return []string{piece}, "" }
func (rolling) Renew(string) (end, begin string, more bool) { return "", "", false }

type adopting struct{}

func (adopting) Own(context.Context, thread.Ref) ([]thread.MessageID, error) { return nil, nil }

// repairs counts disturbances.
type repairs int

func (r *repairs) Disturbed(context.Context, session.Fence) error {
	*r++
	return nil
}

func TestGuardKeepsWhatASurfaceCan(t *testing.T) {
	t.Parallel()
	p := new(pad)
	for name, surface := range map[string]thread.Surface[string]{
		"plain": p, "streams": streaming{p},
		"adopts": struct {
			*pad
			adopting
		}{pad: p},
		"shows that it is at work": present{p},
		"streams and adopts": struct {
			streaming
			adopting
		}{streaming: streaming{p}},
		"streams and rolls": struct {
			streaming
			rolling
		}{streaming: streaming{p}},
		"streams, rolls and adopts": struct {
			streaming
			rolling
			adopting
		}{streaming: streaming{p}},
	} {
		g := answer.Guard(surface, new(repairs), session.Turn{}, func() error { return nil }, slog.New(slog.DiscardHandler))
		if can, want := thread.AbilitiesOf(g), thread.AbilitiesOf(surface); (can.Streamer == nil) != (want.Streamer == nil) || can.Roller != want.Roller || can.Adopter != want.Adopter ||
			(can.Presence == nil) != (want.Presence == nil) {
			t.Errorf("%s: it can %+v, want %+v", name, can, want)
		}
		if g.Capabilities().MinEditInterval != 7 {
			t.Errorf("%s: the capabilities are lost", name)
		}
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	ended := errors.New("ended")
	type surface interface {
		thread.Surface[string]
		thread.Streamer[string]
	}
	calls := map[string]func(context.Context, surface) error{
		"post":   func(ctx context.Context, s surface) error { _, err := s.Post(ctx, thread.Ref{}, ""); return err },
		"edit":   func(ctx context.Context, s surface) error { return s.Edit(ctx, thread.Ref{}, "", "") },
		"delete": func(ctx context.Context, s surface) error { return s.Delete(ctx, thread.Ref{}, "") },
		"start":  func(ctx context.Context, s surface) error { _, err := s.Start(ctx, thread.Ref{}, ""); return err },
		"append": func(ctx context.Context, s surface) error { return s.Append(ctx, thread.Ref{}, "", "") },
		"stop":   func(ctx context.Context, s surface) error { return s.Stop(ctx, thread.Ref{}, "", "") },
	}
	for _, tt := range []struct {
		name          string
		permitted     int // how often the permit is given
		calls, reacts int
		err           error
	}{
		{"with a permit", 2, 1, 0, nil},
		{"without", 0, 0, 0, ended},
		{"when it ends during the call", 1, 1, 1, ended},
	} {
		for name, call := range calls {
			t.Run(name+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				p, r, asked := new(pad), new(repairs), 0
				permit := func() error {
					if asked++; asked > tt.permitted {
						return ended
					}
					return nil
				}
				g := answer.Guard[string](streaming{p}, r, session.Turn{}, permit, slog.New(slog.DiscardHandler))
				whole := struct {
					thread.Surface[string]
					thread.Streamer[string]
				}{g, thread.AbilitiesOf(g).Streamer}
				if err := call(t.Context(), whole); !errors.Is(err, tt.err) {
					t.Errorf("the error is %v, want %v", err, tt.err)
				}
				if p.calls != tt.calls || int(*r) != tt.reacts {
					t.Errorf("%d calls and %d repairs, want %d and %d", p.calls, *r, tt.calls, tt.reacts)
				}
			})
		}
	}
}

// That the bot is at work is shown with a permit alone, and disturbs no answer when it comes late.
func TestGuardedPresence(t *testing.T) {
	t.Parallel()
	ended := errors.New("ended")
	for permitted, want := range map[int]error{0: ended, 1: nil} {
		p, r, asked := new(pad), new(repairs), 0
		g := answer.Guard[string](present{p}, r, session.Turn{}, func() error {
			if asked++; asked > permitted {
				return ended
			}
			return nil
		}, slog.New(slog.DiscardHandler))
		if err := thread.AbilitiesOf(g).Presence.Status(t.Context(), thread.Ref{}, "is reading"); !errors.Is(err, want) || p.calls != permitted || *r != 0 {
			t.Errorf("with %d permits: %v, %d calls, %d repairs", permitted, err, p.calls, *r)
		}
	}
}
