package gdrive_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/adapters/gdrive/gdrivetest"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// The checkpoint of a version that kept its own stays as it is, whichever version reads next. What
// changes meanwhile is read, and nothing else.
func TestVersionsTakeTurns(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	ada := p.User("ada")
	d := p.Drive("Team", reader(ada))
	want := make(map[*gdrivetest.File]string)
	for n := range 30 {
		want[p.File(d, fmt.Sprintf("%d.txt", n), "text")] = "text"
	}
	p.MustSync()
	earlier := index.Checkpoint(fmt.Sprintf(
		`{"settings":"gdrive 1 [] true []","logs":{%q:"%s~1"},"swept":1763629200,"came":{"f1":"u1"},"gone":{"f2":true},"failed":{"f3":{"i":%q,"n":2}}}`, d.ID, d.ID, d.ID))
	for turn := range 3 {
		run := p.Store.Saved(sourcetest.Tenant, p.Connector.Source().ID)
		run.Checkpoint = earlier
		if err := p.Store.Save(t.Context(), sourcetest.Tenant, run); err != nil {
			t.Fatal(err)
		}
		want[p.File(d, fmt.Sprint("new ", turn, ".txt"), "new")] = "new"
		p.Again()
		p.Pass(time.Minute)
		mark, puts := p.Mark(), p.Store.Puts()
		p.MustSync()
		// people, drives, three logs, and a text
		if asked := p.Mark() - mark; asked > 6 || p.Store.Puts() != puts+1 {
			t.Errorf("turn %d: %d requests, and %d documents stored", turn, asked, p.Store.Puts()-puts)
		}
		if got := p.Store.Saved(sourcetest.Tenant, p.Connector.Source().ID).Checkpoint; string(got) != string(earlier) {
			t.Errorf("turn %d: the checkpoint is %s", turn, got)
		}
	}
	p.mustHold(want)
}

// What the settings do not name any more is removed at once. What is only not shown any more stays
// for a week.
func TestSettingsThatLeaveADriveOut(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	ada, bob := p.User("ada"), p.User("bob")
	one, two := p.Drive("One", reader(ada)), p.Drive("Two", reader(ada))
	in := map[*gdrivetest.File]string{p.File(one, "a.txt", "one"): "one", p.File(two, "b.txt", "two"): "two", p.File(ada, "c.txt", "ada's"): "ada's"}
	his := p.File(bob, "d.txt", "bob's")
	in[his] = "bob's"
	p.MustSync()
	p.mustHold(in)
	settings := func(change func(*gdrive.Options)) {
		change(&p.options)
		p.Again()
		p.Pass(time.Minute)
		p.MustSync()
		p.mustHold(in)
	}
	delete(in, his)
	settings(func(o *gdrive.Options) { o.Users = []string{ada.Email} })
	for f := range in {
		if f.Drive != one {
			delete(in, f)
		}
	}
	settings(func(o *gdrive.Options) { o.MyDrives, o.Users, o.Drives = false, nil, []string{one.ID} })
	p.Do(func() { one.Members = one.Members[1:] })
	settings(func(*gdrive.Options) {})
}

// A person who may not be acted for is tried by each run, and is read once that is possible.
func TestRefusedPersonIsTriedByEachRun(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(o *gdrive.Options, c *gdrive.Config) { never(o, c); c.Pause = time.Nanosecond })
	ada, bob := p.User("ada"), p.User("bob")
	f, g := p.File(ada, "a.txt", "ada's"), p.File(bob, "b.txt", "bob's")
	p.MustSync()
	p.mustHold(map[*gdrivetest.File]string{f: "ada's", g: "bob's"})
	p.Faults.Add(gdrivetest.Fault{Path: "(" + bob.Email + ")", Answer: gdrivetest.Refuse(http.StatusForbidden, "domainPolicy")}, 0, 100)
	for range 3 {
		p.Again()
		p.Pass(time.Minute)
		if _, err := p.Sync(t.Context()); err != nil || len(p.Last.Skipped) != 1 || len(p.Last.Failures) != 0 {
			t.Fatalf("%v, %v, %v", err, p.Last.Skipped, p.Last.Failures)
		}
	}
	p.Faults.Mend()
	h := p.File(bob, "c.txt", "new")
	p.MustSync()
	p.mustHold(map[*gdrivetest.File]string{f: "ada's", g: "bob's", h: "new"})
}
