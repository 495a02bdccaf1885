package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/web"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// readable returns the paths of the documents that have readers.
func (i *indexer) readable(run index.Run) map[string]bool {
	paths := make(map[string]bool)
	for _, e := range i.store.Entries(access.DefaultTenant) {
		if len(e.Document.ACL) > 0 {
			paths[strings.TrimPrefix(string(e.Document.ID), string(run.Source.ID)+":")] = true
		}
	}
	return paths
}

// interrupt starts a run, and pauses it after its first checkpoint.
func (i *indexer) interrupt(t *testing.T, o web.Options) {
	t.Helper()
	o.Interval, o.AllowHosts = time.Microsecond, []string{"127.0.0.1"}
	connector, err := web.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, pause := context.WithCancelCause(t.Context())
	defer pause(nil)
	_, err = i.pipeline.Run(ctx, access.DefaultTenant, connector, func(index.Progress) {
		if bytes.Contains(i.store.Saved(access.DefaultTenant, connector.Source().ID).Checkpoint, []byte(`"pass"`)) {
			pause(index.ErrPaused)
		}
	})
	if !errors.Is(err, index.ErrPaused) {
		t.Fatalf("the first piece ended with %v", err)
	}
}

func TestPagesBehindALoginAreRemoved(t *testing.T) {
	t.Parallel()
	w := newWebsite(t, map[string]string{"/docs/": page("Start", link("a")+link("b")+link("c")+link("d")+link("e")), "/docs/a": page("A", ""), "/docs/b": page("B", ""),
		"/docs/c": page("C", ""), "/docs/d": page("D", ""), "/docs/e": page("E", ""), "/login": page("Log in", "")})
	for name, options := range map[string]web.Options{"a site": {URL: w.URL + "/docs/"}, "a site with more pages than are read": {URL: w.URL + "/docs/", MaxPages: 5}} {
		i := newIndexer(t)
		for path, title := range map[string]string{"a": "A", "b": "B", "c": "C"} {
			w.set("/docs/"+path, page(title, ""))
		}
		i.must(t, options)
		w.set("/docs/a", "401")
		w.set("/docs/b", "403")
		w.set("/docs/c", "301 /login")
		run := i.must(t, options)
		if got := i.documents(t, run); got["/docs/"] == "" || got["/docs/d"] == "" || got["/docs/a"]+got["/docs/b"]+got["/docs/c"] != "" {
			t.Errorf("%s: documents %v", name, got)
		}
		if said := fmt.Sprint(run.Skipped); run.Counts.Removed != 3 || !strings.Contains(said, "3 pages are not public any more") || len(run.Failures) != 3 {
			t.Errorf("%s: removed %d, %s, %v", name, run.Counts.Removed, said, run.Failures)
		}
		if run = i.must(t, options); strings.Contains(fmt.Sprint(run.Skipped), "not public any more") || run.Counts.Removed != 0 {
			t.Errorf("%s: said again: %v", name, run.Skipped)
		}
		w.set("/docs/a", page("A", ""))
		if run = i.must(t, options); i.documents(t, run)["/docs/a"] != "A" {
			t.Errorf("%s: a page that is public again: %v", name, i.documents(t, run))
		}
	}
}

// A site that refuses its first page or many pages probably refuses the crawler: nothing is removed
// at once.
func TestSitesThatRefuseTheCrawler(t *testing.T) {
	t.Parallel()
	site, links := make(map[string]string), ""
	for n := range 30 {
		site[fmt.Sprintf("/p%02d", n)] = page(fmt.Sprint("Page ", n), "")
		links += link(fmt.Sprintf("/p%02d", n))
	}
	site["/"] = page("Start", links)
	w := newWebsite(t, site)
	now := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	options := web.Options{URL: w.URL, Now: func() time.Time { return now }}
	i := newIndexer(t)
	i.must(t, options)
	refuse := func(pages int) {
		for n := range 30 {
			path := fmt.Sprintf("/p%02d", n)
			if w.set(path, site[path]); n < pages {
				w.set(path, "403")
			}
		}
	}
	refuse(25)
	for range 2 {
		run := i.must(t, options)
		if said := fmt.Sprint(run.Skipped); run.Counts.Removed != 0 || len(i.documents(t, run)) != 31 || len(i.readable(run)) != 6 || strings.Count(said, "25 of 31 documents") != 1 {
			t.Errorf("removed %d of 31, %d are readable: %s", run.Counts.Removed, len(i.readable(run)), said)
		}
	}
	// pages that are hidden and cannot be read are still missing
	for n := 4; n < 25; n++ {
		w.set(fmt.Sprintf("/p%02d", n), "400")
	}
	now = now.Add(6 * 24 * time.Hour)
	if run := i.must(t, options); run.Counts.Removed != 0 || len(i.readable(run)) != 6 || !strings.Contains(fmt.Sprint(run.Skipped), "2026-12-06") {
		t.Errorf("unreachable pages: removed %d, %d are readable: %v", run.Counts.Removed, len(i.readable(run)), run.Skipped)
	}
	refuse(0)
	if run := i.must(t, options); len(i.readable(run)) != 31 || len(run.Skipped) > 0 {
		t.Errorf("public again: %d are readable, %v", len(i.readable(run)), run.Skipped)
	}
	refuse(25)
	i.must(t, options)
	now = now.Add(8 * 24 * time.Hour)
	if run := i.must(t, options); len(i.documents(t, run)) != 6 || run.Counts.Removed != 25 {
		t.Errorf("after a week: %v", i.documents(t, run))
	}
	for _, refusal := range []string{"401", "403", "301 http://login.example/"} {
		w.set("/", refusal)
		if run, err := i.run(t, options); err == nil || !strings.Contains(err.Error(), "no closed page is removed") || len(i.documents(t, run)) != 6 {
			t.Errorf("with the first page refused: %v, %v", err, i.documents(t, run))
		}
	}
}

// Only pages that were documents before the pass count as stored, whatever a change of rules or an
// interrupted crawl adds to the known pages.
func TestRefusedPagesAreComparedWithStoredDocuments(t *testing.T) {
	t.Parallel()
	numbered := func(name string, n, refused int, site map[string]string) (links string) {
		for i := range n {
			path := fmt.Sprintf("/%s%03d", name, i)
			site[path] = page(path, "")
			if i < refused {
				site[path] = "403"
			}
			links += link(path)
		}
		return links
	}
	t.Run("rules change", func(t *testing.T) {
		t.Parallel()
		site := make(map[string]string)
		links := numbered("p", 30, 0, site) + numbered("copy", 60, 0, site)
		for path := range site {
			if strings.HasPrefix(path, "/copy") {
				site[path] = `<link rel="canonical" href="/">` + site[path]
			}
		}
		site["/"] = page("Start", links)
		w, i := newWebsite(t, site), newIndexer(t)
		if run := i.must(t, web.Options{URL: w.URL}); len(i.documents(t, run)) != 31 {
			t.Fatalf("documents %v", i.documents(t, run))
		}
		for n := range 25 {
			w.set(fmt.Sprintf("/p%03d", n), "403")
		}
		run := i.must(t, web.Options{URL: w.URL, Exclude: []string{"none"}})
		if said := fmt.Sprint(run.Skipped); run.Counts.Removed != 0 || !strings.Contains(said, "25 of 31 documents") {
			t.Errorf("removed %d: %s", run.Counts.Removed, said)
		}
	})
	t.Run("a crawl is interrupted", func(t *testing.T) {
		t.Parallel()
		site := make(map[string]string)
		site["/"] = page("Start", numbered("p", 30, 0, site))
		w, i := newWebsite(t, site), newIndexer(t)
		i.must(t, web.Options{URL: w.URL})
		links := numbered("p", 30, 25, site) + numbered("new", 500, 0, site)
		site["/"] = page("Start", links)
		for path, text := range site {
			w.set(path, text)
		}
		i.interrupt(t, web.Options{URL: w.URL})
		run := i.must(t, web.Options{URL: w.URL})
		if said := fmt.Sprint(run.Skipped); run.Counts.Removed != 0 || !strings.Contains(said, "25 of 31 documents") {
			t.Errorf("removed %d: %s", run.Counts.Removed, said)
		}
	})
}

// failing is a source of which no document with the ids can be loaded.
type failing struct {
	*web.Connector
	paths []string
}

// Sync implements index.Connector.
func (f failing) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		for batch, err := range f.Connector.Sync(ctx, since) {
			for n, item := range batch.Documents {
				if slices.ContainsFunc(f.paths, func(path string) bool { return strings.HasSuffix(string(item.ID), ":"+path) }) {
					batch.Documents[n].Load = func(context.Context) (document.Document, error) {
						return document.Document{}, errors.New("All parsers are busy.")
					}
				}
			}
			if !yield(batch, err) {
				return
			}
		}
	}
}

// A document that was hidden from everyone gets its readers back in the next run if it cannot be
// loaded in the run in which its page is public again.
func TestClosedDocumentsReturnOnceTheyAreLoaded(t *testing.T) {
	t.Parallel()
	site, links := make(map[string]string), ""
	for n := range 30 {
		path := fmt.Sprintf("/p%02d", n)
		site[path] = page(path, "")
		links += link(path)
	}
	site["/p00"] = `<link rel="canonical" href="/none">` + site["/p00"] // a copy that is a document
	site["/"] = page("Start", links)
	w, i := newWebsite(t, site), newIndexer(t)
	options := web.Options{URL: w.URL, Interval: time.Microsecond, AllowHosts: []string{"127.0.0.1"}}
	i.must(t, options)
	for n := range 25 {
		w.set(fmt.Sprintf("/p%02d", n), "403")
	}
	i.must(t, options)
	for path, text := range site {
		w.set(path, text)
	}
	connector, err := web.New(options)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		run, err := i.pipeline.Run(t.Context(), access.DefaultTenant, failing{connector, []string{"/p00", "/p07"}}, nil)
		if err != nil || len(i.readable(run)) != 29 {
			t.Fatalf("two pages cannot be loaded: %d are readable, %v", len(i.readable(run)), err)
		}
	}
	if run := i.must(t, options); len(i.readable(run)) != 31 {
		t.Errorf("all pages can be loaded: %d are readable, %v", len(i.readable(run)), run.Failures)
	}
	w.requests()
	i.must(t, options)
	for _, asked := range w.requests() {
		if strings.HasPrefix(asked, "/p") && !strings.HasSuffix(asked, " 304") {
			t.Errorf("%s was read again", asked)
		}
	}
}

// A copy that waits for its original while its crawl is interrupted gets its readers back.
func TestClosedCopyReturnsAfterAnInterruption(t *testing.T) {
	t.Parallel()
	site, links := make(map[string]string), ""
	for n := range 530 {
		path := fmt.Sprintf("/p%03d", n)
		site[path] = `<link rel="canonical" href="/none">` + page(path, "")
		if n >= 20 {
			site[path] = page(path, "")
		}
		if links += link(path); n == 30 {
			site["/"] = page("Start", links)
		}
	}
	w, i := newWebsite(t, site), newIndexer(t)
	options := web.Options{URL: w.URL}
	i.must(t, options)
	for n := range 20 {
		w.set(fmt.Sprintf("/p%03d", n), "403")
	}
	if run := i.must(t, options); len(i.readable(run)) != 12 {
		t.Fatalf("%d are readable: %v", len(i.readable(run)), run.Skipped)
	}
	for path, text := range site {
		w.set(path, text)
	}
	w.set("/", page("Start", links))
	i.interrupt(t, options)
	if run := i.must(t, options); len(i.readable(run)) != 531 {
		t.Errorf("%d are readable: %v", len(i.readable(run)), run.Failures)
	}
}
