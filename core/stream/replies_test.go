package stream_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/thread/threadtest"
	"github.com/google/go-cmp/cmp"
)

// memories are the Logs of a turn.
type memories struct {
	mu  sync.Mutex
	all map[int]*stream.MemoryLog
}

func (m *memories) Log(model int) stream.Log {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = make(map[int]*stream.MemoryLog)
	}
	if m.all[model] == nil {
		m.all[model] = &stream.MemoryLog{}
	}
	return m.all[model]
}

func (m *memories) Posted() map[int][]stream.Page {
	posted := make(map[int][]stream.Page)
	for model, log := range m.all {
		if pages, err := log.Pages(context.Background()); err == nil && len(pages) > 0 { // a Memory does not fail
			posted[model] = pages
		}
	}
	return posted
}

// finding is a surface that finds what exists, and may lose the confirmation of a post.
type finding struct {
	threadtest.Surface
	mu   sync.Mutex
	ids  []thread.MessageID
	lose func(page string) bool
}

func (f *finding) Post(ctx context.Context, to thread.Ref, page string) (thread.MessageID, error) {
	id, err := f.Surface.Post(ctx, to, page)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ids = append(f.ids, id)
	if err == nil && f.lose != nil && f.lose(page) {
		return "", thread.ErrOutcomeUnknown
	}
	return id, err
}

func (f *finding) Delete(ctx context.Context, to thread.Ref, id thread.MessageID) error {
	f.mu.Lock()
	f.ids = slices.DeleteFunc(f.ids, func(known thread.MessageID) bool { return known == id })
	f.mu.Unlock()
	return f.Surface.Delete(ctx, to, id)
}

func (f *finding) Own(context.Context, thread.Ref) ([]thread.MessageID, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.ids), nil
}

func replies(ctx context.Context, t *testing.T, surface thread.Surface[string], logs stream.Logs) *stream.Replies[string] {
	t.Helper()
	r, err := stream.OpenReplies(ctx, thread.Ref{}, stream.Pace{}, logs, stream.Deps[string]{Surface: surface, Renderer: pages(5)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tell is what a model says after its name.
func tell(r *stream.Replies[string], model int, texts ...string) {
	at := packet.Placement{ModelIndex: model}
	r.Accept(packet.Packet{Placement: at, Payload: packet.ModelStart{Name: string(rune('a' + model))}})
	for _, text := range texts {
		r.Accept(packet.Packet{Placement: at, Payload: packet.MessageDelta{Text: text}})
	}
}

func over(t *testing.T, r *stream.Replies[string], models ...int) {
	t.Helper()
	for _, m := range models {
		r.Accept(packet.Packet{Placement: packet.Placement{ModelIndex: m}, Payload: stopped.Payload})
	}
	if err := r.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestReplyCompletesBeforeOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface := &threadtest.Surface{}
		r := replies(t.Context(), t, surface, &memories{})
		tell(r, 0, "abc")
		tell(r, 1, "DEFGH")
		time.Sleep(2 * time.Second)
		tell(r, 0, "de")
		r.Accept(stopped)
		synctest.Wait()
		if got := surface.Messages(); !slices.Contains(got, "abcde") {
			t.Errorf("while the other model goes on the thread shows %q", got)
		}
		over(t, r, 1)
		if diff := cmp.Diff([]string{"abcde", "DEFGH"}, sorted(surface.Messages())); diff != "" {
			t.Errorf("thread shows (-want +got):\n%s", diff)
		}
	})
}

// sorted has small letters first, as replies may be begun in any order.
func sorted(texts []string) []string {
	slices.SortFunc(texts, func(a, b string) int { return int(b[0]) - int(a[0]) })
	slices.SortStableFunc(texts, func(a, b string) int {
		small := func(s string) bool { return s[0] >= 'a' }
		switch {
		case small(a) && !small(b):
			return -1
		case small(b) && !small(a):
			return 1
		default:
			return 0
		}
	})
	return texts
}

func TestTakeoverAdoptsEachReplyOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface, logs := &finding{lose: func(string) bool { return true }}, &memories{}
		ctx, die := context.WithCancel(t.Context())
		first := replies(ctx, t, surface, logs)
		tell(first, 0, "abc")
		tell(first, 1, "DEF")
		time.Sleep(1500 * time.Millisecond)
		die() // the process ends, and knows of neither message that it is there
		synctest.Wait()
		if got := len(surface.Messages()); got != 2 {
			t.Fatalf("%d messages before the take-over, want 2", got)
		}
		surface.lose = nil
		second := replies(t.Context(), t, surface, logs)
		tell(second, 0, "abcde")
		tell(second, 1, "DEFGH")
		over(t, second, 0, 1)
		if diff := cmp.Diff([]string{"abcde", "DEFGH"}, sorted(surface.Messages())); diff != "" {
			t.Errorf("thread shows (-want +got):\n%s", diff)
		}
	})
}

func TestMessagesOfSilentModelsAreDeleted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface, logs := &finding{}, &memories{}
		first := replies(t.Context(), t, surface, logs)
		tell(first, 0, "abc")
		tell(first, 1, "DEFGHI")
		tell(first, 2, "JKL")
		over(t, first, 0, 1, 2)
		if got := len(surface.Messages()); got != 4 {
			t.Fatalf("%d messages, want 4", got)
		}
		again := replies(t.Context(), t, surface, logs) // one model is left
		again.Accept(delta("again"))
		over(t, again, 0)
		if diff := cmp.Diff([]string{"again"}, surface.Messages()); diff != "" {
			t.Errorf("thread shows (-want +got):\n%s", diff)
		}
	})
}
