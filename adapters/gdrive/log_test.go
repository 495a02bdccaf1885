package gdrive_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/adapters/gdrive/gdrivetest"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// never has nothing but the logs read, once everything was looked at.
func never(o *gdrive.Options, _ *gdrive.Config) { o.SweepEvery = 1000 * time.Hour }

// What is changed, made, moved, thrown away and taken back is known from the logs alone, and so is
// what lies below a folder; a file that moves stays the document that it was, and is not read
// again.
func TestLogsTellWhatChanges(t *testing.T) {
	t.Parallel()
	for name, wordy := range map[string]bool{"logs name the folder": false, "logs name each file": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, never)
			p.Do(func() { p.Wordy = wordy })
			ada, bob := p.User("ada"), p.User("bob")
			one, two := p.Drive("One", reader(ada)), p.Drive("Two", reader(bob))
			folder := p.Folder(one, "folder")
			deep := p.Folder(folder, "deep")
			f, g := p.File(deep, "f.txt", "first"), p.File(one, "g.txt", "other")
			p.MustSync()
			r := p.readers()
			check := func(step string, want map[*gdrivetest.File]string, to *gdrivetest.User) {
				t.Helper()
				p.Pass(time.Minute)
				run := p.MustSync()
				r.read()
				p.mustHold(want)
				if _, there := want[f]; there {
					r.mustShow(f, to)
				}
				if t.Failed() {
					t.Fatalf("after %s: %+v", step, run.Counts)
				}
			}
			p.Edit(f, "second")
			check("an edit", map[*gdrivetest.File]string{f: "second", g: "other"}, ada)
			h := p.File(deep, "h.txt", "new")
			check("a new file", map[*gdrivetest.File]string{f: "second", g: "other", h: "new"}, ada)
			mark := p.Mark()
			p.Move(folder, two)
			check("a move to another drive", map[*gdrivetest.File]string{f: "second", g: "other", h: "new"}, bob)
			p.Move(folder, ada)
			check("a move to somebody's own", map[*gdrivetest.File]string{f: "second", g: "other", h: "new"}, ada)
			p.Change(folder, func() { folder.Owner = bob })
			p.Change(deep, func() { deep.Owner = bob })
			p.Change(f, func() { f.Owner = bob })
			p.Move(folder, bob)
			p.Change(h, func() { h.Owner = bob })
			check("another owner", map[*gdrivetest.File]string{f: "second", g: "other", h: "new"}, bob)
			if n := p.Counts(mark, "alt=media"); n > 0 {
				t.Errorf("files that moved were read again: %d", n)
			}
			p.Change(folder, func() { folder.Trashed = true })
			check("the trash", map[*gdrivetest.File]string{g: "other"}, nil)
			p.Change(folder, func() { folder.Trashed = false })
			check("taking it back", map[*gdrivetest.File]string{f: "second", g: "other", h: "new"}, bob)
			p.Change(g, func() { g.Type, g.Name = "image/png", "g.png" })
			check("another format", map[*gdrivetest.File]string{f: "second", h: "new"}, bob)
			p.Move(f, one)
			check("back to a drive", map[*gdrivetest.File]string{f: "second", h: "new"}, ada)
			p.Delete(f)
			check("deletion", map[*gdrivetest.File]string{h: "new"}, nil)
		})
	}
}

// What somebody loses sight of stands in their log as removed, as what was deleted does: it is
// nobody's loss but theirs.
func TestLosingSightIsNoDeletion(t *testing.T) {
	t.Parallel()
	p := newPlace(t, never)
	ada, bob, cyd := p.User("ada"), p.User("bob"), p.User("cyd")
	f := p.File(ada, "f.txt", "text", reader(bob), reader(cyd))
	folder := p.Folder(ada, "folder", reader(bob))
	g := p.File(folder, "g.txt", "text", reader(cyd))
	p.MustSync()
	r := p.readers()
	r.mustShow(f, ada, bob, cyd)
	p.Change(f, func() { f.Grants = []gdrivetest.Grant{reader(cyd)} })
	p.Change(folder, func() { folder.Grants = nil })
	p.MustSync()
	r.read()
	r.mustShow(f, ada, cyd)
	r.mustShow(g, ada, cyd)
}

// A deleted file of a person is an id in their log and in those of others who saw it. It is removed
// without a scan.
func TestDeletedFileOfAPersonIsRemoved(t *testing.T) {
	t.Parallel()
	p := newPlace(t, never)
	ada, bob := p.User("ada"), p.User("bob")
	f, g := p.File(ada, "f.txt", "text", reader(bob)), p.File(bob, "g.txt", "text", reader(ada))
	p.MustSync()
	p.mustHold(map[*gdrivetest.File]string{f: "text", g: "text"})
	p.Delete(f)
	p.Pass(time.Minute)
	p.MustSync()
	p.mustHold(map[*gdrivetest.File]string{g: "text"})
}

// A folder of 50,000 files that moves below a barrier is one node that changes, and no document;
// its files are listed once.
func TestRequestsOfALargeFolderThatMoves(t *testing.T) {
	t.Parallel()
	const files = 50_000
	p := newPlace(t, never)
	ada, bob := p.User("ada"), p.User("bob")
	d := p.Drive("Team", reader(ada))
	folder, vault := p.Folder(d, "folder"), p.Folder(d, "vault", reader(bob))
	p.Do(func() { vault.Limited = true })
	for i := range files {
		p.File(folder, fmt.Sprintf("%d.txt", i), "x")
	}
	r := p.readers()
	if r.Told > 20 {
		t.Fatalf("%d nodes at first", r.Told)
	}
	at := r.p.list(t, nil)
	p.Move(folder, vault)
	mark := p.Mark()
	r.read()
	t.Logf("who may read is known after %d requests, with %d nodes told", p.Mark()-mark, r.Told)
	if n := p.Mark() - mark; r.Told > 3 || len(r.Denied) > 1 || n > files/1000+30 {
		t.Errorf("%d nodes were told of, %d denied, after %d requests", r.Told, len(r.Denied), n)
	}
	id := d.ID + "/" + folder.ID
	if !r.Lets(id, r.holds(bob.Email)...) || r.Lets(id, r.holds(ada.Email)...) {
		t.Error("the folder is not behind the barrier")
	}
	mark = p.Mark()
	p.list(t, at)
	t.Logf("what there is to read is known after %d requests", p.Mark()-mark)
	if n := p.Mark() - mark; n > files/1000+30 {
		t.Errorf("%d requests", n)
	}
}

// listings is the context of a run that is read without a pipeline.
func (p *place) listings(t testing.TB) context.Context {
	return index.WithListings(t.Context(), p.Store.Listings(sourcetest.Tenant, p.Connector.Source().ID))
}

// list reads what there is, without texts.
func (p *place) list(t testing.TB, since index.Checkpoint) index.Checkpoint {
	t.Helper()
	for batch, err := range p.Connector.Sync(p.listings(t), since) {
		if err != nil {
			t.Fatal(err)
		}
		since = batch.Next
	}
	return since
}

// Places in lists are forgotten in the middle, and those in logs, too: what they stood in is read
// again, and nothing is lost or taken for gone.
func TestPlacesAreForgotten(t *testing.T) {
	t.Parallel()
	p := newPlace(t, never)
	ada := p.User("ada")
	d := p.Drive("Team", reader(ada))
	want := make(map[*gdrivetest.File]string)
	for i := range 7 {
		want[p.File(d, fmt.Sprintf("%d.txt", i), "text")] = "text"
	}
	p.Switch(func(s *gdrivetest.Switches) { s.Short = 2 })
	p.Faults.Add(gdrivetest.Fault{Path: "pageToken=p2", Answer: gdrivetest.Refuse(http.StatusBadRequest, "invalid")}, 0, 1)
	p.MustSync()
	p.mustHold(want)
	r := p.readers()
	gone := p.File(d, "soon gone.txt", "text")
	p.MustSync()
	p.Delete(gone)
	p.Switch(func(s *gdrivetest.Switches) { s.Forgotten = true })
	p.Do(func() { d.Members = d.Members[:1] })
	p.Pass(2 * time.Hour)
	p.MustSync()
	p.mustHold(want)
	r.read()
	if !r.Complete {
		t.Error("the logs are not known any more, and not everything was read")
	}
	p.Switch(func(s *gdrivetest.Switches) { s.Expired, s.Forgotten = true, false })
	p.Again()
	p.options.SweepEvery = time.Nanosecond
	p.Again()
	p.Pass(time.Hour)
	if _, err := p.Sync(t.Context()); err != nil || len(p.Last.Failures) != 1 || !strings.Contains(p.Last.Failures[0].Sentence, "could not be listed to its end") {
		t.Errorf("a list that can never be gone on with is taken for whole: %v, %v", err, p.Last.Failures)
	}
	p.mustHold(want)
}

// A list that says itself that something may be missing, or that leads back to where it was, is no
// reason to remove anything.
func TestIncompleteListsRemoveNothing(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(*gdrivetest.Switches){
		"it says so": func(s *gdrivetest.Switches) { s.Incomplete = true }, "a circle": func(s *gdrivetest.Switches) { s.Circle = true },
	} {
		lists := map[bool]int{true: 3, false: 1}[name == "it says so"] // of two people, too; theirs are empty
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, func(o *gdrive.Options, _ *gdrive.Config) { o.SweepEvery = time.Nanosecond })
			d := p.Drive("Team", reader(p.User("ada")))
			stays, f := p.File(d, "a.txt", "text"), p.File(d, "b.txt", "text")
			p.MustSync()
			r := p.readers()
			p.Switch(fault)
			p.Do(func() { f.Gone = true }) // no log says so
			p.Pass(time.Minute)
			if counts, err := p.Sync(t.Context()); err != nil || len(p.Last.Failures) != lists || !strings.Contains(p.Last.Failures[0].Sentence, "could not be listed to its end") {
				t.Errorf("sync: %v, %v, %v", err, counts, p.Last.Failures)
			}
			p.mustHold(map[*gdrivetest.File]string{stays: "text", f: "text"})
			if r.read(); r.Complete {
				t.Error("it is taken for all that there is")
			}
			p.Switch(func(s *gdrivetest.Switches) { s.Incomplete, s.Circle = false, false })
			p.Pass(time.Minute)
			p.MustSync()
			p.mustHold(map[*gdrivetest.File]string{stays: "text"})
		})
	}
}

// A drive that the account becomes a member of is one entry in a log, and all of it is read; one
// that it is a member of no more is nobody's from then on.
func TestDrivesComeAndGo(t *testing.T) {
	t.Parallel()
	p := newPlace(t, never)
	ada := p.User("ada")
	stays := p.File(p.Drive("One", reader(ada)), "a.txt", "text")
	p.MustSync()
	r := p.readers()
	two := p.Drive("Two", reader(ada))
	f := p.File(p.Folder(two, "folder"), "b.txt", "text", reader(ada))
	p.MustSync()
	r.read()
	r.mustShow(f, ada)
	p.Do(func() { two.Members = two.Members[1:] })
	r.read()
	r.mustShow(f)
	r.mustShow(stays, ada)
	p.MustSync()
	p.mustHold(map[*gdrivetest.File]string{stays: "text", f: "text"}) // for a week
	r.mustShow(f)
}

// A limit by any of its names is waited for, and a long one ends the run until then; another 403 is
// none.
func TestLimits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		times  int
		later  bool
	}{
		{"userRateLimitExceeded", gdrivetest.Refuse(http.StatusForbidden, "userRateLimitExceeded"), 3, false},
		{"rateLimitExceeded", gdrivetest.Refuse(http.StatusForbidden, "rateLimitExceeded"), 3, false},
		{"429", gdrivetest.Refuse(http.StatusTooManyRequests, "rateLimitExceeded"), 2, false},
		{"500", gdrivetest.Refuse(http.StatusInternalServerError, "internalError"), 2, false},
		{"cut", nil, 2, false},
		{"an hour", gdrivetest.Refuse(http.StatusTooManyRequests, "rateLimitExceeded", "Retry-After", "3600"), 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, func(_ *gdrive.Options, c *gdrive.Config) {
				now := c.Now
				c.Now = func() time.Time { return now().Add(time.Since(start)) } // limits are over once time has gone by
			})
			f := p.File(p.Drive("Team", reader(p.User("ada"))), "a.txt", "text")
			p.Faults.Add(gdrivetest.Fault{Path: "/drive/v3/files?", Answer: tt.answer}, 0, tt.times)
			_, err := p.Sync(t.Context())
			var later *index.Later
			if tt.later != errors.As(err, &later) || !tt.later && err != nil {
				t.Fatalf("it ends with %v", err)
			}
			if tt.later {
				p.Pass(2 * time.Hour)
				p.MustSync()
			}
			p.mustHold(map[*gdrivetest.File]string{f: "text"})
		})
	}
}

var start = time.Now()

// A run that is stopped goes on where it was.
func TestAStoppedRunGoesOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	d := p.Drive("Team", reader(p.User("ada")))
	for i := range 60 {
		p.File(d, fmt.Sprintf("%d.txt", i), "text")
	}
	p.Switch(func(s *gdrivetest.Switches) { s.Short = 10 })
	ctx, stop := context.WithCancelCause(t.Context())
	n := 0
	run, err := p.Pipeline.Run(ctx, sourcetest.Tenant, p.Connector, func(index.Progress) {
		if n++; n == 3 {
			stop(index.ErrPaused)
		}
	})
	if !errors.Is(err, index.ErrPaused) {
		t.Fatalf("%v %+v", err, run.Counts)
	}
	before := len(p.Documents())
	mark := p.Mark()
	p.Again()
	p.MustSync()
	if got := len(p.Documents()); got != 60 || before == 0 || before >= 60 {
		t.Errorf("%d documents, %d before", got, before)
	}
	if n := p.Counts(mark, "alt=media"); n > 60-before {
		t.Errorf("%d were read, and %d were missing", n, 60-before)
	}
}

// Two entries of a file are one: the newest. The queries name no more than they have to.
func TestRequestsAsk(t *testing.T) {
	t.Parallel()
	p := newPlace(t, never)
	ada := p.User("ada")
	d := p.Drive("Team", reader(ada))
	f := p.File(d, "a.txt", "text")
	p.MustSync()
	for i := range 5 {
		p.Edit(f, fmt.Sprint("text ", i))
	}
	mark := p.Mark()
	run := p.MustSync()
	if run.Counts.Indexed != 1 || p.Counts(mark, "alt=media") != 1 {
		t.Errorf("%+v", run.Counts)
	}
	if all := p.Log.All(); slices.ContainsFunc(all, func(e string) bool { return strings.Contains(e, "allDrives") && strings.Contains(e, "corpora=all") }) {
		t.Error("all drives were asked for at once")
	}
}
