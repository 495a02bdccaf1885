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

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/thread/threadtest"
	"github.com/google/go-cmp/cmp"
)

// pages cuts the text into pages of so many bytes.
type pages int

func (n pages) Render(v *stream.View) []string {
	var out []string
	for text := v.Text(); text != ""; {
		cut := min(int(n), len(text))
		out, text = append(out, text[:cut]), text[cut:]
	}
	return out
}
func (pages) Tail() stream.Tail[string] { return new(tail).Next }

type tail struct{ sent int }

func (t *tail) Next(v *stream.View) (string, bool) {
	piece := v.TextFrom(t.sent)
	t.sent = v.Len()
	return piece, piece != ""
}

func delta(s string) packet.Packet { return packet.Packet{Payload: packet.MessageDelta{Text: s}} }

var stopped = packet.Packet{Payload: packet.Stop{Reason: string(session.Answered)}}

func open(t *testing.T, surface thread.Surface[string], pageSize int, log stream.Log) *stream.ThreadStream[string] {
	t.Helper()
	return openUntil(t.Context(), t, surface, pageSize, log)
}

func openUntil(ctx context.Context, t *testing.T, surface thread.Surface[string], pageSize int, log stream.Log) *stream.ThreadStream[string] {
	t.Helper()
	s, err := stream.Open(ctx, thread.Ref{}, 0, stream.Pace{}, stream.Deps[string]{Surface: surface, Renderer: pages(pageSize), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func finish(t *testing.T, s *stream.ThreadStream[string]) {
	t.Helper()
	s.Accept(stopped)
	if err := s.Finish(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// asking shows what is searched for until there are words.
type asking struct{ pages }

func (a asking) Render(v *stream.View) []string {
	if v.Len() == 0 && len(v.Queries) > 0 && v.Phase != stream.Done {
		return []string{"Searching"}
	}
	return a.pages.Render(v)
}

func TestFirstWordsSkipSearchInterval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var writes []time.Duration
		begun := time.Now()
		s, err := stream.Open(t.Context(), thread.Ref{}, 0, stream.Pace{}, stream.Deps[string]{
			Surface:  &threadtest.Surface{Limits: thread.Capabilities{MinEditInterval: 10 * time.Second}},
			Renderer: asking{1000}, Log: &stream.MemoryLog{}, Observe: func(stream.Write) { writes = append(writes, time.Since(begun)) },
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Accept(packet.Packet{Payload: packet.SearchQueries{Queries: []string{"vpn"}}})
		time.Sleep(100 * time.Millisecond)
		s.Accept(delta("A whole sentence. And then some more of it."))
		time.Sleep(5 * time.Second)
		s.Accept(delta("More. "))
		time.Sleep(20 * time.Second)
		finish(t, s)
		want := []time.Duration{0, 100 * time.Millisecond, 10100 * time.Millisecond}
		if len(writes) < 3 || !slices.Equal(writes[:3], want) {
			t.Errorf("writes at %v, want %v and the final one", writes, want)
		}
	})
}

func TestFinalOnlyMakesOneWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface, calls := &threadtest.Surface{}, 0
		s, err := stream.Open(t.Context(), thread.Ref{}, 0, stream.Pace{FinalOnly: true}, stream.Deps[string]{
			Surface: surface, Renderer: pages(1000), Log: &stream.MemoryLog{}, Observe: func(stream.Write) { calls++ },
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			s.Accept(delta("A whole sentence, and then some more of it. "))
			time.Sleep(time.Minute)
		}
		if calls != 0 {
			t.Errorf("%d writes before the end", calls)
		}
		finish(t, s)
		if calls != 1 {
			t.Errorf("%d writes, want the final one alone", calls)
		}
	})
}

func TestEditsKeepIntervalAndFinalWriteLands(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface := &threadtest.Surface{Limits: thread.Capabilities{MinEditInterval: time.Second}}
		s := open(t, surface, 1000, &stream.MemoryLog{})
		var want strings.Builder
		for i := range 100 { // ten seconds of words
			word := fmt.Sprintf("word%d ", i)
			want.WriteString(word)
			s.Accept(delta(word))
			time.Sleep(100 * time.Millisecond)
		}
		finish(t, s)
		versions := surface.Versions()
		for i := 1; i < len(versions)-1; i++ { // the final write is not held back by the interval
			if gap := versions[i].At.Sub(versions[i-1].At); gap < time.Second {
				t.Errorf("writes %d and %d are %s apart, want at least 1s", i-1, i, gap)
			}
		}
		if len(versions) < 9 || len(versions) > 12 {
			t.Errorf("%d writes in ten seconds, want about one a second", len(versions))
		}
		if diff := cmp.Diff([]string{want.String()}, surface.Messages()); diff != "" {
			t.Errorf("thread shows (-want +got):\n%s", diff)
		}
	})
}

func TestFirstWordsWaitForSentenceOrFirstWait(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
		want time.Duration
	}{
		{name: "a sentence is posted at once", text: "Yes. ", want: 0},
		{name: "forty characters are posted at once", text: strings.Repeat("x", 40), want: 0},
		{name: "a few letters wait a second", text: "Well", want: time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				surface := &threadtest.Surface{}
				s := open(t, surface, 1000, &stream.MemoryLog{})
				start := time.Now()
				s.Accept(delta(tt.text))
				time.Sleep(2 * time.Second)
				if v := surface.Versions(); len(v) != 1 || v[0].At.Sub(start) != tt.want {
					t.Errorf("versions = %+v, want one after %s", v, tt.want)
				}
				finish(t, s)
			})
		})
	}
}

// What changes the view and shows nothing, such as a search that begins, does not hold the first
// words back.
func TestFirstWordsIgnoreEmptyWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface := &threadtest.Surface{Limits: thread.Capabilities{MinEditInterval: 10 * time.Second}}
		s := open(t, surface, 1000, &stream.MemoryLog{})
		s.Accept(packet.Packet{Payload: packet.SearchStart{}})
		synctest.Wait()
		start := time.Now()
		s.Accept(delta("It is so. "))
		synctest.Wait()
		if v := surface.Versions(); len(v) != 1 || v[0].At.Sub(start) != 0 {
			t.Errorf("versions = %+v, want one at once", v)
		}
		finish(t, s)
	})
}

func TestRateLimitIsObeyedAndFinalWriteLands(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls []time.Time
		limited := 3
		surface := &threadtest.Surface{Limits: thread.Capabilities{MinEditInterval: 100 * time.Millisecond}}
		surface.Fail = func(string) error {
			calls = append(calls, time.Now())
			if len(calls) <= limited {
				return &thread.RateLimitError{RetryAfter: 5 * time.Second}
			}
			return nil
		}
		s := open(t, surface, 100_000, &stream.MemoryLog{})
		for range 300 {
			s.Accept(delta("words and more words, "))
			time.Sleep(100 * time.Millisecond)
		}
		finish(t, s)
		for i := 1; i <= limited && i < len(calls); i++ {
			if gap := calls[i].Sub(calls[i-1]); gap < 5*time.Second {
				t.Errorf("call %d came %s after a 429 that asked for 5s", i, gap)
			}
		}
		if got := surface.Messages(); len(got) != 1 || got[0] != strings.Repeat("words and more words, ", 300) {
			t.Errorf("the final text did not land: %d messages", len(got))
		}
		if len(calls) != 4 { // two refusals end the progress writes; then the final write, once refused
			t.Errorf("%d calls, want 4", len(calls))
		}
	})
}

func TestLostFinalWriteIsRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failures := 3
		surface := &threadtest.Surface{Fail: func(string) error {
			if failures--; failures >= 0 {
				return errors.New("bad gateway")
			}
			return nil
		}}
		s := open(t, surface, 1000, &stream.MemoryLog{})
		s.Accept(delta("Done"))
		finish(t, s)
		if diff := cmp.Diff([]string{"Done"}, surface.Messages()); diff != "" {
			t.Errorf("thread shows (-want +got):\n%s", diff)
		}
	})
}

func TestForbiddenThreadFailsWithoutRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface := &threadtest.Surface{Fail: func(string) error { return thread.ErrNotPermitted }}
		s := open(t, surface, 1000, &stream.MemoryLog{})
		s.Accept(delta("Done"))
		s.Accept(stopped)
		start := time.Now()
		if err := s.Finish(context.Background()); !errors.Is(err, thread.ErrNotPermitted) {
			t.Errorf("Finish() = %v, want ErrNotPermitted", err)
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("it took %s to give up", waited)
		}
	})
}

func TestTakeoverEditsMessagesAndDeletesSurplus(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface, log := &threadtest.Surface{}, &stream.MemoryLog{}
		ctx, die := context.WithCancel(t.Context())
		first := openUntil(ctx, t, surface, 5, log)
		first.Accept(delta("0123456789abcde"))
		time.Sleep(2 * time.Second)
		die() // the worker's process ends without a word
		synctest.Wait()
		if got := len(surface.Messages()); got != 3 {
			t.Fatalf("%d messages before the take-over, want 3", got)
		}
		second := open(t, surface, 5, log)
		second.Accept(delta("ABCDEFG"))
		finish(t, second)
		if diff := cmp.Diff([]string{"ABCDE", "FG"}, surface.Messages()); diff != "" {
			t.Errorf("thread shows (-want +got):\n%s", diff)
		}
	})
}

func TestDeletedMessageIsNotPostedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refusal error
		want    []string
	}{
		"a person deleted it":         {thread.ErrMessageGone, nil},
		"it can no longer be reached": {thread.ErrExpired, []string{"A whole sentence. And", "A whole sentence. And more."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				surface := &threadtest.Surface{Fail: func(op string) error {
					if op == "edit" {
						return c.refusal
					}
					return nil
				}}
				s := open(t, surface, 1000, &stream.MemoryLog{})
				s.Accept(delta("A whole sentence. And"))
				time.Sleep(time.Second)
				if errors.Is(c.refusal, thread.ErrMessageGone) {
					surface.Forget("m1")
				}
				s.Accept(delta(" more."))
				finish(t, s)
				if diff := cmp.Diff(c.want, surface.Messages()); diff != "" {
					t.Errorf("thread shows (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// shrinking lays a text out as a message for each letter, and as one once it is long.
type shrinking struct{ stream.Paged[string] }

func (shrinking) Render(v *stream.View) []string {
	if v.Len() > 3 {
		return []string{v.Text()}
	}
	return strings.Split(v.Text(), "")
}

func TestSurplusMessageIsDeletedWithItsView(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface, log := &threadtest.Surface{}, &stream.MemoryLog{}
		s, err := stream.Open(t.Context(), thread.Ref{}, 0, stream.Pace{FirstRunes: 1}, stream.Deps[string]{Surface: surface, Renderer: shrinking{}, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		show := func(text string, want ...string) {
			t.Helper()
			s.Accept(delta(text))
			time.Sleep(5 * time.Second)
			if diff := cmp.Diff(want, surface.Messages()); diff != "" {
				t.Errorf("thread shows (-want +got):\n%s", diff)
			}
		}
		show("abc", "a", "b", "c")
		show("d", "abcd")
		// A worker that takes the turn over must not find the id of a message that is no more.
		pages, err := log.Pages(t.Context())
		if err != nil || len(pages) != 3 || pages[1].ID != "" || pages[2].ID != "" {
			t.Errorf("the log has %+v, %v", pages, err)
		}
		s.Accept(stopped)
		finish(t, s)
	})
}

// Nobody is asked every second for what has been taken away.
func TestRevokedThreadGetsNoProgressWrites(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]error{"the message": thread.ErrMessageGone, "the bot": thread.ErrNotPermitted, "the thread": thread.ErrNotEditable} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tried := 0
				surface := &threadtest.Surface{Limits: thread.Capabilities{MinEditInterval: time.Second}}
				surface.Fail = func(op string) error {
					if op != "edit" {
						return nil
					}
					tried++
					return refusal
				}
				s := open(t, surface, 1000, &stream.MemoryLog{})
				s.Accept(delta("A whole sentence. "))
				for range 20 {
					time.Sleep(time.Second)
					s.Accept(delta("More. "))
				}
				if tried != 1 {
					t.Errorf("%d edits were tried before the end, want 1", tried)
				}
				s.Accept(stopped)
				err := s.Finish(t.Context())
				if tried != 2 {
					t.Errorf("%d edits were tried, want a second one at the end", tried)
				}
				if errors.Is(refusal, thread.ErrNotPermitted) != errors.Is(err, thread.ErrNotPermitted) {
					t.Errorf("it ended with %v", err)
				}
			})
		})
	}
}

func TestAppendingSurfaceGetsEveryPieceOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		surface := &threadtest.Streaming{}
		s := open(t, surface, 1000, &stream.MemoryLog{})
		for _, word := range []string{"One sentence. ", "two ", "three"} {
			s.Accept(delta(word))
			synctest.Wait()
		}
		finish(t, s)
		if diff := cmp.Diff([]string{"One sentence. two three"}, surface.Messages()); diff != "" {
			t.Errorf("thread shows (-want +got):\n%s", diff)
		}
		if got := len(surface.Versions()); got != 4 {
			t.Errorf("%d writes, want a start, two appends and a stop", got)
		}
	})
}

func TestBrokenAppendEndsInOneEdit(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"append", "stop"} {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				surface := &threadtest.Streaming{}
				surface.Fail = func(o string) error {
					if o == op {
						return errors.New("stream closed by the platform")
					}
					return nil
				}
				s := open(t, surface, 1000, &stream.MemoryLog{})
				s.Accept(delta("One sentence. "))
				synctest.Wait()
				s.Accept(delta("And the rest."))
				synctest.Wait()
				finish(t, s)
				if diff := cmp.Diff([]string{"One sentence. And the rest."}, surface.Messages()); diff != "" {
					t.Errorf("thread shows (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestViewFoldsPackets(t *testing.T) {
	t.Parallel()
	doc := packet.Document{ID: "d", Title: "D"}
	var v stream.View
	for _, payload := range []packet.Payload{
		packet.ReasoningStart{}, packet.ReasoningDone{}, packet.MessageStart{}, packet.MessageDelta{Text: "Let me look."},
		packet.SearchStart{}, packet.SearchQueries{Queries: []string{"q"}}, packet.SearchDocuments{Documents: []packet.Document{doc}},
		packet.SearchDocuments{Documents: []packet.Document{doc}}, packet.SectionEnd{}, packet.MessageStart{},
		packet.CitationInfo{Number: 1, Document: "d"}, packet.MessageDelta{Text: "It is so [[1]](u)."}, packet.Stop{Reason: "answered"},
	} {
		v.Apply(packet.Packet{Payload: payload})
	}
	v.Apply(packet.Packet{Placement: packet.Placement{ModelIndex: 1}, Payload: packet.MessageDelta{Text: "another model"}})
	if got, want := v.Text(), "Let me look.\n\nIt is so [[1]](u)."; got != want {
		t.Errorf("text = %q, want %q", got, want)
	}
	if len(v.Documents) != 1 || len(v.Citations) != 1 || v.Phase != stream.Done || v.Outcome != session.Answered {
		t.Errorf("view = %+v", v)
	}
}
