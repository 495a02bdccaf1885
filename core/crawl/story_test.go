package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { sourcetest.Main(m) }

// recent adds a feed of changes across scopes to those of hourly.
func recent(v *vendor, s crawl.Scope) []crawl.Feed {
	all := hourly(v, s)
	if s.ID == v.scopes[0].ID {
		all = append(all, crawl.Feed{ID: "changes", Mode: crawl.Recent})
	}
	return all
}

// changesOf is a page of changes across scopes, the newest first.
func (v *vendor) changesOf(at crawl.Place) (p crawl.Page) {
	if at.Cursor == "" {
		p.Mark = strconv.Itoa(len(v.log))
	}
	if at.Mark == "" {
		return p
	}
	from, _ := strconv.Atoi(at.Mark)
	to := len(v.log)
	if at.Cursor != "" {
		to, _ = strconv.Atoi(at.Cursor)
	}
	low := max(from, to-v.size)
	for _, one := range v.log[low:max(to, low)] {
		if n := v.notes[one]; n != nil && slices.ContainsFunc(v.scopes, func(s crawl.Scope) bool { return s.ID == n.scope }) {
			for _, it := range v.items(one) {
				it.List = "notes/" + n.scope
				p.Items = append(p.Items, it)
			}
		}
	}
	if low > from {
		p.Next = strconv.Itoa(low)
	}
	return p
}

// Whatever happens to a source, and whatever ends runs, the index holds what the source does once
// nothing happens any more, by the feeds of a usual run alone.
func TestIndexHoldsTheSourceAfterAnyStory(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		feeds := rapid.SampledFrom([]struct {
			feeds func(*vendor, crawl.Scope) []crawl.Feed
			later time.Duration // after which a run notices everything
		}{{daily, 24 * time.Hour}, {recent, time.Hour}, {logged, time.Hour}}).Draw(rt, "feeds")
		v := newVendor(feeds.feeds, "a", "b", "c")
		v.size, v.batch = rapid.IntRange(1, 4).Draw(rt, "page"), rapid.IntRange(1, 3).Draw(rt, "batch")
		s := &story{vendor: v, reader: read(t, v), faults: make(map[string]bool)}
		v.page = s.page
		for range rapid.IntRange(2, 12).Draw(rt, "notes at first") {
			s.edit(rt)
		}
		for range rapid.IntRange(3, 12).Draw(rt, "steps") {
			rapid.SampledFrom([]func(*rapid.T){s.edit, s.edit, s.run, s.killed, s.killed, s.faulty, s.busy, s.two, s.wait}).Draw(rt, "step")(rt)
		}
		for range 2 { // the first may go on with what a run before has left
			v.now = v.now.Add(feeds.later)
			if err := s.read(t.Context()); err != nil {
				rt.Fatalf("a source at rest: %v", err)
			}
		}
		s.compare(rt)
		v.now = v.now.Add(25 * time.Hour)
		if err := s.read(t.Context()); err != nil {
			rt.Fatalf("a source at rest: %v", err)
		}
		s.compare(rt)
	})
}

type story struct {
	*vendor
	*reader
	faults map[string]bool // in which page, by what is asked
	failed int             // runs
	during func()          // is called by each page
}

func (s *story) page(v *vendor, f crawl.Feed, at crawl.Place) (p crawl.Page, err error) {
	if s.during != nil {
		s.during()
	}
	switch call := f.ID + at.Cursor; {
	case s.faults[call+" cursor"]:
		return p, crawl.ErrCursor
	case s.faults[call+" rescan"] && f.Mode == crawl.Log && at.Mark != "":
		return p, crawl.ErrRescan
	case s.faults[call+" broken"]:
		return p, errBroken
	case s.faults[call+" partial"]:
		return crawl.Page{Partial: errBroken}, nil
	case f.ID == "changes":
		if p = v.changesOf(at); p.Items == nil && p.Mark == "" {
			p.Items = []crawl.Item{}
		}
	}
	return p, nil
}

func (s *story) read(ctx context.Context) error {
	s.Again()
	_, err := s.Pipeline.Run(ctx, sourcetest.Tenant, s.Connector, nil)
	return err
}

func (s *story) edit(rt *rapid.T) { s.draw(rt)() }

// draw draws an edit.
func (s *story) draw(rt *rapid.T) func() {
	what, name := rapid.IntRange(0, 6).Draw(rt, "edit"), fmt.Sprintf("n%02d", rapid.IntRange(0, 11).Draw(rt, "note"))
	scope := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "scope")
	parts := rapid.SampledFrom([][]string{{"x"}, {"x", "y"}, {"y"}}).Draw(rt, "parts")
	return func() {
		switch n := s.notes[name]; {
		case n == nil:
			s.put(scope, name, fmt.Sprintf("text %d", len(s.log)))
		case what == 0:
			s.vendor.remove(name)
		case what == 1: // it moves
			s.put(scope, name, n.text)
		case what == 2:
			n.parts = parts
			s.put(n.scope, name, n.text)
		default:
			s.put(n.scope, name, fmt.Sprintf("text %d", len(s.log)))
		}
	}
}

func (s *story) wait(rt *rapid.T) {
	s.now = s.now.Add(rapid.SampledFrom([]time.Duration{time.Minute, time.Hour, 25 * time.Hour}).Draw(rt, "later"))
}

func (s *story) run(rt *rapid.T) {
	if err := s.read(s.T.Context()); err != nil {
		rt.Fatalf("a source without faults: %v", err)
	}
}

// killed ends a run after some steps.
func (s *story) killed(rt *rapid.T) {
	ctx, kill := context.WithCancelCause(s.T.Context())
	defer kill(nil)
	left, cause := rapid.IntRange(1, 8).Draw(rt, "steps until it is killed"), rapid.SampledFrom([]error{index.ErrPaused, errors.New("killed")}).Draw(rt, "why")
	s.Again()
	_, err := s.Pipeline.Run(ctx, sourcetest.Tenant, s.Connector, func(index.Progress) {
		if left--; left == 0 {
			kill(cause)
		}
	})
	if err != nil && ctx.Err() == nil {
		rt.Fatalf("a source without faults: %v", err)
	}
}

// faulty is a run with pages and loads that fail.
func (s *story) faulty(rt *rapid.T) {
	if s.failed++; s.failed > 4 { // then the engine asks no more, until it scans
		return
	}
	for _, f := range []string{"notes/a", "notes/b", "ids/a", "log/a", "log/b", "changes"} {
		for _, cursor := range []string{"", "n02", "n05"} {
			if rapid.IntRange(0, 5).Draw(rt, "fault") == 0 {
				s.faults[f+cursor+rapid.SampledFrom([]string{" cursor", " rescan", " broken", " partial"}).Draw(rt, "which")] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.notes)) {
		if rapid.IntRange(0, 3).Draw(rt, "load fails") == 0 {
			s.fails[name] = errBroken
		}
	}
	_ = s.read(s.T.Context())
	clear(s.faults)
	clear(s.fails)
}

// busy is a run during which the source changes.
func (s *story) busy(rt *rapid.T) {
	after := rapid.IntRange(0, 5).Draw(rt, "pages before an edit")
	edit := s.draw(rt)
	s.during = func() {
		if after--; after == -1 {
			edit()
		}
	}
	err := s.read(s.T.Context())
	s.during = nil
	if err != nil {
		rt.Fatalf("a source that changes: %v", err)
	}
}

// two are two processes that read at once.
func (s *story) two(rt *rapid.T) {
	errs := make(chan error, 2)
	for range cap(errs) {
		go func() {
			e := crawl.New(s.vendor, crawl.Options{Now: func() time.Time { return s.now }})
			_, err := s.Pipeline.Run(s.T.Context(), sourcetest.Tenant, e, nil)
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			rt.Fatalf("two at once: %v", err)
		}
	}
}

// compare checks that the index holds what the source does, with its readers.
func (s *story) compare(rt *rapid.T) {
	is := s.Documents()
	want := make(map[string]*note)
	for id, n := range s.notes {
		want[id] = n
		for _, part := range n.parts {
			want[id+":"+part] = n
		}
	}
	if got, all := slices.Sorted(maps.Keys(is)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, all) {
		rt.Fatalf("the index holds %v, want %v", got, all)
	}
	for id, n := range want {
		d := is[id]
		if d.Text() != n.text && n.parts == nil || !slices.Equal(d.ACL, access.ACL{access.Node("notes", n.scope)}) {
			rt.Fatalf("%s is %q for %v, want %q for %s", id, d.Text(), d.ACL, n.text, n.scope)
		}
	}
}
