package thread_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/thread"
)

func TestButtonIDs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, id string
		action   thread.Action
		turn     string
		ok       bool
	}{
		{"ours", "footnote:retry:01998e1e-0000-7000-8000-000000000001", thread.ActionRetry, "01998e1e-0000-7000-8000-000000000001", true},
		{"without a turn", "footnote:stop", thread.ActionStop, "", true},
		{"with an empty turn", "footnote:stop:", thread.ActionStop, "", true},
		{"of a newer version", "footnote:translate:x", "translate", "x", false},
		{"of somebody else", "other:up:x", "", "", false},
		{"nothing", "", "", "", false},
	} {
		a, turn, ok := thread.ParseButtonID(tt.id)
		if a != tt.action || turn != tt.turn || ok != tt.ok {
			t.Errorf("%s: %q, %q, %t", tt.name, a, turn, ok)
		}
	}
}

func FuzzButtonID(f *testing.F) {
	f.Add("up", "t")
	f.Add("stop", "")
	f.Fuzz(func(t *testing.T, do, turn string) {
		a, back, ok := thread.ParseButtonID(thread.ButtonID(thread.Action(do), turn))
		if ok && !a.Known() {
			t.Errorf("%q is taken for a known action", do)
		}
		if ok && (a.Label() == "" || string(a) == do && back != turn) {
			t.Errorf("%q about %q comes back as %q about %q", do, turn, a, back)
		}
	})
}

// Every button fits what platforms take: Discord 100 characters for its id and 80 for its label.
func TestButtonsFit(t *testing.T) {
	t.Parallel()
	for _, a := range append(thread.Menu(), thread.ActionUp, thread.ActionDown, thread.ActionStop, thread.ActionPrivate, thread.ActionShare, thread.ActionKeep) {
		if id := thread.ButtonID(a, "01998e1e-0000-7000-8000-000000000001"); len(id) > 60 {
			t.Errorf("the id of %s has %d characters", a, len(id))
		}
		if b := thread.ButtonFor(a); b.Action != a || b.Label == "" || len(b.Label) > 24 {
			t.Errorf("%s has the button %+v", a, b)
		}
	}
}
