package stream_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

// wall is a surface with two messages of an earlier delivery, which cannot be edited for a reason.
type wall struct {
	thread.Forgetful
	thread.Unpaced

	refuses error
	calls   []string
}

func (w *wall) Post(context.Context, thread.Ref, string) (thread.MessageID, error) {
	w.calls = append(w.calls, "post")
	return "new", nil
}

func (w *wall) Edit(_ context.Context, _ thread.Ref, id thread.MessageID, page string) error {
	w.calls = append(w.calls, fmt.Sprintf("edit %s: %s", id, page))
	return w.refuses
}

func (w *wall) Delete(_ context.Context, _ thread.Ref, id thread.MessageID) error {
	w.calls = append(w.calls, fmt.Sprintf("delete %s", id))
	return nil
}

func (w *wall) Capabilities() thread.Capabilities { return thread.Capabilities{} }

type sentence struct{ stream.Paged[string] }

func (sentence) Render(v *stream.View) []string {
	if v.Phase != stream.Done {
		return nil
	}
	return []string{v.Message}
}

func TestRemovedAnswerIsNeverPosted(t *testing.T) {
	t.Parallel()
	const edit = "edit m0: Removed."
	for name, tt := range map[string]struct {
		refuses error
		pages   int
		want    []string
	}{
		"there is nothing":           {nil, 0, nil},
		"it is edited":               {nil, 2, []string{"delete m1", edit}},
		"it is gone":                 {thread.ErrMessageGone, 2, []string{"delete m1", edit}},
		"it can no longer be edited": {thread.ErrNotEditable, 2, []string{"delete m1", edit, "delete m0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &stream.MemoryLog{}
			for n := range tt.pages {
				if err := log.Posted(t.Context(), n, thread.MessageID(fmt.Sprint("m", n)), "old"); err != nil {
					t.Fatal(err)
				}
			}
			w := &wall{refuses: tt.refuses}
			var seen []thread.Call
			s, err := stream.Open(t.Context(), thread.Ref{}, 0, stream.Pace{FinalOnly: true}, stream.Deps[string]{
				Surface: w, Renderer: sentence{}, Log: log, Observe: func(write stream.Write) { seen = append(seen, write.Call) },
			})
			if err != nil {
				t.Fatal(err)
			}
			s.Accept(packet.Packet{Payload: packet.Stop{Reason: "answered", Message: "Removed.", Removed: true}})
			if err := s.Finish(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := slices.Compact(w.calls); !slices.Equal(got, tt.want) {
				t.Errorf("the surface was told %q, want %q", got, tt.want)
			}
			if len(seen) != len(w.calls) {
				t.Errorf("%d of %d calls were observed", len(seen), len(w.calls))
			}
		})
	}
}
