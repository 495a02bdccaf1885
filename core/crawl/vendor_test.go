package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// note is a document of the vendor.
type note struct {
	scope, text string
	version     int
	parts       []string
	made        time.Time
}

// vendor keeps notes in notebooks. Tests change it, and count what it is asked.
type vendor struct {
	mu     sync.Mutex
	rules  string
	scopes []crawl.Scope
	notes  map[string]*note
	log    []string // ids, in the order of changes
	now    time.Time
	size   int // of a page
	batch  int

	feeds func(v *vendor, s crawl.Scope) []crawl.Feed
	page  func(v *vendor, f crawl.Feed, at crawl.Place) (crawl.Page, error) // nil error and zero Page: as usual
	fails map[string]error                                                  // loads
	names map[string][]string                                               // what texts name, by the note
	load  func()                                                            // is called by each Load; may be nil
	hints map[string][]crawl.Feed
	asked []string // pages
	loads [][]string
}

func newVendor(feeds func(*vendor, crawl.Scope) []crawl.Feed, scopes ...string) *vendor {
	v := &vendor{rules: "1", notes: make(map[string]*note), now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), size: 2, batch: 1, feeds: feeds, fails: make(map[string]error)}
	for _, id := range scopes {
		v.scopes = append(v.scopes, crawl.Scope{ID: id, Name: "Notebook " + id})
	}
	return v
}

func (v *vendor) put(scope, id, text string) {
	n := v.notes[id]
	if n == nil {
		n = &note{made: v.now}
		v.notes[id] = n
	}
	n.scope, n.text = scope, text
	n.version = len(v.log) + 1 // of no other version of the note, even if it was removed
	v.log = append(v.log, id)
}

func (v *vendor) remove(id string) {
	delete(v.notes, id)
	v.log = append(v.log, id)
}

func (v *vendor) Source() document.Source {
	return document.Source{ID: "notes", Kind: "notes", Name: "Notes"}
}
func (v *vendor) Rules() string                                 { return v.rules }
func (v *vendor) Scopes(context.Context) ([]crawl.Scope, error) { return slices.Clone(v.scopes), nil }

func (v *vendor) Feeds(scopes []crawl.Scope) []crawl.Feed {
	var all []crawl.Feed
	for _, s := range scopes {
		all = append(all, v.feeds(v, s)...)
	}
	return all
}

// daily is a daily scan alone.
func daily(v *vendor, s crawl.Scope) []crawl.Feed {
	return []crawl.Feed{{ID: "notes/" + s.ID, Scope: s.ID, Mode: crawl.Scan, Every: 24 * time.Hour, Batch: v.batch}}
}

// hourly adds an hourly scan of ids.
func hourly(v *vendor, s crawl.Scope) []crawl.Feed {
	return append(daily(v, s), crawl.Feed{ID: "ids/" + s.ID, Scope: s.ID, List: "notes/" + s.ID, Mode: crawl.Scan, Every: time.Hour})
}

// logged adds a log, whose mark is fetched before the scan.
func logged(v *vendor, s crawl.Scope) []crawl.Feed {
	all := daily(v, s)
	all[0].After = "log/" + s.ID
	return append(all, crawl.Feed{ID: "log/" + s.ID, Scope: s.ID, List: "notes/" + s.ID, Mode: crawl.Log})
}

func id(id string) document.ID { return document.ID("notes:" + id) }

func (v *vendor) item(id string) crawl.Item {
	n := v.notes[id]
	return crawl.Item{
		ID: document.ID("notes:" + id), Whole: true, Made: n.made, ACL: access.ACL{access.Node("notes", n.scope)},
		ModifiedAt: time.Date(2026, 1, 1, 0, 0, n.version, 0, time.UTC), Data: id,
	}
}

// items are a note and its parts.
func (v *vendor) items(id string) []crawl.Item {
	it := v.item(id)
	all := []crawl.Item{it}
	for _, part := range v.notes[id].parts {
		all = append(all, crawl.Item{ID: it.ID + ":" + document.ID(part), Of: it.ID, ModifiedAt: it.ModifiedAt, ACL: it.ACL, Data: id})
	}
	return all
}

func (v *vendor) in(scope string) []string {
	var ids []string
	for id, n := range v.notes {
		if n.scope == scope {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Page implements crawl.Vendor. A cursor is the last id before the page.
func (v *vendor) Page(_ context.Context, f crawl.Feed, at crawl.Place) (p crawl.Page, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	call := f.ID + " " + at.Cursor
	if len(f.Only) > 0 {
		call = f.ID + " only " + fmt.Sprint(f.Only)
	}
	v.asked = append(v.asked, call)
	if v.page != nil {
		if p, err := v.page(v, f, at); err != nil || p.Items != nil || p.Mark != "" || p.Partial != nil || p.More != nil || p.Left != nil || p.Gone != nil || p.Hidden {
			return p, err
		}
	}
	if len(f.Only) > 0 {
		for _, of := range f.Only {
			if n := v.notes[string(of[len("notes:"):])]; n != nil && n.scope == f.Scope {
				p.Items = append(p.Items, v.items(string(of[len("notes:"):]))...)
			}
		}
		return p, nil
	}
	if f.Mode == crawl.Log {
		return v.changes(f, at)
	}
	ids := slices.DeleteFunc(v.in(f.Scope), func(id string) bool { return id <= at.Cursor })
	to := min(v.size, len(ids))
	for _, one := range ids[:to] {
		if f.ID == "ids/"+f.Scope {
			p.Items = append(p.Items, crawl.Item{ID: id(one), Bare: true})
		} else {
			p.Items = append(p.Items, v.items(one)...)
		}
	}
	if to < len(ids) {
		p.Next = ids[to-1]
	}
	return p, nil
}

func (v *vendor) changes(f crawl.Feed, at crawl.Place) (p crawl.Page, err error) {
	p.Mark = strconv.Itoa(len(v.log))
	if at.Mark == "" {
		return p, nil
	}
	from, _ := strconv.Atoi(at.Mark)
	for _, one := range v.log[from:] {
		switch n := v.notes[one]; {
		case n == nil:
			p.Gone = append(p.Gone, id(one))
		case n.scope == f.Scope:
			p.Items = append(p.Items, v.items(one)...)
		default:
			p.Left = append(p.Left, id(one))
		}
	}
	return p, nil
}

// Load implements crawl.Vendor.
func (v *vendor) Load(ctx context.Context, batch []crawl.Item) (map[document.ID]crawl.Read, error) {
	if v.load != nil {
		v.load()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	got := make(map[document.ID]crawl.Read)
	var ids []string
	for _, it := range batch {
		name := it.Data.(string)
		ids = append(ids, string(it.ID))
		n := v.notes[name]
		if n == nil {
			continue
		}
		text, err, scope := n.text, v.fails[name], n.scope
		var named []document.ID
		for _, of := range v.names[name] {
			named = append(named, id(of))
		}
		got[it.ID] = func(ctx context.Context) (document.Document, error) {
			if err := it.Found(ctx, crawl.Finding{IDs: named}); err != nil {
				return document.Document{}, err
			}
			return document.Document{
				Ref: document.Ref{Title: name}, ACL: access.ACL{access.Node("notes", scope)},
				Sections: []document.Section{{Blocks: []document.Block{{Kind: document.Paragraph, Text: text}}}},
			}, err
		}
	}
	v.loads = append(v.loads, ids)
	return got, nil
}

// Hint implements crawl.Hinter.
func (v *vendor) Hint(subject string) []crawl.Feed { return v.hints[subject] }

// reader reads a vendor into an index in memory.
type reader struct {
	*sourcetest.Reading[*crawl.Engine]
	*vendor
}

func read(t *testing.T, v *vendor) *reader {
	t.Helper()
	r := &reader{vendor: v}
	r.Reading = sourcetest.Read(t, func() (*crawl.Engine, error) {
		return crawl.New(v, crawl.Options{Now: func() time.Time { return v.now }}), nil
	})
	return r
}

// pass reads after some time, and returns what was asked.
func (r *reader) pass(later time.Duration) []string {
	r.T.Helper()
	r.now = r.now.Add(later)
	r.asked, r.loads = nil, nil
	if _, err := r.Sync(r.T.Context()); err != nil {
		r.T.Fatal(err)
	}
	return r.asked
}

// holds checks that the index holds what the vendor does, but for some that are missing.
func (r *reader) holds(but ...string) {
	r.T.Helper()
	want := make(map[string]string)
	for id, n := range r.notes {
		if !slices.Contains(but, id) {
			want[id] = n.text
			for _, part := range n.parts {
				want[id+":"+part] = n.text
			}
		}
	}
	r.MustHold(want)
}

// hidden returns how many documents no one may read.
func (r *reader) hidden() int {
	n := 0
	for _, d := range r.Documents() {
		if len(d.ACL) == 0 {
			n++
		}
	}
	return n
}

func fill(v *vendor, scope string, n int) {
	for i := range n {
		v.put(scope, fmt.Sprintf("%s%02d", scope, i), fmt.Sprintf("text %d", i))
	}
}

var errBroken = errors.New("broken")

var _ index.Hints = (*heard)(nil)

// heard are hints in memory.
type heard []index.Hint

func (h *heard) Hear(_ context.Context, _ document.SourceID, subjects []string) error {
	for _, s := range subjects {
		*h = append(*h, index.Hint{Subject: s})
	}
	return nil
}

func (h *heard) Heard(context.Context, document.SourceID, int) ([]index.Hint, error) {
	return slices.Clone(*h), nil
}

func (h *heard) Followed(context.Context, document.SourceID, []index.Hint) error {
	*h = nil
	return nil
}
