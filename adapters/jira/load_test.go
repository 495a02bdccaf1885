package jira_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/adapters/jira"
	"github.com/footnotehq/footnote/adapters/jira/jiratest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// One text that fails is stepped past, and those beside it are read all the same; what a search
// does not show is read by itself.
func TestTextsAreReadOneByOneWhereTheyMustBe(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		eng := s.Project("ENG", users)
		want := make(map[*jiratest.Issue]string)
		var issues []*jiratest.Issue
		for n := range 60 {
			i := s.Issue(eng, "issue", fmt.Sprintf("text %d", n))
			issues, want[i] = append(issues, i), fmt.Sprintf("text %d", n)
		}
		s.Switch(func(w *jiratest.Switches) { w.Poisoned = map[string]bool{issues[33].ID: true} })
		delete(want, issues[33])
		run, err := s.Sync(t.Context())
		if err != nil || run.Counts.Failed != 1 {
			t.Fatalf("sync: %v, %+v", err, run.Counts)
		}
		s.mustHold(want)
		s.Switch(func(w *jiratest.Switches) { w.Poisoned = nil })
		want[issues[33]] = "text 33"
		s.Edit(issues[33], func() {})
		s.MustSync()
		s.mustHold(want)
	})
}

// A pass that is paused again and again, or killed, goes on where it was, and stores nothing twice.
func TestAPassGoesOnWhereItWas(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		want := make(map[*jiratest.Issue]string)
		for _, key := range []string{"ENG", "OPS", "HR"} {
			in := s.Project(key, users)
			for n := range 60 {
				want[s.Issue(in, key, fmt.Sprintf("text %s %d", key, n))] = fmt.Sprintf("text %s %d", key, n)
			}
		}
		s.Switch(func(w *jiratest.Switches) { w.Short = 25 })
		s.Pass(time.Hour)
		want[s.Issue(s.Projects[2], "last", "the newest")] = "the newest" // what was changed last is asked for by every run
		stops := s.Stopped(3)
		s.mustHold(want)
		if puts := s.Store.Puts(); stops < 2 || puts > 180+stops*60 {
			t.Errorf("it was stopped %d times and stored %d documents", stops, puts)
		}
	})
}

// A list that ends before the number that it names is no reason to remove anything.
func TestShortListRemovesNothing(t *testing.T) {
	s := newSite(t, false, nil) // Cloud names no number
	eng := s.Project("ENG", users)
	want := make(map[*jiratest.Issue]string)
	for n := range 10 {
		want[s.Issue(eng, "issue", fmt.Sprintf("text %d", n))] = fmt.Sprintf("text %d", n)
	}
	s.MustSync()
	s.Switch(func(w *jiratest.Switches) { w.Cut = 4 })
	for _, later := range []time.Duration{time.Hour, 25 * time.Hour} { // the ids, and everything
		s.Pass(later)
		run, err := s.Sync(t.Context())
		if err != nil || run.Counts.Removed > 0 || len(s.Last.Failures) != 1 || !strings.Contains(s.Last.Failures[0].Sentence, "could not be listed to its end") {
			t.Errorf("after %s: %+v, %v, %v", later, run.Counts, err, s.Last.Failures)
		}
		s.mustHold(want)
	}
	s.Switch(func(w *jiratest.Switches) { w.Cut = 0 })
	for i := range want {
		s.Delete(i)
		delete(want, i)
		break
	}
	s.Pass(time.Hour)
	s.MustSync()
	s.mustHold(want)
}

// What was deleted while the list was read shifts a counted list: nothing is passed over, and
// nothing that is there is taken for gone.
func TestAListThatShiftsIsReadAgain(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		eng := s.Project("ENG", users)
		want := make(map[*jiratest.Issue]string)
		var issues []*jiratest.Issue
		for n := range 40 {
			i := s.Issue(eng, "issue", fmt.Sprintf("text %d", n))
			issues, want[i] = append(issues, i), fmt.Sprintf("text %d", n)
		}
		s.MustSync()
		s.Pass(25 * time.Hour)
		s.Switch(func(w *jiratest.Switches) { w.Short = 10 })
		searches := 0
		s.Faults.Add(jiratest.Fault{Path: "order by created asc", Answer: func(w http.ResponseWriter, r *http.Request) {
			searches++
			for _, i := range issues[:5] { // which were read already
				s.Delete(i)
				delete(want, i)
			}
			jiratest.Refuse(http.StatusServiceUnavailable)(w, r)
		}}, 2, 1)
		s.MustSync()
		if searches != 1 {
			t.Fatal("nothing was deleted meanwhile")
		}
		s.Pass(time.Hour)
		s.MustSync()
		s.mustHold(want)
	})
}

// Times of searches are those of the account's time zone, also where clocks are changed: nothing
// that was changed is passed over.
func TestChangesAreFoundInTheAccountsTimeZone(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Pacific/Kiritimati", "Pacific/Niue", "America/New_York", "nowhere", ""} {
		for _, began := range []time.Time{time.Date(2026, 11, 1, 4, 30, 0, 0, time.UTC), time.Date(2027, 3, 14, 5, 30, 0, 0, time.UTC)} { // an hour before New York's clocks change
			t.Run(fmt.Sprintf("%s %s", zone, began.Month()), func(t *testing.T) {
				t.Parallel()
				s := newSite(t, true, nil)
				s.Do(func() { s.Zone = zone })
				i := s.Issue(s.Project("ENG", users), "issue", "text 0")
				s.Pass(began.Sub(s.Now()))
				s.Edit(i, func() {})
				s.MustSync()
				for n := 1; n < 20; n++ { // ten minutes apart, beyond the change; without a look at everything
					s.Pass(10 * time.Minute)
					s.Edit(i, func() { i.Text = fmt.Sprintf("text %d", n) })
					s.MustSync()
					s.mustHold(map[*jiratest.Issue]string{i: fmt.Sprintf("text %d", n)})
				}
			})
		}
	}
}

// textFile is a connector of one text file, which holds what its name says.
func textFile(string) (index.Connector, error) { return oneFile{}, nil }

type oneFile struct{ index.Connector }

func (oneFile) Sync(context.Context, index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		yield(index.Batch{Documents: []index.Item{{Load: func(context.Context) (document.Document, error) {
			return document.Document{Sections: []document.Section{{Blocks: []document.Block{{Text: "what stands in the file"}}}}}, nil
		}}}}, nil)
	}
}

// Attached files are documents of their own, read by whoever may read the issue, and go when they
// or the issue do.
func TestAttachedFiles(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, func(o *jira.Options) {
			o.Attachments, o.Read = true, textFile
			o.Wanted, o.MaxBytes = func(name string) bool { return strings.HasSuffix(name, ".md") }, 100
		})
		eng := s.Project("ENG", users)
		a, b := s.Issue(eng, "a", "x"), s.Issue(eng, "b", "x")
		one, two := s.Attach(a, "one.md", []byte("x")), s.Attach(b, "two.md", []byte("x"))
		s.Attach(a, "photo.png", []byte("x"))
		s.Attach(a, "large.md", make([]byte, 101))
		s.MustSync()
		all := s.Documents()
		d := all[a.ID+":"+one.ID]
		if len(all) != 4 || d == nil || d.Title != "one.md" || d.Metadata["issue"] != a.Key || !strings.HasSuffix(d.URL, "/browse/"+a.Key) || !slices.Equal(d.ACL, all[a.ID].ACL) {
			t.Fatalf("the index holds %v", all)
		}
		s.Level(eng, "Board", users)
		s.Edit(a, func() { a.Files = nil })
		s.MustSync()
		if all := s.Documents(); all[a.ID+":"+one.ID] != nil || all[b.ID+":"+two.ID] == nil {
			t.Errorf("after one was taken away the index holds %v", all)
		}
		s.Edit(b, func() { b.Level = eng.Security.Levels[0] })
		s.MustSync()
		if all := s.Documents(); !slices.Equal(all[b.ID+":"+two.ID].ACL, all[b.ID].ACL) || slices.Equal(all[b.ID].ACL, d.ACL) {
			t.Errorf("the file may be read by %v, the issue by %v", all[b.ID+":"+two.ID].ACL, all[b.ID].ACL)
		}
		s.Delete(b)
		s.Pass(time.Hour)
		s.MustSync()
		if all := s.Documents(); len(all) != 1 {
			t.Errorf("the index holds %v", all)
		}
	})
}

// Where much of a project is gone at once nobody may read that, and it is removed when it stays
// away; what comes back is read as before.
func TestALargePartThatIsGoneIsHiddenFirst(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		eng := s.Project("ENG", users)
		board := s.Level(eng, "Board")
		for n := range 60 {
			i := s.Issue(eng, "issue", "x")
			if n%2 == 0 {
				s.Do(func() { i.Level = board })
			}
		}
		s.MustSync()
		bot := board.Members
		s.Do(func() { board.Members = nil }) // the account loses its right to see half of them
		s.Pass(time.Hour)
		run := s.mustSyncWithNotices()
		hidden := 0
		for _, d := range s.Documents() {
			if len(d.ACL) == 0 {
				hidden++
			}
		}
		if hidden != 30 || !strings.Contains(run, "30 of 60 documents are not listed any more") {
			t.Errorf("%d are hidden: %s", hidden, run)
		}
		s.Do(func() { board.Members = bot })
		for range 2 {
			s.Pass(time.Hour)
			s.MustSync()
		}
		for _, d := range s.Documents() {
			if len(d.ACL) == 0 {
				t.Fatal("what is back stays hidden")
			}
		}
		s.Do(func() { board.Members = nil })
		s.Pass(time.Hour)
		s.mustSyncWithNotices()
		s.Pass(8 * 24 * time.Hour)
		s.MustSync()
		if got := len(s.Documents()); got != 30 {
			t.Errorf("after a week the index holds %d documents", got)
		}
	})
}

// mustSyncWithNotices reads, and returns what the operator is told.
func (s *site) mustSyncWithNotices() string {
	s.T.Helper()
	run, err := s.Sync(s.T.Context())
	if err != nil {
		s.T.Fatal(err)
	}
	return fmt.Sprint(run.Failures)
}

// A list whose place Jira does not know any more is read from its beginning, and where that happens
// again and again nothing counts as missing.
func TestExpiredCursorRestartsTheScan(t *testing.T) {
	t.Parallel()
	s := newSite(t, true, nil)
	eng := s.Project("ENG", users)
	want := make(map[*jiratest.Issue]string)
	for n := range 30 {
		want[s.Issue(eng, "issue", fmt.Sprintf("text %d", n))] = fmt.Sprintf("text %d", n)
	}
	s.Switch(func(w *jiratest.Switches) { w.Short = 10 })
	s.Faults.Add(jiratest.Fault{Path: "nextPageToken", Answer: jiratest.Refuse(http.StatusBadRequest)}, 1, 1)
	s.MustSync()
	s.mustHold(want)
	s.Switch(func(w *jiratest.Switches) { w.Expired = true })
	s.Pass(25 * time.Hour)
	if notices := s.mustSyncWithNotices(); !strings.Contains(notices, "could not be listed to its end") {
		t.Errorf("it says %s", notices)
	}
	s.mustHold(want)
}

// The checkpoint of a version that kept its own stays as it is, whichever version reads next, and
// costs one list of everything, without texts.
func TestVersionsTakeTurns(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		eng := s.Project("ENG", users)
		want := make(map[*jiratest.Issue]string)
		for n := range 30 {
			want[s.Issue(eng, "issue", fmt.Sprintf("text %d", n))] = fmt.Sprintf("text %d", n)
		}
		s.Pass(time.Hour)
		s.MustSync()
		// 10001 is a project, and "i" holds ids of issues.
		earlier := index.Checkpoint(`{"settings":"jira 2 true false","m":1763629200,"projects":{"10001":{"k":"ENG","f":1763629200,"w":1763629200,"r":{},"i":"oJwBAgICAgI="}}}`)
		connector := s.Connector
		for turn := range 3 {
			run := s.Store.Saved(sourcetest.Tenant, connector.Source().ID)
			run.Checkpoint = earlier
			if err := s.Store.Save(t.Context(), sourcetest.Tenant, run); err != nil {
				t.Fatal(err)
			}
			s.Again()
			mark, puts := s.Mark(), s.Store.Puts()
			s.MustSync()
			if asked := s.Mark() - mark; asked > 3 || s.Store.Puts() != puts {
				t.Errorf("turn %d: %d requests, and %d documents stored again", turn, asked, s.Store.Puts()-puts)
			}
			if got := s.Store.Saved(sourcetest.Tenant, connector.Source().ID).Checkpoint; string(got) != string(earlier) {
				t.Errorf("turn %d: the checkpoint is %s", turn, got)
			}
		}
		s.mustHold(want)
	})
}

// A 401 of one download concerns that file, and does not hide the source.
func TestRefusedDownloadHidesNoSource(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, func(o *jira.Options) { o.Attachments, o.Read = true, textFile })
		i := s.Issue(s.Project("ENG", users), "a", "x")
		s.Attach(i, "one.md", []byte("x"))
		path := "/secure/attachment/"
		if cloud {
			path = "/attachment/content/"
		}
		s.Faults.Add(jiratest.Fault{Path: path, Answer: jiratest.Refuse(http.StatusUnauthorized)}, 0, 1)
		run, err := s.Sync(t.Context())
		if failures := fmt.Sprint(run.Failures); err != nil || !strings.Contains(failures, "check that the account may download it") {
			t.Errorf("the run ends with %v, failures %s", err, failures)
		}
		if all := s.Documents(); len(all) != 1 || all[i.ID] == nil {
			t.Errorf("the index holds %v", all)
		}
		s.Revoke(true)
		s.MustBeRefused(s.Token)
	})
}
