package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/web"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/google/go-cmp/cmp"
)

func TestCrawlStaysBelowTheAddress(t *testing.T) {
	t.Parallel()
	other := newWebsite(t, map[string]string{"/docs/": page("Other host", "")})
	w := newWebsite(t, map[string]string{
		"/docs/": page("Start", link("a")+link("/docs/b/?utm_source=x#part")+link("/blog/")+link(other.URL+"/docs/")+link("/docsearch")+
			link("mailto:me@example.org")+link("javascript:void(0)")+link("photo.png")+link("../docs/./a")+link("notes.md")+link("plain.txt")+link("data.bin2")+
			link("gone")+link("moved")+link("away")+`<a rel="nofollow" href="hidden">no</a>`),
		"/docs/a": page("A", link("/docs/b/")+link("deep/c")), "/docs/b/": page("B", link("/docs/")), "/docs/deep/c": page("C", ""),
		"/docs/hidden": page("Hidden", ""), "/blog/": page("Blog", ""), "/docsearch": page("Search", ""),
		"/docs/notes.md": "# Notes\n\nText.", "/docs/plain.txt": "Plain text.", "/docs/data.bin2": "\x00\x01",
		"/docs": "301 /docs/", "/docs/moved": "301 /docs/deep/c", "/docs/away": "301 /blog/",
	})
	w.kinds["/docs/notes.md"], w.kinds["/docs/plain.txt"], w.kinds["/docs/data.bin2"] = "text/plain", "text/plain", "application/octet-stream"
	i := newIndexer(t)
	run := i.must(t, web.Options{URL: w.URL + "/docs"})
	want := map[string]string{"/docs/": "Start", "/docs/a": "A", "/docs/b/": "B", "/docs/deep/c": "C", "/docs/notes.md": "Notes", "/docs/plain.txt": "plain"}
	if diff := cmp.Diff(want, i.documents(t, run)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if len(other.requests()) > 0 {
		t.Error("another host was asked")
	}
	if len(run.Failures) != 1 || !strings.Contains(run.Failures[0].Sentence, "/blog/, which is not part of this source") {
		t.Errorf("failures: %+v", run.Failures)
	}
	if len(run.Skipped) != 1 || !strings.Contains(run.Skipped[0].Sentence, "application/octet-stream") {
		t.Errorf("left out: %+v", run.Skipped)
	}
	for _, asked := range w.requests() {
		if strings.HasPrefix(asked, "/blog") || strings.HasSuffix(asked, ".png") || asked == "/docs/hidden" {
			t.Errorf("%s was asked for", asked)
		}
	}
}

// Links lead to pages by the addresses under which these are stored, whatever way they are written.
func TestLinksLeadToPages(t *testing.T) {
	t.Parallel()
	w := newWebsite(t, map[string]string{
		"/docs/": page("Start", `<p><a href="a?utm_source=x#part">a</a> <a href="./deep/../b">b</a> <a href="#here">here</a> <a href="/docs/">self</a> <a href="mailto:x@y.example">mail</a>
			<a href="//user@else.example/">user</a> <a href="https://else.example/x?y=1#z">else</a> <a href="https://[broken">broken</a></p>`),
		"/docs/a": `<html><head><base href="/docs/deep/"></head><body><p>Text, and <a href="c">c</a>.</p></body></html>`, "/docs/b": page("B", ""), "/docs/deep/c": "# C\n\nAs [a](../a) says.",
	})
	w.kinds["/docs/deep/c"] = "text/markdown"
	i := newIndexer(t)
	i.must(t, web.Options{URL: w.URL + "/docs/"})
	got := make(map[string][]string)
	for _, e := range i.store.Entries(access.DefaultTenant) {
		for _, l := range e.Document.Links {
			from := strings.TrimPrefix(e.Document.URL, w.URL)
			got[from] = append(got[from], l.Text+" → "+strings.TrimPrefix(l.To, w.URL))
		}
	}
	want := map[string][]string{"/docs/": {"a → /docs/a", "b → /docs/b", "else → https://else.example/x?y=1"}, "/docs/a": {"c → /docs/deep/c"}, "/docs/deep/c": {"a → /docs/a"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSecondRunAsksOnlyForChanges(t *testing.T) {
	t.Parallel()
	w := newWebsite(t, map[string]string{
		"/": page("Start", link("/same")+link("/edited")+link("/removed")), "/same": page("Same", link("/orphan")), "/edited": page("Before", ""),
		"/removed": page("Removed", ""), "/orphan": page("Orphan", ""),
	})
	i := newIndexer(t)
	options := web.Options{URL: w.URL}
	if run := i.must(t, options); run.Counts.Indexed != 5 {
		t.Errorf("first run: %+v", run.Counts)
	}
	w.requests()
	w.set("/edited", page("After", link("/new")))
	w.set("/new", page("New", ""))
	w.set("/removed", "404")
	run := i.must(t, options)
	if c := run.Counts; c.Indexed != 2 || c.Unchanged != 3 || c.Removed != 1 || c.Failed != 0 {
		t.Errorf("second run: %+v", c)
	}
	want := map[string]string{"/": "Start", "/same": "Same", "/orphan": "Orphan", "/edited": "After", "/new": "New"}
	if diff := cmp.Diff(want, i.documents(t, run)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	for _, asked := range w.requests() {
		if strings.HasPrefix(asked, "/same") && asked != "/same 304" {
			t.Errorf("an unchanged page was sent again: %s", asked)
		}
	}
	// Other settings, so that every document is compared: what the site does not send again is
	// fetched for that.
	options.ACL = access.ACL{access.Public}
	if run := i.must(t, options); run.Counts.Shared != 5 || run.Counts.Indexed != 0 {
		t.Errorf("with another access list: %+v", run.Counts)
	}
}

func TestPagesThatFailForATimeStay(t *testing.T) {
	t.Parallel()
	w := newWebsite(t, map[string]string{"/": page("Start", link("/shaky")), "/shaky": "500 broken"})
	i := newIndexer(t)
	i.must(t, web.Options{URL: w.URL})
	w.set("/shaky", page("Shaky", "")) // no page that links to it changes
	if run := i.must(t, web.Options{URL: w.URL}); i.documents(t, run)["/shaky"] != "Shaky" {
		t.Errorf("a page that failed in the first run: %v", i.documents(t, run))
	}
	w.set("/shaky", "500 broken")
	run := i.must(t, web.Options{URL: w.URL})
	if len(run.Failures) != 1 || !strings.Contains(run.Failures[0].Sentence, "500 Internal Server Error; a later try may succeed.") {
		t.Errorf("failures: %+v", run.Failures)
	}
	if got := i.documents(t, run); got["/shaky"] != "Shaky" {
		t.Errorf("documents: %v", got)
	}
	w.set("/", "500 broken")
	if run, err := i.run(t, web.Options{URL: w.URL}); err == nil || len(i.documents(t, run)) != 2 {
		t.Errorf("with the whole site down: %v, %v", err, i.documents(t, run))
	}
}

func TestSitemaps(t *testing.T) {
	t.Parallel()
	const dated = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>HOST/docs/a</loc><lastmod>%s</lastmod></url>` +
		`<url><loc>HOST/blog/x</loc></url><url><loc>http://elsewhere.example/docs/</loc></url><url><loc>HOST/docs/missing</loc></url></urlset>`
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := newWebsite(t, nil)
	if _, err := z.Write([]byte("<urlset><url><loc>" + w.URL + "/docs/b</loc></url></urlset>")); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		"/robots.txt": "Sitemap: HOST/index.xml\n", "/index.xml": "<sitemapindex><sitemap><loc>HOST/one.xml</loc></sitemap><sitemap><loc>HOST/two.xml.gz</loc></sitemap>" +
			"<sitemap><loc>http://elsewhere.example/map.xml</loc></sitemap><sitemap><loc>HOST/index.xml</loc></sitemap></sitemapindex>",
		"/one.xml": fmt.Sprintf(dated, "2024-05-01"), "/two.xml.gz": packed.String(),
		"/docs/a": page("A", link("/docs/linked")), "/docs/b": page("B", ""), "/docs/linked": page("Linked", ""),
	} {
		w.set(path, text)
	}
	i := newIndexer(t)
	run := i.must(t, web.Options{URL: w.URL + "/docs/"})
	want := map[string]string{"/docs/a": "A", "/docs/b": "B"}
	if diff := cmp.Diff(want, i.documents(t, run)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if len(run.Skipped) != 1 || !strings.Contains(run.Skipped[0].Sentence, "the site does not have it") {
		t.Errorf("left out: %+v", run.Skipped)
	}
	w.requests()
	w.set("/docs/a", page("Changed without a new date", ""))
	i.must(t, web.Options{URL: w.URL + "/docs/"})
	for _, asked := range w.requests() {
		if strings.HasPrefix(asked, "/docs/a") {
			t.Errorf("a page with the same date in the sitemap was asked for: %s", asked)
		}
	}
	w.set("/one.xml", fmt.Sprintf(dated, "2024-05-02"))
	if run = i.must(t, web.Options{URL: w.URL + "/docs/"}); i.documents(t, run)["/docs/a"] != "Changed without a new date" {
		t.Errorf("with a new date: %v", i.documents(t, run))
	}
	// A sitemap that fails for a time takes nothing out.
	w.set("/two.xml.gz", "500 broken")
	if run = i.must(t, web.Options{URL: w.URL + "/docs/"}); len(i.documents(t, run)) != 2 || len(run.Failures) != 1 {
		t.Errorf("with a broken sitemap: %v, %v", i.documents(t, run), run.Failures)
	}
	// A sitemap may be the address itself.
	named := newIndexer(t)
	w.set("/docs/sitemap.xml", "<urlset><url><loc>HOST/docs/linked</loc></url></urlset>")
	if run := named.must(t, web.Options{URL: w.URL + "/docs/sitemap.xml"}); !cmp.Equal(named.documents(t, run), map[string]string{"/docs/linked": "Linked"}) {
		t.Errorf("by its sitemap: %v", named.documents(t, run))
	}
}

func TestRobots(t *testing.T) {
	t.Parallel()
	start := page("Start", link("/open")+link("/private/x")+link("/private/ok")+link("/find?q=1")+link("/a.cgi")+link("/redirect"))
	pages := map[string]string{"/": start, "/open": page("Open", ""), "/private/x": page("X", ""), "/private/ok": page("OK", ""), "/find?q=1": page("Find", ""),
		"/a.cgi": page("Script", ""), "/redirect": "301 /private/x",
		"/robots.txt": "User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: Footnote/1.0\nDisallow: /private/ # secret\nAllow: /private/ok\n" +
			"Disallow: /*?q=\nDisallow: /*.cgi$\n"}
	w := newWebsite(t, pages)
	i := newIndexer(t)
	run := i.must(t, web.Options{URL: w.URL})
	if diff := cmp.Diff(map[string]string{"/": "Start", "/open": "Open", "/private/ok": "OK"}, i.documents(t, run)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	for _, asked := range w.requests() {
		if asked == "/private/x" || strings.HasPrefix(asked, "/find") || asked == "/a.cgi" {
			t.Errorf("%s was asked for", asked)
		}
	}
	for text, want := range map[string]string{"User-agent: *\nDisallow: /": "does not allow it", "500 broken": "robots.txt cannot be read"} {
		w.set("/robots.txt", text)
		if run, err := i.run(t, web.Options{URL: w.URL}); err == nil || !strings.Contains(err.Error(), want) || len(i.documents(t, run)) != 3 {
			t.Errorf("with %q: %v", text, err)
		}
	}
}

func TestWhatPagesAskFor(t *testing.T) {
	t.Parallel()
	canonical := func(to string) string { return `<link rel="canonical" href="` + to + `">` }
	w := newWebsite(t, map[string]string{
		"/":      page("Start", link("/print")+link("/quiet")+link("/dead-end")+link("/one")+link("/two")+link("/stolen")),
		"/print": canonical("/article") + page("Print", ""), "/article": page("Article", ""),
		"/quiet": `<meta name="robots" content="noindex">` + page("Quiet", link("/behind")), "/behind": page("Behind", ""),
		"/dead-end": `<meta name="robots" content="nofollow">` + page("Dead end", link("/unreachable")), "/unreachable": page("Unreachable", ""),
		"/one": canonical("/two") + page("One", ""), "/two": canonical("/one") + page("Two", ""),
		"/stolen": canonical("https://elsewhere.example/") + page("Stolen", ""),
	})
	i := newIndexer(t)
	for range 2 { // the second run, in which nothing is sent again, comes to the same
		run := i.must(t, web.Options{URL: w.URL})
		got := i.documents(t, run)
		if got["/one"] == "" && got["/two"] == "" {
			t.Errorf("two pages that name each other are both lost: %v", got)
		}
		delete(got, "/one")
		delete(got, "/two")
		want := map[string]string{"/": "Start", "/article": "Article", "/behind": "Behind", "/dead-end": "Dead end", "/stolen": "Stolen"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("documents (-want +got):\n%s", diff)
		}
	}
}

// A site without an end is read up to the limits, and nothing is taken for gone because of them.
func TestCrawlTraps(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" || strings.HasSuffix(r.URL.Path, ".xml") {
			http.NotFound(w, r)
			return
		}
		n := asked.Add(1)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page(fmt.Sprintf("Page %d", n), link(fmt.Sprintf("/calendar?day=%d", n))+link(r.URL.Path+"/again")+link(fmt.Sprintf("/p%d", n))+
			link("/long?"+strings.Repeat("x", 3000))))
	}))
	t.Cleanup(server.Close)
	i := newIndexer(t)
	run := i.must(t, web.Options{URL: server.URL, MaxPages: 60, MaxVariants: 5})
	documents := i.documents(t, run)
	variants := 0
	for path := range documents {
		if strings.HasPrefix(path, "/calendar?") {
			variants++
		}
		if strings.Count(path, "again") > 2 || len(path) > 2000 {
			t.Errorf("%s was indexed", path)
		}
	}
	if len(documents) > 60 || variants > 5 || run.Counts.Skipped < 2 {
		t.Errorf("%d documents, %d variants, left out: %v", len(documents), variants, run.Skipped)
	}
	if run := i.must(t, web.Options{URL: server.URL, MaxPages: 30}); run.Counts.Removed != 0 {
		t.Errorf("a smaller limit removed %d documents", run.Counts.Removed)
	}
}

func TestPagesOfEverySize(t *testing.T) {
	t.Parallel()
	w := newWebsite(t, map[string]string{"/": page("Start", link("/large")+link("/empty")+link("/latin")), "/large": page("Large", strings.Repeat("x ", 10_000)),
		"/empty": "", "/latin": "<title>Caf\xe9</title><p>Text."})
	w.kinds["/latin"] = "text/html; charset=iso-8859-1"
	i := newIndexer(t)
	run := i.must(t, web.Options{URL: w.URL, MaxBytes: 10_000})
	if len(run.Failures) != 1 || !strings.Contains(run.Failures[0].Sentence, "It has more than 10000 bytes") {
		t.Errorf("failures: %+v", run.Failures)
	}
	if got := i.documents(t, run); got["/latin"] != "Café" {
		t.Errorf("documents: %v", got)
	}
}

func TestBusySitesAreAskedAgain(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		if tries.Add(1) < 3 {
			w.Header().Set("Retry-After", "0")
			http.Error(w, "slow down", http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page("Patience", ""))
	}))
	t.Cleanup(server.Close)
	if run := newIndexer(t).must(t, web.Options{URL: server.URL}); run.Counts.Indexed != 1 {
		t.Errorf("run = %+v", run)
	}
}

func TestAddressesThatLeadNowhere(t *testing.T) {
	t.Parallel()
	w := newWebsite(t, map[string]string{"/docs/": page("Docs", ""), "/moved/": "301 /docs/", "/picture": "x"})
	w.kinds["/picture"] = "image/png"
	inside := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(inside.Close)
	w.set("/inside/", "301 "+strings.Replace(inside.URL, "127.0.0.1", "127.0.0.2", 1)+"/inside/")
	for path, want := range map[string]string{"/none/": "does not have this page", "/moved/": "name it as a separate source", "/picture": "none of its 1 pages",
		"/inside/": "name it as a separate source", "/docs/none.xml": "read the sitemap"} {
		if _, err := newIndexer(t).run(t, web.Options{URL: w.URL + path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	c, err := web.New(web.Options{URL: w.URL, Interval: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range c.Sync(t.Context(), nil) {
		if err == nil || !strings.Contains(err.Error(), "ALLOW_PRIVATE_HOSTS") {
			t.Errorf("a private host that is not allowed: %v", err)
		}
	}
	for _, address := range []string{"", "docs.example.org", "ftp://example.org/", "https://me:secret@example.org/"} {
		if _, err := web.New(web.Options{URL: address}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("New(%q) = %v", address, err)
		}
	}
}

// A run that is stopped keeps what it has, and the next one goes on.
func TestStoppedRunContinues(t *testing.T) {
	t.Parallel()
	pages := map[string]string{}
	start := ""
	for n := range 40 {
		pages[fmt.Sprintf("/p%d", n)] = page(fmt.Sprintf("Page %d", n), "")
		start += link(fmt.Sprintf("/p%d", n))
	}
	pages["/"] = page("Start", start)
	w := newWebsite(t, pages)
	i := newIndexer(t)
	c, err := web.New(web.Options{URL: w.URL, Interval: time.Microsecond, AllowHosts: []string{"127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	_, err = i.pipeline.Run(ctx, access.DefaultTenant, c, func(p index.Progress) {
		if p.Indexed > 5 {
			cancel(enough)
		}
	})
	if !errors.Is(err, enough) {
		t.Fatalf("the stopped run ended with %v", err)
	}
	run := i.must(t, web.Options{URL: w.URL})
	if len(i.documents(t, run)) != 41 || run.Counts.Removed != 0 {
		t.Errorf("after the second run there are %d documents: %+v", len(i.documents(t, run)), run.Counts)
	}
}
