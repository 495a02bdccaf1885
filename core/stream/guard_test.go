package stream_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/thread/threadtest"
)

// gate is a guard that permits so many calls, each by itself.
type gate struct {
	permits int
	open    bool // for the call that was permitted last
	late    error
	made    int
}

func (g *gate) Permit() error {
	if g.permits--; g.permits < 0 {
		return session.ErrFenced
	}
	g.open = true
	return nil
}

func (g *gate) Made(_ context.Context, err error) error {
	g.made++
	g.open = false
	return errors.Join(err, g.late)
}

// Of a first answer in messages of five characters, and of a shorter one in its place, every kind
// of call asks for a permit by itself, and none is made without one. What the guard says of a call
// counts.
func TestGuardPermitsEveryWrite(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		streams bool
		gate    gate
		ops     []string
		err     error
	}{
		"posted":                     {gate: gate{permits: 100}, ops: []string{"delete", "edit", "post"}},
		"streamed":                   {streams: true, gate: gate{permits: 100}, ops: []string{"append", "edit", "post", "stop"}},
		"posted without a permit":    {err: session.ErrFenced},
		"streamed without a permit":  {streams: true, err: session.ErrFenced},
		"posted until it ends":       {gate: gate{permits: 2}, ops: []string{"post"}, err: session.ErrFenced},
		"streamed until it ends":     {streams: true, gate: gate{permits: 2}, ops: []string{"append", "post"}, err: session.ErrFenced},
		"posted when it has ended":   {gate: gate{permits: 100, late: session.ErrFenced}, ops: []string{"post"}, err: session.ErrFenced},
		"streamed when it has ended": {streams: true, gate: gate{permits: 100, late: session.ErrFenced}, ops: []string{"post"}, err: session.ErrFenced},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				streaming, g, log := &threadtest.Streaming{}, &test.gate, &stream.MemoryLog{}
				asked := func(op string) error {
					if !g.open {
						t.Errorf("%s without a permit of its own", op)
					}
					g.open = false
					return nil
				}
				streaming.Fail = asked
				surface := thread.Surface[string](&streaming.Surface)
				if test.streams {
					surface = streaming
				}
				var err error
				for _, words := range [][]string{{"some ", "words more"}, {"less"}} {
					s, opened := stream.Open(t.Context(), thread.Ref{}, 0, stream.Pace{FirstRunes: 1}, stream.Deps[string]{Surface: surface, Renderer: pages(5), Log: log, Guard: g})
					if opened != nil {
						t.Fatal(opened)
					}
					for _, word := range words {
						s.Accept(delta(word))
						time.Sleep(time.Minute)
					}
					s.Accept(stopped)
					if err = s.Finish(t.Context()); err != nil {
						break
					}
				}
				seen := make(map[string]bool)
				for _, v := range streaming.Versions() {
					seen[v.Op] = true
				}
				if !errors.Is(err, test.err) {
					t.Errorf("the error is %v, want %v", err, test.err)
				}
				if ops := slices.Sorted(maps.Keys(seen)); !slices.Equal(ops, test.ops) || g.made != len(streaming.Versions()) {
					t.Errorf("%d calls %q, want %q, of which the guard was told %d times", len(streaming.Versions()), ops, test.ops, g.made)
				}
			})
		})
	}
}
