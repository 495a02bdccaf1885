package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/thread/threadtest"
	"github.com/google/go-cmp/cmp"
)

// rolling is a streaming surface whose messages hold so many bytes and live so long.
type rolling struct {
	threadtest.Streaming
	max int
}

func (r *rolling) Split(piece string) (parts []string, end string) {
	for len(piece) > r.max {
		parts, piece = append(parts, piece[:r.max]), piece[r.max:]
	}
	return append(parts, piece), "."
}

func (r *rolling) Renew(string) (end, begin string, more bool) { return "}", "{", true }

func TestLongPieceIsSplitIntoMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface, log := &rolling{max: 10}, &stream.MemoryLog{}
		s := open(t, surface, 10, log)
		s.Accept(delta("Too short abcdefghijKLM")) // too short to be shown before it is complete
		finish(t, s)
		if diff := cmp.Diff([]string{"Too short ", "abcdefghij", "KLM."}, surface.Messages()); diff != "" {
			t.Errorf("thread shows (-want +got):\n%s", diff)
		}
		pages, err := log.Pages(t.Context())
		want := []stream.Page{{Number: 0, ID: "m1", Final: true}, {Number: 1, ID: "m2", Final: true}, {Number: 2, ID: "m3", Final: true}}
		if diff := cmp.Diff(want, pages); diff != "" || err != nil {
			t.Errorf("remembered (-want +got), error %v:\n%s", err, diff)
		}
	})
}

func TestOldStreamContinuesInNewMessageInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface := &rolling{max: 1000}
		surface.Limits.MaxStreamAge = time.Minute
		s := open(t, surface, 1000, &stream.MemoryLog{})
		s.Accept(delta("One sentence. "))
		time.Sleep(time.Minute)
		s.Accept(delta("And more."))
		synctest.Wait()
		if diff := cmp.Diff([]string{"One sentence. }", "{And more."}, surface.Messages()); diff != "" {
			t.Errorf("thread shows after a minute (-want +got):\n%s", diff)
		}
		finish(t, s)
		if diff := cmp.Diff([]string{"One sentence. And more."}, surface.Messages()); diff != "" {
			t.Errorf("thread shows at the end (-want +got):\n%s", diff)
		}
	})
}

// carded is a renderer whose streams begin with a card that tells of a search.
type carded struct{ pages }

func (carded) Tail() stream.Tail[string] { return new(cardTail).Next }

type cardTail struct {
	tail
	told bool
}

func (t *cardTail) Next(v *stream.View) (string, bool) {
	if !t.told && len(v.Queries) > 0 {
		t.told = true
		return "Searching. ", true
	}
	return t.tail.Next(v)
}

// What begins with a card and no words is paced from then on like every answer.
func TestAppendsKeepIntervalAfterCard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface := &threadtest.Streaming{}
		surface.Limits.MinAppendInterval = time.Second
		s, err := stream.Open(t.Context(), thread.Ref{}, 0, stream.Pace{FirstWait: 500 * time.Millisecond}, stream.Deps[string]{
			Surface: surface, Renderer: carded{1000}, Log: &stream.MemoryLog{},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Accept(packet.Packet{Payload: packet.SearchQueries{Queries: []string{"vpn"}}})
		synctest.Wait()
		want := "Searching. "
		for i := range 100 { // ten seconds of words
			word := fmt.Sprintf("word%d. ", i)
			want += word
			s.Accept(delta(word))
			time.Sleep(100 * time.Millisecond)
		}
		versions := surface.Versions()
		finish(t, s)
		if len(versions) < 8 {
			t.Errorf("%d writes in ten seconds", len(versions))
		}
		for i := range versions {
			if i > 1 && versions[i].At.Sub(versions[i-1].At) < time.Second {
				t.Errorf("write %d came %s after the one before", i, versions[i].At.Sub(versions[i-1].At))
			}
		}
		if diff := cmp.Diff([]string{want}, surface.Messages()); diff != "" {
			t.Errorf("thread shows (-want +got):\n%s", diff)
		}
	})
}

func TestRefusedAppendRetriesSamePiece(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface, refused := &threadtest.Streaming{}, false
		surface.Limits.MinAppendInterval = time.Second
		surface.Fail = func(op string) error {
			if op == "append" && !refused {
				refused = true
				return &thread.RateLimitError{RetryAfter: 5 * time.Second}
			}
			return nil
		}
		s := open(t, surface, 1000, &stream.MemoryLog{})
		for _, word := range []string{"One sentence. ", "two ", "three ", "four"} {
			s.Accept(delta(word))
			time.Sleep(4 * time.Second)
		}
		finish(t, s)
		if diff := cmp.Diff([]string{"One sentence. two three four"}, surface.Messages()); diff != "" {
			t.Errorf("thread shows (-want +got):\n%s", diff)
		}
		for _, v := range surface.Versions() {
			if v.Op == "edit" {
				t.Errorf("the answer was edited although appending went on")
			}
		}
	})
}

func TestBrokenStreamSwitchesToEdits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface := &threadtest.Streaming{}
		surface.Fail = func(op string) error {
			if op == "append" || op == "stop" {
				return thread.ErrNotEditable
			}
			return nil
		}
		s := open(t, surface, 1000, &stream.MemoryLog{})
		for _, word := range []string{"One sentence. ", "two ", "three"} {
			s.Accept(delta(word))
			synctest.Wait()
		}
		if diff := cmp.Diff([]string{"One sentence. two three"}, surface.Messages()); diff != "" {
			t.Errorf("thread shows before the end (-want +got):\n%s", diff)
		}
		finish(t, s)
		if diff := cmp.Diff([]string{"One sentence. two three"}, surface.Messages()); diff != "" {
			t.Errorf("thread shows (-want +got):\n%s", diff)
		}
	})
}

func TestUnstreamableAnswerIsPostedAndEdited(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
	}{
		{"a workspace without streams", fmt.Errorf("workspace without streams: %w", thread.ErrNoStream)},
		{"no stream for now", &thread.RateLimitError{RetryAfter: time.Minute}},
		{"a stream that fails", errors.New("bad gateway")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				surface := &refusing{err: tt.err}
				s := open(t, surface, 1000, &stream.MemoryLog{})
				s.Accept(delta("One sentence. "))
				synctest.Wait()
				s.Accept(delta("two"))
				synctest.Wait()
				finish(t, s)
				var ops []string
				for _, v := range surface.Versions() {
					ops = append(ops, v.Op)
				}
				if diff := cmp.Diff([]string{"post", "edit"}, ops); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
			})
		})
	}
}

type refusing struct {
	threadtest.Streaming
	err error
}

func (r *refusing) Start(context.Context, thread.Ref, string) (thread.MessageID, error) {
	return "", r.err
}

// forgetful posts and then says that it does not know whether it did.
type forgetful struct {
	threadtest.Surface
	lose int
}

func (f *forgetful) Post(ctx context.Context, to thread.Ref, page string) (thread.MessageID, error) {
	id, err := f.Surface.Post(ctx, to, page)
	if f.lose--; f.lose >= 0 {
		return "", thread.ErrOutcomeUnknown
	}
	return id, err
}

func (f *forgetful) Own(context.Context, thread.Ref) ([]thread.MessageID, error) {
	var own []thread.MessageID
	for _, v := range f.Versions() {
		if v.Op == "post" && !slices.Contains(own, v.ID) {
			own = append(own, v.ID)
		}
	}
	return own, nil
}

func TestPostWithUnknownOutcomeIsAdopted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface := &forgetful{lose: 1}
		s := open(t, surface, 1000, &stream.MemoryLog{})
		s.Accept(delta("One sentence. "))
		synctest.Wait()
		s.Accept(delta("two"))
		synctest.Wait()
		finish(t, s)
		if diff := cmp.Diff([]string{"One sentence. two"}, surface.Messages()); diff != "" {
			t.Errorf("thread shows (-want +got):\n%s", diff)
		}
	})
}

func TestTakeoverAdoptsIntendedMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface, log := &forgetful{lose: 1}, &stream.MemoryLog{}
		ctx, die := context.WithCancel(t.Context())
		first := openUntil(ctx, t, surface, 1000, log)
		first.Accept(delta("Half an ans. "))
		synctest.Wait()
		die()
		synctest.Wait()
		second := open(t, surface, 1000, log)
		second.Accept(delta("The answer."))
		finish(t, second)
		if diff := cmp.Diff([]string{"The answer."}, surface.Messages()); diff != "" {
			t.Errorf("thread shows (-want +got):\n%s", diff)
		}
	})
}

// scarce is a surface without room: calls that may wait do so until the caller gives up, and final
// ones are made.
type scarce struct {
	threadtest.Streaming

	calls []thread.Call
}

func (s *scarce) Reserve(ctx context.Context, _ thread.Ref, call thread.Call, class thread.Class) error {
	s.calls = append(s.calls, call)
	switch class {
	case thread.Final:
		return nil
	case thread.Progress:
		return thread.ErrNoRoom
	case thread.First:
		<-ctx.Done()
		return ctx.Err()
	default:
		return errors.New("unknown class")
	}
}

func TestFinalWriteSkipsBlockedProgressWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface := &scarce{}
		s, err := stream.Open(t.Context(), thread.Ref{}, 0, stream.Pace{}, stream.Deps[string]{
			Surface: surface, Renderer: pages(1000), Log: &stream.MemoryLog{},
		})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		s.Accept(delta(strings.Repeat("words ", 10)))
		time.Sleep(1500 * time.Millisecond) // no stream within a second: it waits for a post
		finish(t, s)
		if took := time.Since(begin); took != 1500*time.Millisecond {
			t.Errorf("the final write came after %s", took)
		}
		if diff := cmp.Diff([]thread.Call{thread.StreamStart, thread.Create, thread.Create}, surface.calls); diff != "" {
			t.Errorf("reserved (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{strings.Repeat("words ", 10)}, surface.Messages()); diff != "" {
			t.Errorf("thread shows (-want +got):\n%s", diff)
		}
	})
}

// roomy is a surface with room that notes what was asked for and as what.
type roomy struct {
	scarce

	classes []thread.Class
}

func (r *roomy) Reserve(_ context.Context, _ thread.Ref, call thread.Call, class thread.Class) error {
	r.calls = append(r.calls, call)
	r.classes = append(r.classes, class)
	return nil
}

// After a card without words the first words wait for room as first words do; what follows is
// progress.
func TestFirstWordsAfterCardPrecedeOtherProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface := &roomy{}
		s, err := stream.Open(t.Context(), thread.Ref{}, 0, stream.Pace{}, stream.Deps[string]{
			Surface: surface, Renderer: carded{1000}, Log: &stream.MemoryLog{},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Accept(packet.Packet{Payload: packet.SearchQueries{Queries: []string{"vpn"}}})
		synctest.Wait()
		for range 3 {
			s.Accept(delta("It is a sentence. "))
			time.Sleep(10 * time.Second)
		}
		finish(t, s)
		want := []thread.Class{thread.First, thread.First, thread.Progress, thread.Progress, thread.Final}
		if diff := cmp.Diff(want, surface.classes); diff != "" {
			t.Errorf("calls %v as (-want +got):\n%s", surface.calls, diff)
		}
	})
}

// Appended text cannot be changed, so an answer from which a document is withdrawn ends as edits.
// On a surface that cannot edit, the text stays and nothing after it is lost.
func TestWithdrawnDocumentLeavesAppendedText(t *testing.T) {
	t.Parallel()
	for interval, want := range map[time.Duration]string{
		time.Second: "It is a secret. The end.",
		0:           "It is a secret [[1]](https://docs.example/a). The end.",
	} {
		synctest.Test(t, func(t *testing.T) {
			surface := &rolling{max: 1000}
			surface.Limits.MinEditInterval = interval
			s := open(t, surface, 1000, &stream.MemoryLog{})
			s.Accept(packet.Packet{Payload: packet.CitationInfo{Document: "a", Number: 1, URL: "https://docs.example/a"}})
			s.Accept(delta("It is a secret [[1]](https://docs.example/a). "))
			time.Sleep(time.Minute)
			s.Accept(delta("The end."))
			s.Accept(packet.Packet{Payload: packet.Withdrawn{Documents: []document.ID{"a"}}})
			finish(t, s)
			if got := strings.TrimSuffix(strings.Join(surface.Messages(), "|"), "."); got != strings.TrimSuffix(want, ".") {
				t.Errorf("with edits every %s the thread shows %q, want %q", interval, got, want)
			}
		})
	}
}
