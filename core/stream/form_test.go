package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

// place is a surface whose messages can be looked at, and which refuses what a test wants refused.
type place struct {
	thread.Forgetful
	thread.Unpaced

	refuses func(call, page string) error
	next    int
	shown   map[thread.MessageID]string
	calls   []string
}

func (p *place) call(call string, id thread.MessageID, page string) error {
	p.calls = append(p.calls, call)
	if err := p.refuses(call, page); err != nil {
		return fmt.Errorf("%s: %w", call, err)
	}
	if p.shown == nil {
		p.shown = make(map[thread.MessageID]string)
	}
	p.shown[id] = page
	if call == "delete" {
		delete(p.shown, id)
	}
	return nil
}

func (p *place) Post(_ context.Context, _ thread.Ref, page string) (thread.MessageID, error) {
	p.next++
	id := thread.MessageID(fmt.Sprint("m", p.next))
	return id, p.call("post", id, page)
}

func (p *place) Edit(_ context.Context, _ thread.Ref, id thread.MessageID, page string) error {
	return p.call("edit", id, page)
}

func (p *place) Delete(_ context.Context, _ thread.Ref, id thread.MessageID) error {
	return p.call("delete", id, "")
}

func (p *place) Capabilities() thread.Capabilities { return thread.Capabilities{} }

func (p *place) messages() []string {
	var all []string
	for n := 1; n <= p.next; n++ {
		if text, ok := p.shown[thread.MessageID(fmt.Sprint("m", n))]; ok {
			all = append(all, text)
		}
	}
	return all
}

// formed renders each form in its own way: three pages, of which the last says what the platform
// may not like.
type formed struct{ stream.Paged[string] }

func (formed) Render(v *stream.View) []string {
	text := v.Text()
	if v.Problem != nil {
		return []string{v.Problem.Message}
	}
	end := map[stream.Form]string{stream.Whole: " [file]", stream.Unfiled: " [whole]", stream.Bare: " [buttons]", stream.Plain: ""}[v.Form]
	if v.Phase != stream.Done {
		end = " [writing]"
	}
	return []string{text + " 1", text + " 2", text + " 3" + end}
}

// A refusal for good costs a step, then the next, and at last the answer: whatever it is, the
// writing ends at once.
func TestRefusedContentFallsBackToSimplerForm(t *testing.T) {
	t.Parallel()
	holds := func(marks ...string) func(string, string) error {
		return func(call, page string) error {
			if call != "delete" && slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(page, m) }) {
				return thread.ErrRefused
			}
			return nil
		}
	}
	const givenUp = "The answer could not be posted"
	for _, tt := range []struct {
		name    string
		refuses func(call, page string) error
		begun   []string // what an attempt before left
		want    []string
		err     error
		calls   int // at most
	}{
		{"nothing", holds(), nil, []string{"x 1", "x 2", "x 3 [file]"}, nil, 3},
		{"a file", holds("[file]"), nil, []string{"x 1", "x 2", "x 3 [buttons]"}, nil, 4},
		{"a file of its own", func(call, page string) error {
			if call != "delete" && strings.Contains(page, "[file]") {
				return thread.ErrNoFile
			}
			return nil
		}, nil, []string{"x 1", "x 2", "x 3 [whole]"}, nil, 4},
		{"a file of its own, and then newer blocks", func(call, page string) error {
			if call != "delete" && strings.Contains(page, "[whole]") {
				return thread.ErrRefused
			}
			return map[bool]error{true: thread.ErrNoFile}[strings.Contains(page, "[file]")]
		}, nil, []string{"x 1", "x 2", "x 3 [buttons]"}, nil, 5},
		{"a file and buttons", holds("[file]", "[buttons]"), nil, []string{"x 1", "x 2", "x 3"}, nil, 5},
		{"a file of an answer that stands there", holds("[file]"), []string{"x 1", "x 2", "x 3 [writing]"}, []string{"x 1", "x 2", "x 3 [buttons]"}, nil, 5},
		{"the text", holds("x 3"), nil, []string{givenUp}, thread.ErrRefused, 8},
		{"the text of an answer that stands there", holds("x 3"), []string{"x 1", "x 2", "x 3 [writing]"}, []string{givenUp}, thread.ErrRefused, 8},
		{"all texts", holds("x", givenUp), []string{"x 1", "x 2", "x 3 [writing]"}, nil, stream.ErrNoNotice, 9},
		{"edits for good", func(call, _ string) error {
			if call == "edit" {
				return thread.ErrNotEditable
			}
			return nil
		}, []string{"x 1", "old", "x 3 [writing]"}, []string{"x 1", "x 2", "x 3 [file]"}, nil, 7},
		{"edits, and there is no other place", func(call, _ string) error {
			return map[string]error{"edit": thread.ErrNotEditable, "post": thread.ErrNotPermitted}[call]
		}, []string{"x 1", "x 2", "x 3 [writing]"}, nil, thread.ErrNotPermitted, 5},
		{"everything", func(string, string) error { return thread.ErrNotPermitted }, []string{"old", "x 2", "x 3 [writing]"}, []string{"old", "x 2", "x 3 [writing]"},
			thread.ErrNotPermitted, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			log, p := &stream.MemoryLog{}, &place{refuses: func(string, string) error { return nil }}
			for n, page := range tt.begun {
				id, err := p.Post(t.Context(), thread.Ref{}, page)
				if err := errors.Join(err, log.Posted(t.Context(), n, id, "old")); err != nil {
					t.Fatal(err)
				}
			}
			p.refuses, p.calls = tt.refuses, nil
			s, err := stream.Open(t.Context(), thread.Ref{}, 0, stream.Pace{FinalOnly: true}, stream.Deps[string]{Surface: p, Renderer: formed{}, Log: log})
			if err != nil {
				t.Fatal(err)
			}
			s.Accept(delta("x"))
			s.Accept(stopped)
			if err := s.Finish(t.Context()); !errors.Is(err, tt.err) {
				t.Errorf("Finish() = %v, want %v", err, tt.err)
			}
			got := p.messages()
			if !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
				t.Errorf("the thread shows %q, want %q", got, tt.want)
			}
			if len(p.calls) > tt.calls {
				t.Errorf("%d calls, want %d at most: %q", len(p.calls), tt.calls, p.calls)
			}
		})
	}
}
