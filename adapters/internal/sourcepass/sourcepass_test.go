package sourcepass_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

func TestBatchesEnd(t *testing.T) {
	t.Parallel()
	fault := errors.New("a fault")
	paused, pause := context.WithCancelCause(t.Context())
	pause(index.ErrPaused)
	for name, c := range map[string]struct {
		taken int // batches, of three; then the caller breaks off
		ends  error
		want  error
	}{
		"at the end":         {taken: 3},
		"with an error":      {taken: 3, ends: fault, want: fault},
		"when it is paused":  {taken: 3, ends: context.Canceled, want: index.ErrPaused},
		"by the caller":      {taken: 2},
		"by the caller, too": {taken: 2, ends: fault}, // that of whoever does not heed it
	} {
		under := t.Context()
		if errors.Is(c.want, index.ErrPaused) {
			under = paused
		}
		taken, told := 0, error(nil)
		for b, err := range sourcepass.Batches(under, func(emit func(int) error) error {
			for n := range 3 {
				if err := emit(n); err != nil && (!errors.Is(err, sourcepass.ErrBroken) || c.taken == 3) {
					t.Errorf("%s: a batch ends it with %v", name, err)
				}
			}
			return c.ends
		}) {
			if err != nil {
				told = err
				continue
			}
			if taken++; b != taken-1 || taken == c.taken && taken < 3 {
				break
			}
		}
		if taken != c.taken || !errors.Is(told, c.want) || told != nil && c.want == nil {
			t.Errorf("%s: %d batches were taken, and it ends with %v", name, taken, told)
		}
	}
}

func TestACheckpointThatCannotBeReadIsNone(t *testing.T) {
	t.Parallel()
	type state struct {
		Settings string
		Of       map[string]int
	}
	if s := sourcepass.Decode[state](sourcepass.Encode(state{"a", map[string]int{"b": 1}})); s.Settings != "a" || s.Of["b"] != 1 {
		t.Errorf("it is read as %v", s)
	}
	for _, text := range []string{"", "{", `{"Settings":"a","Of":7}`} {
		if s := sourcepass.Decode[state](index.Checkpoint(text)); s.Settings != "" || s.Of != nil {
			t.Errorf("%s is read as %v", text, s)
		}
	}
}

// What is written of a state that grows with each batch is no more than a fixed amount for each,
// and whoever is killed loses no more batches than the state is worth.
func TestCheckpointsOfALargeSourceAreLinear(t *testing.T) {
	t.Parallel()
	written := make(map[int]int)
	for _, batches := range []int{1_000, 10_000} {
		var state strings.Builder
		lost, most := 0, 0
		d := sourcepass.Documents{Encode: func() index.Checkpoint { return index.Checkpoint(state.String()) }, Emit: func(b index.Batch) error {
			written[batches] += len(b.Next)
			if lost++; b.Next != nil {
				lost = 0
			}
			most = max(most, lost)
			return nil
		}}
		for n := range batches {
			fmt.Fprintf(&state, "repository %10d: so far %20d ", n, n)
			if err := d.Send(index.Batch{}); err != nil {
				t.Fatal(err)
			}
		}
		if limit := batches * 16 << 10; written[batches] > limit || most > state.Len()/(16<<10) {
			t.Errorf("of %d batches %d bytes were written, and %d in a row without any", batches, written[batches], most)
		}
		before := written[batches]
		if err := d.Save(index.Batch{}); err != nil || written[batches] != before+state.Len() {
			t.Errorf("at the end %d bytes were written (%v)", written[batches]-before, err)
		}
	}
	if written[10_000] > 20*written[1_000] {
		t.Errorf("for ten times as many batches %d bytes were written instead of %d", written[10_000], written[1_000])
	}
}

func TestEachDocumentIsSentOnce(t *testing.T) {
	t.Parallel()
	var ids []document.ID
	var told []string
	d := sourcepass.Documents{Resumed: true, Encode: func() index.Checkpoint { return nil }, Emit: func(b index.Batch) error {
		for _, i := range b.Documents {
			ids = append(ids, i.ID)
		}
		for _, n := range b.Failures {
			told = append(told, n.Sentence)
		}
		if !b.Resumed {
			t.Error("the batch is of no run that goes on")
		}
		return nil
	}}
	d.Notices = []index.Notice{{Sentence: "first"}}
	for _, b := range []index.Batch{{Documents: []index.Item{{ID: "a"}, {ID: "b"}, {ID: "a"}}, Failures: []index.Notice{{Sentence: "second"}}}, {Documents: []index.Item{{ID: "b"}, {ID: "c"}}}} {
		if err := d.Send(b); err != nil {
			t.Fatal(err)
		}
	}
	if fmt.Sprint(ids, told) != "[a b c] [first second]" {
		t.Errorf("sent are %v and %v", ids, told)
	}
}
