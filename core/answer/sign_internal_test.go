package answer

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/thread"
)

// lamp is a sign that finds no room for its first calls.
type lamp struct {
	refuses int
	slow    time.Duration // each call takes

	mu    sync.Mutex
	lines []string
	after []time.Duration // since it was made
	made  time.Time
}

func (l *lamp) show(ctx context.Context, _ thread.Ref, line string) error {
	l.mu.Lock()
	l.lines, l.after = append(l.lines, line), append(l.after, time.Since(l.made))
	n := len(l.lines)
	l.mu.Unlock()
	if n <= l.refuses {
		return thread.ErrNoRoom
	}
	select {
	case <-time.After(l.slow):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func permitted() error { return nil }

func TestSignIsShownAgainWhenThereIsRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &lamp{refuses: 2, made: time.Now()}
		seen := 0
		s := showSign(t.Context(), Sign{Show: l.show, Every: 8 * time.Second, Again: 200 * time.Millisecond, First: "writing"}, thread.Ref{}, permitted,
			slog.New(slog.DiscardHandler), func(context.Context) { seen++ })
		time.Sleep(9 * time.Second)
		s.wait()
		want := []time.Duration{0, 200 * time.Millisecond, 400 * time.Millisecond, 8400 * time.Millisecond}
		if !slices.Equal(l.after, want) || seen != 1 {
			t.Errorf("shown after %v, want %v; the first sign was reported %d times", l.after, want, seen)
		}
	})
}

func TestSignNeedsPermit(t *testing.T) {
	t.Parallel()
	l := &lamp{}
	s := showSign(t.Context(), Sign{Show: l.show, Every: time.Second, Again: time.Second}, thread.Ref{}, func() error { return errLeaseLost },
		slog.New(slog.DiscardHandler), func(context.Context) {})
	s.wait()
	if len(l.lines) != 0 {
		t.Errorf("shown without a permit: %q", l.lines)
	}
}

// A sign that cannot be removed ends before the last words; another lasts until they are written,
// and is removed when no message has removed it.
func TestSignEndsWithTheAnswer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lingers func() bool
		want    []string // after the last words
		atOnce  bool     // it has ended when the answer is complete
	}{
		"it cannot be removed":      {nil, []string{"first"}, true},
		"a message has removed it":  {func() bool { return false }, []string{"first"}, false},
		"it is still to be removed": {func() bool { return true }, []string{"first", ""}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := &lamp{slow: time.Millisecond, made: time.Now()}
				s := showSign(t.Context(), Sign{Show: l.show, Every: time.Minute, Again: time.Minute, First: "first", Lingers: test.lingers}, thread.Ref{},
					permitted, slog.New(slog.DiscardHandler), func(context.Context) {})
				time.Sleep(time.Second)
				s.accept(packet.Packet{Payload: packet.Stop{}})
				synctest.Wait()
				ended := make(chan struct{})
				go func() { s.ended.Wait(); close(ended) }()
				synctest.Wait()
				select {
				case <-ended:
					if !test.atOnce {
						t.Error("it ended before the answer was written")
					}
				default:
					if test.atOnce {
						t.Error("it had not ended when the answer was complete")
					}
				}
				s.beforeLast()
				s.afterLast(t.Context(), nil)
				<-ended
				if !slices.Equal(l.lines, test.want) {
					t.Errorf("shown: %q, want %q", l.lines, test.want)
				}
			})
		})
	}
}

func TestSignTellsOfPackets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &lamp{made: time.Now()}
		line := func(p packet.Packet) string {
			status, _ := p.Payload.(packet.Status)
			return status.Text
		}
		s := showSign(t.Context(), Sign{Show: l.show, Every: time.Minute, Again: time.Minute, First: "first", Line: line, Lingers: func() bool { return false }},
			thread.Ref{}, permitted, slog.New(slog.DiscardHandler), func(context.Context) {})
		synctest.Wait()
		for _, p := range []packet.Payload{packet.Status{Text: "one\n two"}, packet.MessageDelta{Text: "words"}, packet.Status{Text: "three"}} {
			s.accept(packet.Packet{Payload: p})
			synctest.Wait()
		}
		s.endForText()
		s.accept(packet.Packet{Payload: packet.Status{Text: "after the words"}})
		s.wait()
		if want := []string{"first", "one two", "three"}; !slices.Equal(l.lines, want) {
			t.Errorf("shown: %q, want %q", l.lines, want)
		}
	})
}
