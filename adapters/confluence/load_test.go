package confluence_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/confluence"
	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// What a search does not show, or fails to, is read by itself; a page without a storage format in
// the other form.
func TestTextsAreReadOneByOneWhereTheyMustBe(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		eng := s.Space("ENG", s.Site[0])
		want := make(map[*confluencetest.Content]string)
		var pages []*confluencetest.Content
		for i := range 30 {
			p := s.Page(eng, nil, fmt.Sprintf("page %d", i), fmt.Sprintf("<p>text %d</p>", i))
			pages, want[p] = append(pages, p), fmt.Sprintf("text %d", i)
		}
		s.Switch(func(w *confluencetest.Switches) {
			w.Unindexed = map[string]bool{pages[3].ID: true}
			if cloud { // on Data Center it cannot be read by itself either
				w.Poisoned = map[string]bool{pages[7].ID: true}
			}
		})
		if cloud {
			s.Do(func() {
				pages[9].Document = `{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"in the other form"}]}]}`
			})
			want[pages[9]] = "in the other form"
		}
		s.MustSync()
		s.mustHold(want)
	})
}

// A pass that is paused again and again, or killed, goes on where it was, and stores nothing twice.
func TestAPassGoesOnWhereItWas(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		want := make(map[*confluencetest.Content]string)
		for _, key := range []string{"ENG", "OPS", "HR"} {
			in := s.Space(key, s.Site[0])
			for i := range 60 {
				want[s.Page(in, nil, fmt.Sprintf("%s %d", key, i), fmt.Sprintf("<p>text %d</p>", i))] = fmt.Sprintf("text %d", i)
			}
		}
		s.Switch(func(w *confluencetest.Switches) { w.Short = 25 })
		s.Pass(time.Hour)
		stops := s.Stopped(3)
		s.mustHold(want)
		if puts := s.Store.Puts(); stops < 2 || puts > 180+stops*60 {
			t.Errorf("it was stopped %d times and stored %d documents", stops, puts)
		}
	})
}

// fill makes pages in a space, and returns what the index is to hold of them.
func (s *site) fill(in *confluencetest.Space, n int) map[*confluencetest.Content]string {
	want := make(map[*confluencetest.Content]string)
	for i := range n {
		want[s.Page(in, nil, fmt.Sprintf("page %d", i), fmt.Sprintf("<p>text %d</p>", i))] = fmt.Sprintf("text %d", i)
	}
	return want
}

// mustSyncWithNotices reads once, and returns what the operator is shown.
func (s *site) mustSyncWithNotices() string {
	s.T.Helper()
	run, err := s.Sync(s.T.Context())
	if err != nil {
		s.T.Fatal(err)
	}
	return fmt.Sprint(run.Failures)
}

// A list whose place Confluence does not know any more is read from its beginning, and where that
// happens again and again nothing counts as missing.
func TestExpiredCursorRestartsTheScan(t *testing.T) {
	t.Parallel()
	s := newSite(t, true, nil)
	want := s.fill(s.Space("ENG", s.Site[0]), 30)
	s.Switch(func(w *confluencetest.Switches) { w.Short = 10 })
	s.Faults.Add(confluencetest.Fault{Path: "pages?cursor", Answer: confluencetest.Refuse(http.StatusBadRequest)}, 1, 1)
	s.MustSync()
	s.mustHold(want)
	s.Switch(func(w *confluencetest.Switches) { w.Expired = true })
	s.Pass(25 * time.Hour)
	if notices := s.mustSyncWithNotices(); !strings.Contains(notices, "could not be listed to its end") {
		t.Errorf("it says %s", notices)
	}
	s.mustHold(want)
}

// Blog posts that are not shown for a while stay, and pages are read meanwhile.
func TestSortThatIsNotShownStays(t *testing.T) {
	t.Parallel()
	s := newSite(t, true, nil)
	eng := s.Space("ENG", s.Site[0])
	want := s.fill(eng, 3)
	post := s.Add(&confluencetest.Content{Type: "blogpost", Space: eng, Title: "News", Body: "<p>Nothing.</p>"})
	want[post] = "Nothing."
	s.MustSync()
	s.Faults.Add(confluencetest.Fault{Path: "/blogposts", Answer: confluencetest.Refuse(http.StatusNotFound)}, 0, 2) // in the trash, too
	for page, text := range s.fill(eng, 1) {
		want[page] = text
	}
	s.Pass(time.Hour)
	if notices := s.mustSyncWithNotices(); !strings.Contains(notices, "its blogposts: ") {
		t.Errorf("it says %s", notices)
	}
	s.mustHold(want)
}

// A page that failed is read by the next run, long before the next scan.
func TestPageThatFailsIsReadAgainByTheNextRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, false, nil)
	want := s.fill(s.Space("ENG", s.Site[0]), 5)
	s.Pass(2 * time.Hour) // what was changed last is read by each run
	var poisoned *confluencetest.Content
	for page := range want {
		poisoned = page
	}
	s.Switch(func(w *confluencetest.Switches) { w.Poisoned = map[string]bool{poisoned.ID: true} })
	s.mustSyncWithNotices()
	s.Switch(func(w *confluencetest.Switches) { w.Poisoned = nil })
	s.Pass(time.Minute)
	s.MustSync()
	s.mustHold(want)
}

// A page that returns from the trash while a run reads stays, and one that a run finds there goes
// at once.
func TestTrash(t *testing.T) {
	t.Parallel()
	s := newSite(t, true, nil)
	want := s.fill(s.Space("ENG", s.Site[0]), 5)
	s.MustSync()
	var back, gone *confluencetest.Content
	for page := range want {
		back, gone = gone, page
	}
	s.Trash(back, "trashed")
	s.Trash(gone, "trashed")
	delete(want, gone)
	s.Intercept(func(w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) {
		fake(w, r)
		if r.URL.Query().Get("status") == "trashed" && back.Status == "trashed" {
			s.Edit(back, func() { back.Status = "current" })
		}
	})
	s.MustSync()
	s.mustHold(want)
}

// The checkpoint of a version that kept its own stays as it is, whichever version reads next, and
// costs one list of everything, without texts.
func TestVersionsTakeTurns(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		eng := s.Space("ENG", s.Site[0])
		want := s.fill(eng, 30)
		s.Pass(time.Hour)
		s.MustSync()
		earlier := index.Checkpoint(`{"settings":"confluence 1 false false","spaces":{"` + eng.ID + `":{"k":"ENG","m":1763629200,"w":1763629200,"c":30}}}`)
		source := confluence.SourceOf("wiki").ID
		for turn := range 3 {
			run := s.Store.Saved(sourcetest.Tenant, source)
			run.Checkpoint = earlier
			if err := s.Store.Save(t.Context(), sourcetest.Tenant, run); err != nil {
				t.Fatal(err)
			}
			s.Again()
			mark, puts := s.Mark(), s.Store.Puts()
			s.MustSync()
			if asked := s.Mark() - mark; asked > 4 || s.Store.Puts() != puts {
				t.Errorf("turn %d: %d requests, and %d documents stored again", turn, asked, s.Store.Puts()-puts)
			}
			if got := s.Store.Saved(sourcetest.Tenant, source).Checkpoint; string(got) != string(earlier) {
				t.Errorf("turn %d: the checkpoint is %s", turn, got)
			}
		}
		s.mustHold(want)
	})
}

// The search for changes ends at what an earlier run has read, less the overlap.
func TestMarkOfChangesAdvances(t *testing.T) {
	t.Parallel()
	s := newSite(t, false, func(o *confluence.Options, _ *confluence.Config) { o.SweepEvery = 24 * time.Hour })
	want := s.fill(s.Space("ENG", s.Site[0]), 5)
	s.MustSync()
	for page := range want {
		s.Pass(time.Hour)
		s.Edit(page, func() { page.Body = "<p>other words</p>" })
		want[page] = "other words"
	}
	s.MustSync()
	s.mustHold(want)
	s.Switch(func(w *confluencetest.Switches) { w.Short = 1 })
	mark := s.Mark()
	s.MustSync()
	if asked := s.Mark() - mark; asked != 4 { // the spaces, and the newest change with its restriction; the one before ends it
		t.Errorf("%d requests", asked)
	}
}

// A search that names no spaces, because there are too many, ends at the same date in those that
// are not read.
func TestSearchAcrossSpacesEndsByDate(t *testing.T) {
	t.Parallel()
	s := newSite(t, false, func(o *confluence.Options, _ *confluence.Config) {
		for n := range 60 {
			o.Spaces = append(o.Spaces, fmt.Sprintf("S%d", n))
		}
	})
	for _, key := range append(s.options.Spaces, "ELSE") {
		s.Space(key, s.Site[0])
	}
	s.fill(s.Spaces[len(s.Spaces)-1], 250)
	s.Pass(2 * time.Hour)
	s.MustSync()
	mark := s.Mark()
	s.MustSync()
	if asked := s.Mark() - mark; asked != 3 { // two parts of the spaces, and a search
		t.Errorf("%d requests", asked)
	}
}

// A refused search says nothing about what exists: neither the refusal of one content, nor that of
// every search by id.
func TestRefusedSearchRemovesNothing(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		for _, status := range []int{http.StatusBadRequest, http.StatusForbidden, http.StatusConflict} {
			for _, whole := range []bool{false, true} {
				s := newSite(t, cloud, func(o *confluence.Options, _ *confluence.Config) {
					o.Comments, o.Attachments, o.Read = true, true, readFile
				})
				eng := s.Space("ENG", s.Site[0])
				page := s.Page(eng, nil, "page", "<p>page</p>")
				said := s.Add(&confluencetest.Content{Type: "comment", Space: eng, Parent: page, Body: "<p>said</p>"})
				file := s.Add(&confluencetest.Content{Type: "attachment", Space: eng, Parent: page, Title: "notes.txt", Data: []byte("notes")})
				want := map[*confluencetest.Content]string{page: "page", said: "said", file: "notes"}
				for i := range 20 {
					c := s.Page(eng, nil, fmt.Sprint(i), "<p>x</p>")
					want[c] = "x"
				}
				s.MustSync()
				s.mustHold(want)
				var asked atomic.Int64
				if whole {
					s.Intercept(func(w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) {
						if strings.HasPrefix(r.URL.Query().Get("cql"), "id in") {
							asked.Add(1)
							fake = confluencetest.Refuse(status)
						}
						fake(w, r)
					})
				} else {
					s.Switch(func(w *confluencetest.Switches) { w.Odd = map[string]int{said.ID: status, file.ID: status} })
				}
				for c := range want {
					s.Edit(c, func() {})
				}
				for range 2 { // the second run requests what failed by id
					s.Pass(time.Minute)
					s.mustSyncWithNotices()
					s.mustHold(want)
				}
				if n := asked.Load(); n > 60 { // 170 if each content is searched for alone
					t.Errorf("%d: %d searches are sent, and all are refused", status, n)
				}
				s.Pass(time.Minute)
				if notices := s.mustSyncWithNotices(); !strings.Contains(notices, "Whether it still exists could not be read") {
					t.Errorf("%d, whole %v: the notices are %s", status, whole, notices)
				}
				s.Intercept(nil)
				s.Switch(func(w *confluencetest.Switches) { w.Odd = nil })
				s.Edit(said, func() { said.Body = "<p>said again</p>" })
				want[said] = "said again"
				s.Pass(time.Minute)
				s.MustSync()
				s.mustHold(want)
			}
		}
	})
}
