package github_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/github"
	"github.com/footnotehq/footnote/adapters/github/githubtest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// acme is a world with an organisation, its server, and a connector that reads it into an index.
type acme struct {
	*githubtest.Server
	*sourcetest.Reading[*github.Connector]
	org     *githubtest.Org
	ada     *githubtest.User // an owner
	client  *github.Client
	options github.Options
	config  github.Config
}

func newAcme(t testing.TB, change func(*github.Options, *github.Config)) *acme {
	t.Helper()
	w := githubtest.NewWorld()
	a := &acme{Server: githubtest.NewServer(t, w), org: w.Org("acme", "none"), ada: w.User("ada")}
	a.org.Owners[a.ada], a.org.Member[a.ada] = true, true
	config := github.Config{
		URL: a.URL, Credential: github.Credential{Token: a.Token}, AllowHosts: []string{"127.0.0.1"}, Every: time.Microsecond, Pause: time.Millisecond, Now: w.Now,
		Patience: time.Second, CAFile: a.CAFile,
	}
	a.options = github.Options{Name: "code", Organization: "acme", Issues: true, PullRequests: true, Discussions: true}
	if change != nil {
		change(&a.options, &config)
	}
	a.config = config
	var err error
	if a.client, err = github.New(config); err != nil {
		t.Fatal(err)
	}
	a.Reading = sourcetest.Read(t, func() (*github.Connector, error) { return github.NewConnector(a.client, a.options) })
	return a
}

// listed is a context for a run without an index.
func (a *acme) listed() context.Context {
	return index.WithListings(a.T.Context(), a.Store.Listings(sourcetest.Tenant, a.Connector.Source().ID))
}

// texts is what is in the index: the words of each document, by its id without the source.
func (a *acme) texts() map[string]string {
	all := make(map[string]string)
	for _, e := range a.Store.Entries(sourcetest.Tenant) {
		var b strings.Builder
		b.WriteString(e.Document.Title + "\n")
		for _, s := range e.Document.Sections {
			for _, block := range s.Blocks {
				b.WriteString(block.Text + "\n")
			}
		}
		all[strings.TrimPrefix(string(e.Document.ID), "github-code:")] = b.String()
	}
	return all
}

// hold is what the index should hold: the words of every thread of every repository that is seen.
func (a *acme) hold() map[string][]string {
	all := make(map[string][]string)
	a.Do(func() {
		for _, r := range a.Repos {
			if r.Hidden || r.Org != a.org {
				continue
			}
			for _, t := range r.Threads {
				if t.Kind == "issue" && r.NoIssues {
					continue
				}
				words := []string{t.Title, r.FullName(), t.Body}
				for _, c := range t.Comments {
					if !c.Hidden {
						words = append(words, c.Body)
					}
				}
				all[fmt.Sprintf("%d:%s:%d", r.ID, t.Kind, t.Number)] = words
			}
		}
	})
	return all
}

// differs says how the index differs from the world; empty if it does not.
func (a *acme) differs() string {
	is, want := a.texts(), a.hold()
	if got, all := slices.Sorted(maps.Keys(is)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, all) {
		return fmt.Sprintf("the index holds %v, want %v", got, all)
	}
	for id, words := range want {
		for _, word := range words {
			if !strings.Contains(is[id], word) {
				return fmt.Sprintf("%s lacks %q: %s", id, word, is[id])
			}
		}
		if n := strings.Count(is[id], " UTC):"); n != len(words)-2 {
			return fmt.Sprintf("%s holds %d texts, want %d: %s", id, n, len(words)-2, is[id])
		}
	}
	return ""
}

func (a *acme) mustHold() {
	a.T.Helper()
	if fault := a.differs(); fault != "" {
		a.T.Fatal(fault)
	}
}

func TestLoadOfThreadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	a.Open(a.Repo(a.org, "app", githubtest.Private), "issue", "Crash on start", "It crashes.", a.ada)
	ended := errors.New("the run was stopped")
	ctx, end := context.WithCancelCause(t.Context())
	end(ended)
	loads := 0
	for batch, err := range a.Connector.Sync(a.listed(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range batch.Documents {
			loads++
			if _, err := item.Load(ctx); !errors.Is(err, ended) {
				t.Errorf("%s: %v", item.ID, err)
			}
		}
	}
	if loads != 1 {
		t.Errorf("%d documents, want 1", loads)
	}
}

func TestThreadsBecomeDocuments(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	r := a.Repo(a.org, "app", githubtest.Private)
	bob := a.User("bob")
	issue := a.Open(r, "issue", "Crash on start", "It crashes.\n\n```go\npanic(1)\n```\n", bob)
	issue.Labels = []string{"bug", "p1"}
	first := a.Say(issue, a.ada, "# Why\nA nil map.")
	a.Say(issue, nil, "spam").Hidden = true
	pull := a.Open(r, "pull", "Fix the crash", "Makes the map.", a.ada)
	a.Touch(pull, func() {
		pull.Reviews = append(pull.Reviews, &githubtest.Comment{ID: 900, Author: bob, State: "APPROVED", Created: pull.Created.Add(time.Hour)})
		pull.Places = append(pull.Places, &githubtest.Place{ID: 901, Path: "main.go", Line: 7, Comments: []*githubtest.Comment{{ID: 902, Author: bob, Body: "Why here?", Created: pull.Created.Add(time.Minute)}}})
	})
	talk := a.Open(r, "discussion", "Which database?", "We need one.", bob)
	answer := a.Say(talk, a.ada, "PostgreSQL.")
	a.Touch(talk, func() {
		answer.Answer = true
		answer.Replies = []*githubtest.Comment{{ID: 903, Author: bob, Body: "Thanks!", Created: answer.Created.Add(time.Minute)}}
	})
	a.MustSync()

	byID := make(map[string]document.Document)
	for _, e := range a.Store.Entries(sourcetest.Tenant) {
		byID[string(e.Document.ID)] = e.Document
		if want := (access.ACL{access.Node("github-code", fmt.Sprint(r.ID))}); !slices.Equal(e.Document.ACL, want) {
			t.Errorf("%s may be read by %v, want %v", e.Document.ID, e.Document.ACL, want)
		}
	}
	d := byID[fmt.Sprintf("github-code:%d:issue:1", r.ID)]
	if d.Title != "Crash on start (acme/app#1)" || d.URL != a.URL+"/acme/app/issues/1" || d.Metadata["labels"] != "bug, p1" || d.Metadata["author"] != "bob" || d.Metadata["state"] != "open" {
		t.Errorf("the issue is %+v", d)
	}
	var lines []string
	for _, d := range []string{"issue:1", "pull:2", "discussion:3"} {
		for _, s := range byID[fmt.Sprintf("github-code:%d:%s", r.ID, d)].Sections {
			for _, b := range s.Blocks {
				lines = append(lines, s.Anchor+"|"+b.Text)
			}
		}
	}
	want := []string{
		"|bob (2026-11-20 09:00 UTC): It crashes.", "|panic(1)",
		fmt.Sprintf("issuecomment-%d|ada (2026-11-20 09:00 UTC): Why", first.ID), fmt.Sprintf("issuecomment-%d|A nil map.", first.ID),
		"|ada (2026-11-20 09:00 UTC): Makes the map.", "discussion_r902|bob on `main.go:7` (2026-11-20 09:01 UTC): Why here?", "pullrequestreview-900|bob approved (2026-11-20 10:00 UTC):",
		"|bob (2026-11-20 09:00 UTC): We need one.", fmt.Sprintf("discussioncomment-%d|ada (the accepted answer) (2026-11-20 09:00 UTC): PostgreSQL.", answer.ID),
		"discussioncomment-903|bob (2026-11-20 09:01 UTC): Thanks!",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("they say\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// What changes at GitHub changes in the index with the next pass, and what is gone goes.
func TestTheIndexFollows(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	other := a.Org("else", "none")
	app, lib := a.Repo(a.org, "app", githubtest.Private), a.Repo(a.org, "lib", githubtest.Public)
	var threads []*githubtest.Thread
	for i := range 130 {
		kind := []string{"issue", "pull", "discussion"}[i%3]
		th := a.Open(app, kind, fmt.Sprintf("thread %d", i), fmt.Sprintf("body %d", i), a.ada)
		a.Say(th, a.ada, fmt.Sprintf("comment %d", i))
		threads = append(threads, th)
	}
	a.Open(lib, "issue", "of lib", "text", a.ada)
	steps := []struct {
		name string
		do   func()
	}{
		{"the first pass", func() {}},
		{"nothing", func() {}},
		{"a comment", func() { a.Say(threads[3], a.ada, "another comment") }},
		{"an edit", func() { a.Touch(threads[100], func() { threads[100].Body = "edited body" }) }},
		{"a comment is deleted", func() { a.Touch(threads[3], func() { threads[3].Comments = threads[3].Comments[1:] }) }},
		{"a comment is edited", func() { a.Touch(threads[5], func() { threads[5].Comments[0].Body = "other words" }) }},
		{"a comment is hidden", func() { a.Touch(threads[6], func() { threads[6].Comments[0].Hidden = true }) }},
		{"issues are deleted", func() { a.DeleteThread(app, threads[0]); a.DeleteThread(app, threads[4]) }},
		{"an issue is transferred", func() { a.Transfer(app, threads[9], lib) }},
		{"a deletion and a new one at once", func() {
			a.DeleteThread(app, threads[12])
			a.Open(app, "issue", "a new one", "new body", a.ada)
			a.Pass(25 * time.Hour)
		}},
		{"a comment deleted without a trace", func() {
			a.Do(func() { threads[15].Comments = nil })
			a.Pass(25 * time.Hour)
		}},
		{"a repository is renamed", func() { a.Rename(app, "application") }},
		{"issues are turned off", func() { a.Do(func() { lib.NoIssues = true }) }},
		{"issues are turned on", func() { a.Do(func() { lib.NoIssues = false }) }},
		{"a repository is made anew under its name", func() {
			fresh := a.Recreate(lib, githubtest.Private)
			a.Open(fresh, "issue", "of the new lib", "text", a.ada)
			a.Pass(8 * 24 * time.Hour)
			a.MustSync()
			a.Pass(8 * 24 * time.Hour)
		}},
		{"a repository is transferred", func() {
			a.Move(app, other)
			a.MustSync()
			a.Pass(8 * 24 * time.Hour)
		}},
	}
	for _, step := range steps {
		step.do()
		a.MustSync()
		if fault := a.differs(); fault != "" {
			t.Fatalf("after %s: %s", step.name, fault)
		}
	}
}

func TestRequestsOfALargeOrganization(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	for i := range 1000 {
		r := a.Repo(a.org, fmt.Sprintf("r%d", i), githubtest.Private)
		if i%100 == 0 {
			a.Open(r, "issue", "one", "text", a.ada)
		}
	}
	a.MustSync()
	a.Pass(time.Hour)
	a.MustSync()
	a.Pass(time.Hour)
	mark := a.Mark()
	run := a.MustSync()
	unchanged, asked := a.Counts(mark, " 304"), a.Mark()-mark
	if asked != 20 || unchanged != 10 || run.Counts.Indexed != 0 {
		t.Errorf("it asked %d times, of which %d cost nothing, and stored %d", asked, unchanged, run.Counts.Indexed)
	}
	mark = a.Mark()
	for _, err := range a.Connector.Nodes(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if asked := a.Mark() - mark; asked != 10 || a.Counts(mark, " 304") != 10 {
		t.Errorf("a look at who may read asked %d times, of which %d cost nothing", asked, a.Counts(mark, " 304"))
	}
}

// A pass that is paused again and again, or killed, goes on where it was, and stores nothing twice.
func TestAPassGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	for i := range 4 {
		r := a.Repo(a.org, fmt.Sprintf("r%d", i), githubtest.Private)
		for j := range 120 {
			a.Open(r, "issue", fmt.Sprintf("thread %d", j), "text", a.ada)
		}
	}
	a.Pass(time.Hour)
	stops := a.Stopped(3)
	a.mustHold()
	if puts := a.Store.Puts(); stops < 3 || puts > 480+stops*100 {
		t.Errorf("it was stopped %d times and stored %d documents", stops, puts)
	}
}

// A first pass over many repositories that is killed in the middle reads each of them once.
func TestKilledPassOverManyRepositoriesGoesOn(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	for i := range 700 {
		a.Open(a.Repo(a.org, fmt.Sprintf("repository-%d", i), githubtest.Private), "issue", "thread", "text", a.ada)
	}
	a.Pass(time.Hour)
	var at index.Checkpoint
	read, batches := make(map[document.ID]bool), 0
	mark := a.Mark()
	for killed := range 2 {
		for batch, err := range a.Connector.Sync(a.listed(), at) {
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range batch.Documents {
				read[item.ID] = true
			}
			if at = batch.Next; killed == 0 && len(read) == 500 {
				break
			}
			batches++
		}
		a.Again()
	}
	// The lists of repositories, and their dates, are read by both.
	if asked := a.Mark() - mark; len(read) != 700 || asked > 700+2*14+2 {
		t.Errorf("%d threads of 700 were read, by %d requests in %d batches", len(read), asked, batches)
	}
}

// The newest is read first, in whatever repository it is.
func TestTheNewestIsFirst(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	old, fresh := a.Repo(a.org, "old", githubtest.Private), a.Repo(a.org, "fresh", githubtest.Private)
	for i := range 100 {
		a.Open(old, "issue", fmt.Sprintf("old %d", i), "text", a.ada)
	}
	for i := range 60 {
		a.Open(fresh, "issue", fmt.Sprintf("fresh %d", i), "text", a.ada)
	}
	var titles []string
	for batch, err := range a.Connector.Sync(a.listed(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range batch.Documents {
			d, err := item.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			titles = append(titles, strings.Split(d.Title, " (")[0])
		}
	}
	if len(titles) != 160 || titles[0] != "fresh 59" || titles[59] != "fresh 0" || titles[60] != "old 99" || titles[159] != "old 0" {
		t.Errorf("they came as %v", titles)
	}
}

func TestALongThreadIsReadWhole(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	r := a.Repo(a.org, "app", githubtest.Private)
	for _, kind := range []string{"issue", "pull", "discussion"} {
		th := a.Open(r, kind, "long", "text", a.ada)
		a.Do(func() {
			for i := range 4999 {
				th.Comments = append(th.Comments, &githubtest.Comment{ID: int64(1e6 + i), Author: a.ada, Body: fmt.Sprintf("reply %d.", i), Created: th.Created.Add(time.Duration(i) * time.Second)})
			}
		})
	}
	a.MustSync()
	a.mustHold()
}
