package github_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/git/gittest"
	"github.com/footnotehq/footnote/adapters/github/githubtest"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/crawl/crawltest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

func TestVanishedThreads(t *testing.T) {
	t.Parallel()
	crawltest.Vanish(t, func(t *testing.T) crawltest.Vanishing {
		t.Helper()
		a := newAcme(t, nil)
		app, lib := a.Repo(a.org, "app", githubtest.Private), a.Repo(a.org, "lib", githubtest.Private)
		for i := range 260 {
			a.Open(app, "issue", fmt.Sprint("thread ", i), "text", a.ada)
		}
		a.Open(lib, "issue", "of lib", "text", a.ada)
		all := app.Threads
		// lists rewrites the answers about all issues.
		lists := func(match *regexp.Regexp, with string) func(bool) {
			return func(on bool) {
				a.Intercept(nil)
				if !on {
					return
				}
				a.rewrite("query AllIssues(", match, with)
			}
		}
		return crawltest.Vanishing{
			Sync:  func() (index.Run, error) { a.Again(); return a.Sync(t.Context()) },
			Nodes: func() index.NodeReader { return a.Connector },
			Store: func() []index.Entry { return a.Store.Entries(sourcetest.Tenant) },
			Puts:  a.Store.Puts, Pass: a.Pass, Scope: len(all), Other: 1, Sweep: 25 * time.Hour,
			Omit: func(n int) { a.Do(func() { app.Threads = all[n:] }) },
			Lose: func(lost bool) { a.Do(func() { app.Hidden = lost }) },
			Broken: map[string]func(bool){
				"it is shorter than it says": lists(regexp.MustCompile(`"hasNextPage":true`), `"hasNextPage":false`),
				"a repeated cursor":          lists(regexp.MustCompile(`"endCursor":"[^"]*","hasNextPage":\w+`), `"endCursor":"AAAA","hasNextPage":true`),
			},
		}
	})
}

// A wiki whose repository is not shown may be one without pages, or one that the credential lost.
// It is hidden for seven days however small it is.
func TestWikiThatIsNotShown(t *testing.T) {
	t.Parallel()
	const pagesOfWiki = 3
	a := newAcme(t, withFiles(t))
	r := a.Repo(a.org, "app", githubtest.Private)
	pages := make(map[string][]byte)
	for i := range pagesOfWiki {
		pages[fmt.Sprintf("Page-%d.md", i)] = []byte("Run make.")
	}
	wiki := gittest.New(t)
	wiki.Commit("pages", pages)
	a.Do(func() { r.HasWiki, r.Wiki = true, wiki })
	readable := func(when string, stored, readable int) {
		t.Helper()
		a.Pass(2 * time.Hour)
		if _, err := a.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		n := 0
		entries := a.Store.Entries(sourcetest.Tenant)
		for _, e := range entries {
			n += len(e.Document.ACL)
		}
		if len(entries) != stored || n != readable {
			t.Errorf("%s: %d pages are stored, and %d can be read; want %d and %d", when, len(entries), n, stored, readable)
		}
	}
	readable("at first", pagesOfWiki, pagesOfWiki)
	a.Do(func() { r.Wiki = nil })
	readable("it is not shown", pagesOfWiki, 0)
	a.Do(func() { r.Wiki = wiki })
	readable("it is shown again", pagesOfWiki, pagesOfWiki)
	a.Do(func() { r.Wiki = nil })
	readable("it is not shown again", pagesOfWiki, 0)
	a.Pass(crawl.Grace)
	readable("a week later", 0, 0)
}

// A credential that loses a right over a part of a repository is answered with null. The part is
// hidden, and removed after seven days.
func TestPartsThatAreNotShown(t *testing.T) {
	t.Parallel()
	a := newAcme(t, withFiles(t))
	r := a.Repo(a.org, "app", githubtest.Private)
	r.Git = gittest.New(t)
	a.Push(r, map[string][]byte{"a.md": []byte("Run make."), "b.md": []byte("Text.")})
	told := &heard{}
	a.Connector.Listen(told)
	var one *githubtest.Thread
	for i := range 3 {
		one = a.Open(r, "issue", fmt.Sprint("thread ", i), "text", a.ada)
	}
	sync := func(when string, stored, readable int) {
		t.Helper()
		a.Pass(time.Hour)
		if _, err := a.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		n, entries := 0, a.Store.Entries(sourcetest.Tenant)
		for _, e := range entries {
			n += len(e.Document.ACL)
		}
		if len(entries) != stored || n != readable {
			t.Errorf("%s: %d documents are stored, and %d can be read", when, len(entries), n)
		}
	}
	sync("at first", 5, 5)
	a.rewrite("query Repositories(", regexp.MustCompile(`"issues":\{[^{}]*(\{[^{}]*\}[^{}]*)*\}`), `"issues":null`)
	sync("no issues", 5, 2)
	sync("no issues again", 5, 2)
	told.subjects = []string{fmt.Sprintf("thread %d issue %d T_kg%d", r.ID, one.Number, one.ID)}
	sync("a webhook about one of them", 5, 2)
	if run := a.Store.Saved(sourcetest.Tenant, a.Connector.Source().ID); !slices.ContainsFunc(run.Failures, func(n index.Notice) bool {
		return strings.Contains(n.Sentence, "Its issues: GitHub does not show them")
	}) {
		t.Errorf("the operator reads %+v", run.Failures)
	}
	a.Intercept(nil)
	sync("issues again", 5, 5)
	a.rewrite("query Repositories(", regexp.MustCompile(`"defaultBranchRef":\{[^{}]*\{[^{}]*\}[^{}]*\}`), `"defaultBranchRef":null`)
	sync("no files", 5, 3)
	sync("no files again", 5, 3)
	a.Intercept(nil)
	sync("all", 5, 5)
	a.rewrite("query Repositories(", regexp.MustCompile(`"issues":\{[^{}]*(\{[^{}]*\}[^{}]*)*\}`), `"issues":null`)
	sync("no issues once more", 5, 2)
	a.Pass(crawl.Grace)
	sync("a week later", 2, 2)
	a.Intercept(nil)
	sync("issues after a week", 5, 5)
}

// rewrite changes the answers to a query.
func (a *acme) rewrite(query string, match *regexp.Regexp, with string) {
	a.Intercept(func(w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			a.T.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer := httptest.NewRecorder()
		fake(answer, r)
		text := answer.Body.Bytes()
		if bytes.Contains(body, []byte(query)) {
			text = match.ReplaceAll(text, []byte(with))
		}
		for name, values := range answer.Header() {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(answer.Code)
		if _, err := w.Write(text); err != nil {
			a.T.Error(err)
		}
	})
}

// The checkpoint of a version that kept its own stays as it is, whichever version reads next. The
// first run without it lists everything once and stores nothing again, and a list that ends early
// then removes nothing.
func TestVersionsTakeTurns(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	r := a.Repo(a.org, "app", githubtest.Private)
	for i := range 130 {
		a.Open(r, []string{"issue", "pull", "discussion"}[i%3], fmt.Sprint("thread ", i), "text", a.ada)
	}
	a.Pass(time.Hour)
	a.MustSync()
	earlier := index.Checkpoint(fmt.Sprintf(`{"settings":"github 1 true true true false []","repositories":{"%d":{"n":"acme/app","w":{"issue":{"k":1763629200,"t":44,"l":1763629200}}}}}`, r.ID))
	source := a.Connector.Source().ID
	turn := func(most int) {
		t.Helper()
		run := a.Store.Saved(sourcetest.Tenant, source)
		run.Checkpoint = earlier
		if err := a.Store.Save(t.Context(), sourcetest.Tenant, run); err != nil {
			t.Fatal(err)
		}
		a.Again()
		mark, puts := a.Mark(), a.Store.Puts()
		if _, err := a.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.mustHold()
		if asked := a.Mark() - mark; asked > most || a.Store.Puts() != puts {
			t.Errorf("%d requests, and %d documents stored again", asked, a.Store.Puts()-puts)
		}
		if got := a.Store.Saved(sourcetest.Tenant, source).Checkpoint; string(got) != string(earlier) {
			t.Errorf("the checkpoint is %s", got)
		}
	}
	for range 3 {
		turn(2)
	}
	// Only the other version has read so far.
	listings := a.Store.Listings(sourcetest.Tenant, source)
	forget := func() {
		t.Helper()
		notes, err := listings.Notes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for key := range notes {
			notes[key] = nil
		}
		if err := listings.Note(t.Context(), notes); err != nil {
			t.Fatal(err)
		}
		for _, e := range a.Store.Entries(sourcetest.Tenant) {
			for _, of := range []string{"issue", "pull", "discussion"} {
				if err := listings.Unlist(t.Context(), fmt.Sprintf("%s/%d", of, r.ID), []document.ID{e.Document.ID}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	forget()
	turn(2 + 1 + 3 + 3)
	forget()
	a.rewrite("query Pulls(", regexp.MustCompile(`"hasNextPage":true`), `"hasNextPage":false`)
	turn(2 + 1 + 1 + 3)
	a.Intercept(nil)
	turn(2 + 3)
	turn(2)
}
