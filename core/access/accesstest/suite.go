// Package accesstest provides test suites for implementations of access.Changes, access.People and
// access.Accounts.
package accesstest

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/google/go-cmp/cmp"
)

// Store combines [access.Changes] and [access.People], which [Suite] tests together.
type Store interface {
	access.Changes
	access.People
}

// Suite tests a store that several replicas share. Each call of replica returns the store as
// another process sees it.
func Suite(t *testing.T, replica func() Store) {
	t.Helper()
	for i, tt := range []struct {
		name string
		try  func(fixture)
	}{
		{"a change counts for every replica", fixture.change},
		{"a person in an event is believed outside, and looked up otherwise", fixture.told},
		{"what was asked before a change does not undo it", fixture.late},
		{"a list is read by one process, and reveals no more than it held", fixture.list},
		{"a list that failed leaves what its pages said", fixture.failed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fixture{T: t, a: replica(), b: replica(), w: access.Workspace{Platform: "slack", ID: "T" + string(rune('0'+i))}}
			if err := f.a.Heard(t.Context(), f.w); err != nil {
				t.Fatal(err)
			}
			tt.try(f)
		})
	}
}

type fixture struct {
	*testing.T
	a, b Store
	w    access.Workspace
}

func (f fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f fixture) version(scopes ...string) access.Version {
	f.Helper()
	v, err := f.b.Version(f.Context(), f.w, scopes...)
	f.must(err)
	if v == "" {
		f.Fatal("nothing is believed although a replica hears")
	}
	return v
}

func (f fixture) known(want map[string]bool) access.Roll {
	f.Helper()
	roll, err := f.b.Known(f.Context(), f.w, []string{"U1", "U2", "U3"})
	f.must(err)
	if diff := cmp.Diff(want, roll.Inside); diff != "" {
		f.Errorf("known (-want +got):\n%s", diff)
	}
	return roll
}

func (f fixture) change() {
	one, other, all := f.version("C1"), f.version("C2"), f.version()
	f.must(f.a.Changed(f.Context(), f.w, "C1"))
	if f.version("C1") == one || f.version("C2", "C1") == f.version("C2") {
		f.Error("a channel that has changed is still believed")
	}
	if f.version("C2") != other || f.version() != all {
		f.Error("another channel is not believed any more")
	}
	one = f.version("C1")
	f.must(f.a.Changed(f.Context(), f.w, access.Everything, "C9"))
	if f.version("C1") == one || f.version("C2") == other {
		f.Error("after a change of everything something is still believed")
	}
	elsewhere := access.Workspace{Platform: f.w.Platform, ID: f.w.ID + "x"}
	one = f.version("C1")
	f.must(f.a.Changed(f.Context(), elsewhere, access.Everything, "C1"))
	if f.version("C1") != one {
		f.Error("a change of another workspace counts here")
	}
}

func (f fixture) told() {
	roll := f.known(map[string]bool{})
	f.must(f.a.Found(f.Context(), f.w, map[string]bool{"U1": true, "U2": false}, roll.At))
	f.known(map[string]bool{"U1": true, "U2": false})
	for _, tt := range []struct {
		person string
		is     access.Standing
		all    bool // counts for everything
		then   map[string]bool
	}{
		{"U1", access.Inside, false, map[string]bool{"U1": true, "U2": false}},
		{"U2", access.Outside, false, map[string]bool{"U1": true, "U2": false}},
		{"U3", access.Outside, true, map[string]bool{"U1": true, "U2": false, "U3": false}},
		{"U1", access.Outside, true, map[string]bool{"U1": false, "U2": false, "U3": false}},
		{"U1", access.Inside, true, map[string]bool{"U2": false, "U3": false}},
		{"U2", access.Unsaid, true, map[string]bool{"U3": false}},
	} {
		all, own := f.version(), f.version(tt.person)
		f.must(f.a.Told(f.Context(), f.w, tt.person, tt.is))
		if f.version(tt.person) == own {
			f.Errorf("%+v: the person is still believed", tt)
		}
		if (f.version() != all) != tt.all {
			f.Errorf("%+v: counts for everything: %v", tt, !tt.all)
		}
		f.known(tt.then)
	}
}

func (f fixture) late() {
	before := f.known(map[string]bool{})
	f.must(f.a.Told(f.Context(), f.w, "U1", access.Outside))
	f.must(f.b.Found(f.Context(), f.w, map[string]bool{"U1": true, "U2": true}, before.At))
	now := f.known(map[string]bool{"U1": false, "U2": true})
	all := f.version()
	f.must(f.b.Found(f.Context(), f.w, map[string]bool{"U2": false}, now.At))
	if f.version() == all {
		f.Error("a person was found to be a guest, and channels are still believed")
	}
	f.known(map[string]bool{"U1": false, "U2": false})
}

func (f fixture) list() {
	if !f.known(map[string]bool{}).Pending {
		f.Error("before the first list nothing is said to be found out")
	}
	at, due, err := f.a.Begin(f.Context(), f.w)
	f.must(err)
	if !due {
		f.Fatal("the first list is not due")
	}
	if _, again, err := f.b.Begin(f.Context(), f.w); again || err != nil {
		f.Errorf("a second replica lists as well: %v", err)
	}
	f.must(f.a.Found(f.Context(), f.w, map[string]bool{"U1": true, "U2": true, "U3": true}, at))
	if !f.known(map[string]bool{"U1": true, "U2": true, "U3": true}).Pending {
		f.Error("while a list is read nothing is said to be found out")
	}
	f.must(f.b.Told(f.Context(), f.w, "U2", access.Outside))
	f.must(f.a.Found(f.Context(), f.w, map[string]bool{"U2": true}, at)) // a page from before
	all := f.version()
	// U3 stood in the list before
	f.must(f.a.End(f.Context(), f.w, []string{"U1", "U2"}, at.Add(time.Microsecond)))
	if f.version() == all {
		f.Error("a person has vanished, and channels are still believed")
	}
	if f.known(map[string]bool{"U1": true, "U2": false}).Pending {
		f.Error("after the list more is said to be found out")
	}
	if _, again, err := f.b.Begin(f.Context(), f.w); again || err != nil {
		f.Errorf("the next list is due at once: %v", err)
	}
}

func (f fixture) failed() {
	at, _, err := f.a.Begin(f.Context(), f.w)
	f.must(err)
	f.must(f.a.Found(f.Context(), f.w, map[string]bool{"U1": true}, at))
	f.must(f.a.End(f.Context(), f.w, nil, at))
	if f.known(map[string]bool{"U1": true}).Pending {
		f.Error("after a list has failed more is said to be found out soon")
	}
	if _, again, err := f.b.Begin(f.Context(), f.w); again || err != nil {
		f.Errorf("a list that failed is begun again at once: %v", err)
	}
	f.must(f.a.End(f.Context(), f.w, nil, time.Time{})) // by a process that ends
	if !f.known(map[string]bool{"U1": true}).Pending {
		f.Error("after a list was handed back nothing is said to be found out")
	}
	if _, due, err := f.b.Begin(f.Context(), f.w); !due || err != nil {
		f.Errorf("a list that was handed back is not begun by another one: %v", err)
	}
}
