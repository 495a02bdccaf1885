package github_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/git/gittest"
	"github.com/footnotehq/footnote/adapters/github/githubtest"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/crawl/crawltest"
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
				a.Intercept(func(w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) {
					body, err := io.ReadAll(r.Body)
					if err != nil {
						t.Error(err)
					}
					r.Body = io.NopCloser(bytes.NewReader(body))
					answer := httptest.NewRecorder()
					fake(answer, r)
					text := answer.Body.Bytes()
					if bytes.Contains(body, []byte("query AllIssues(")) {
						text = match.ReplaceAll(text, []byte(with))
					}
					for name, values := range answer.Header() {
						if name != "Content-Length" {
							w.Header()[name] = values
						}
					}
					w.WriteHeader(answer.Code)
					if _, err := w.Write(text); err != nil {
						t.Error(err)
					}
				})
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
func TestWikiThatIsNotShown(t *testing.T) {
	t.Parallel()
	a := newAcme(t, withFiles(t))
	r := a.Repo(a.org, "app", githubtest.Private)
	pages := make(map[string][]byte)
	for i := range 30 {
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
	readable("at first", 30, 30)
	a.Do(func() { r.Wiki = nil })
	readable("it is not shown", 30, 0)
	a.Do(func() { r.Wiki = wiki })
	readable("it is shown again", 30, 30)
	a.Do(func() { r.Wiki = nil })
	readable("it is not shown again", 30, 0)
	a.Pass(crawl.Grace)
	readable("a week later", 0, 0)
}
