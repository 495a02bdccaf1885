package stream_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/thread/threadtest"
)

// endless renders pages until the text is long enough; from then on it does not end before it is
// released.
type endless struct {
	pages
	until    chan struct{}
	tailOnly bool // only what is appended does not end
	told     func(abandoned bool)
}

func (e endless) wait(v *stream.View) {
	if v.Len() > 50 {
		<-e.until
		e.told(v.Abandoned())
	}
}

func (e endless) Render(v *stream.View) []string {
	if !e.tailOnly {
		e.wait(v)
	}
	return e.pages.Render(v)
}

func (e endless) Tail() stream.Tail[string] { return (&endlessTail{endless: e}).Next }

type endlessTail struct {
	tail
	endless
}

func (t *endlessTail) Next(v *stream.View) (string, bool) {
	t.wait(v)
	return t.tail.Next(v)
}

// A renderer that does not end holds up neither a stop nor the end of the turn.
func TestHangingRendererDoesNotDelayStop(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stream, tailOnly bool
		shown            bool // the answer ends up in the thread
	}{"edited": {}, "appended to": {stream: true}, "the tail alone": {stream: true, tailOnly: true, shown: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				released := make(chan struct{})
				told := func(abandoned bool) {
					if !abandoned {
						t.Error("a renderer that is left behind is not told")
					}
				}
				defer close(released)
				var surface thread.Surface[string] = &threadtest.Surface{Limits: thread.Capabilities{MinEditInterval: time.Second}}
				if c.stream {
					surface = &rolling{max: 1000}
				}
				s, err := stream.Open(t.Context(), thread.Ref{}, 0, stream.Pace{}, stream.Deps[string]{
					Surface: surface, Renderer: endless{1000, released, c.tailOnly, told}, Log: &stream.MemoryLog{},
				})
				if err != nil {
					t.Fatal(err)
				}
				s.Accept(delta("A first sentence. "))
				time.Sleep(5 * time.Second)
				s.Accept(delta("And much more, which the renderer does not come to an end with."))
				time.Sleep(5 * time.Second)
				s.Accept(stopped)
				began := time.Now()
				err = s.Finish(t.Context())
				if took := time.Since(began); took > time.Minute {
					t.Errorf("the end took %s", took)
				}
				if (err == nil) != c.shown {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}
