package web_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/adapters/web"
	"github.com/google/go-cmp/cmp"
)

func TestPatternsSayWhatIsIndexed(t *testing.T) {
	t.Parallel()
	w := newWebsite(t, map[string]string{
		"/docs/": page("Start", link("guide/")+link("api/")+link("guide/draft-x")), "/docs/guide/": page("Guide", link("install.html")), "/docs/guide/install.html": page("Install", ""),
		"/docs/guide/draft-x": page("Draft", link("hidden")), "/docs/guide/hidden": page("Hidden", ""), "/docs/api/": page("API", link("call.html")), "/docs/api/call.html": page("Call", ""),
	})
	i := newIndexer(t)
	for _, tt := range []struct {
		name             string
		include, exclude []string
		want             map[string]string
	}{
		{"a folder, reached by a page outside of it", []string{"guide/**"}, []string{"draft-*"}, map[string]string{"/docs/guide/": "Guide", "/docs/guide/install.html": "Install"}},
		{"other pages the next time", []string{"*.html"}, []string{"guide/**"}, map[string]string{"/docs/api/call.html": "Call"}},
		{"all but", nil, []string{"api/**", "draft-*"}, map[string]string{"/docs/": "Start", "/docs/guide/": "Guide", "/docs/guide/install.html": "Install"}},
	} {
		w.requests()
		run := i.must(t, web.Options{URL: w.URL + "/docs/", Include: tt.include, Exclude: tt.exclude})
		if diff := cmp.Diff(tt.want, i.documents(t, run)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		for _, asked := range w.requests() {
			if strings.Contains(asked, "draft-") && len(tt.exclude) > 0 && tt.exclude[0] == "draft-*" {
				t.Errorf("%s: %s was asked for", tt.name, asked)
			}
		}
	}
	w.set("/docs/sitemap.xml", "<urlset><url><loc>HOST/docs/guide/</loc></url><url><loc>HOST/docs/api/</loc></url></urlset>")
	w.requests()
	run := i.must(t, web.Options{URL: w.URL + "/docs/", Include: []string{"api/**"}})
	if diff := cmp.Diff(map[string]string{"/docs/api/": "API"}, i.documents(t, run)); diff != "" {
		t.Errorf("of a sitemap (-want +got):\n%s", diff)
	}
	if _, err := web.New(web.Options{URL: w.URL, Include: []string{"[a"}}); err == nil || !strings.Contains(err.Error(), "pattern") {
		t.Errorf("a pattern that is none: %v", err)
	}
}

// header is a site whose pages come with headers of their own.
type header map[string]http.Header

func (h header) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	said, ok := h[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	for name, values := range said {
		if name != "Body" {
			w.Header()[name] = values
		}
	}
	if status := said.Get("Status"); status == "429" {
		w.WriteHeader(http.StatusTooManyRequests)
	}
	fmt.Fprint(w, said.Get("Body"))
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestHeadersSayWhatElementsSay(t *testing.T) {
	t.Parallel()
	body := func(title, rest string) []string { return []string{page(title, rest)} }
	address := serve(t, header{
		"/":       {"Body": body("Start", link("/a")+link("/b")+link("/c")+link("/d")+link("/e"))},
		"/a":      {"Body": body("A", link("/behind")), "X-Robots-Tag": {"noindex"}},
		"/b":      {"Body": body("B", link("/beyond")), "X-Robots-Tag": {"otherbot: none", "Footnote: nofollow"}},
		"/c":      {"Body": body("C", ""), "Link": {`</style.css>; rel=preload`, `</original>; rel="canonical"`}},
		"/d":      {"Body": body("D", ""), "X-Robots-Tag": {"otherbot: noindex"}},
		"/e":      {"Body": body("E", ""), "X-Robots-Tag": {"unavailable_after: Sat, 01 Jan 2050 00:00:00 GMT, noarchive"}},
		"/behind": {"Body": body("Behind", "")}, "/beyond": {"Body": body("Beyond", "")}, "/original": {"Body": body("Original", "")},
	})
	i := newIndexer(t)
	run := i.must(t, web.Options{URL: address})
	want := map[string]string{"/": "Start", "/b": "B", "/behind": "Behind", "/d": "D", "/e": "E", "/original": "Original"}
	if diff := cmp.Diff(want, i.documents(t, run)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

// What robots.txt means is not changed by its length, by how paths are encoded, or by records that
// other crawlers know.
func TestRobotsInTheWild(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"/": page("Start", link("/ツ/a")+link("/%7euser/b")+link("/%63rypt/c")+link("/open")), "/open": page("Open", "")}
	for _, path := range []string{"/%E3%83%84/a", "/%7euser/b", "/%7Euser/b", "/~user/b", "/%63rypt/c", "/crypt/c"} {
		pages[path] = page(path, "")
	}
	for name, text := range map[string]string{
		"encoded differently":     "User-agent: *\nDisallow: /ツ/\nDisallow: /~user/\nDisallow: /crypt/\n",
		"after half a megabyte":   "User-agent: *\nDisallow: /%e3%83%84/\nDisallow: /%7Euser/\nDisallow: /%63rypt/\n" + strings.Repeat("# filler\n", 100_000),
		"with unknown records":    "User-agent: *\nHost: example.org\nUser-agent: other\nClean-param: x\nDisallow: /ツ/\nDisallow: /~user/\nDisallow: /crypt/\n",
		"in two groups of ours":   "User-agent: footnote\nDisallow: /ツ/\n\nUser-agent: *\nDisallow: /\n\nUser-agent: FOOTNOTE\nDisallow: /~user/\nDisallow: /crypt/\n",
		"with the longer allowed": "User-agent: *\nDisallow: /\nAllow: /$\nAllow: /open\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWebsite(t, pages)
			w.set("/robots.txt", text)
			i := newIndexer(t)
			run := i.must(t, web.Options{URL: w.URL})
			if diff := cmp.Diff(map[string]string{"/": "Start", "/open": "Open"}, i.documents(t, run)); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
		})
	}
}

// A site that asks for an hour of rest is left alone at once, and what is indexed of it stays.
func TestLongRest(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	var tired atomic.Bool
	address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt" || strings.HasSuffix(r.URL.Path, ".xml"):
			http.NotFound(w, r)
		case tired.Load() && r.URL.Path != "/":
			asked.Add(1)
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			links := ""
			for n := range 100 {
				links += link(fmt.Sprintf("/p%d", n))
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, page("Page "+r.URL.Path, links))
		}
	}))
	i := newIndexer(t)
	i.must(t, web.Options{URL: address})
	tired.Store(true)
	run, err := i.run(t, web.Options{URL: address})
	if err == nil || !strings.Contains(err.Error(), "left alone for 1h0m0s") || len(i.documents(t, run)) != 101 {
		t.Errorf("error %v, %d documents", err, len(i.documents(t, run)))
	}
	if n := asked.Load(); n > 2 { // as many as run at once
		t.Errorf("it was asked %d times more", n)
	}
}

func TestTrapsAreSaid(t *testing.T) {
	t.Parallel()
	address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" || strings.HasSuffix(r.URL.Path, ".xml") {
			http.NotFound(w, r)
			return
		}
		n := 0
		_, _ = fmt.Sscanf(r.URL.Path, "/month/%d", &n) // the first page has none
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page("Month", link(fmt.Sprintf("/month/%d", n+1))+link("/month/1?PHPSESSID=abc")+link("/(S(abc123))/month/1")+link("/month/1;jsessionid=9")+link("/a/a/a/a")))
	}))
	i := newIndexer(t)
	run := i.must(t, web.Options{URL: address, MaxDepth: 5})
	if got := i.documents(t, run); len(got) != 6 {
		t.Errorf("documents %v, want the first page and five months", got)
	}
	said := ""
	for _, n := range run.Skipped {
		said += n.Sentence + "\n"
	}
	for _, want := range []string{"more than 5 links away", "one of a trap"} {
		if strings.Count(said, want) != 1 {
			t.Errorf("what is left out is said as %q, want %q once", said, want)
		}
	}
}

func TestWordDocumentsOfSites(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write([]byte(`<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Thirty days.</w:t></w:r></w:p></w:body></w:document>`))
	if err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	w := newWebsite(t, map[string]string{"/": page("Start", link("/vacation.docx")+link("/download?id=1")+link("/broken.docx")), "/vacation.docx": b.String(), "/download?id=1": b.String(), "/broken.docx": "PK"})
	for path, kind := range map[string]string{"/vacation.docx": "application/octet-stream", "/broken.docx": "application/octet-stream",
		"/download?id=1": "application/vnd.openxmlformats-officedocument.wordprocessingml.document"} {
		w.kinds[path] = kind
	}
	i := newIndexer(t)
	run := i.must(t, web.Options{URL: w.URL})
	if diff := cmp.Diff(map[string]string{"/": "Start", "/vacation.docx": "vacation", "/download?id=1": "download"}, i.documents(t, run)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if len(run.Failures) != 1 || !strings.Contains(run.Failures[0].Sentence, "It is damaged") {
		t.Errorf("failures: %+v", run.Failures)
	}
}

func TestWorkbooksAndPresentationsOfSites(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"/": page("Start", link("/budget.xlsx")+link("/deck")+link("/cut.pptx"))}
	for path, file := range map[string]string{"/budget.xlsx": "budget.xlsx", "/deck": "launch.pptx"} {
		raw, err := os.ReadFile("../internal/office/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		pages[path] = string(raw)
	}
	pages["/cut.pptx"] = pages["/deck"][:len(pages["/deck"])/2]
	w := newWebsite(t, pages)
	for path, kind := range map[string]string{"/budget.xlsx": "application/octet-stream", "/deck": "application/vnd.openxmlformats-officedocument.presentationml.presentation", "/cut.pptx": "application/zip"} {
		w.kinds[path] = kind
	}
	i := newIndexer(t)
	run := i.must(t, web.Options{URL: w.URL})
	if diff := cmp.Diff(map[string]string{"/": "Start", "/budget.xlsx": "budget", "/deck": "Launch of the Porto office"}, i.documents(t, run)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if len(run.Failures) != 1 || !strings.Contains(run.Failures[0].Sentence, "damaged") {
		t.Errorf("failures: %+v", run.Failures)
	}
}

// A copy is left out only if the page that it names is a document: else what it says would be lost.
func TestCopiesOfPagesThatAreNoDocuments(t *testing.T) {
	t.Parallel()
	copyOf := func(original, title string) string {
		return `<link rel="canonical" href="` + original + `">` + page(title, "")
	}
	w := newWebsite(t, map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /barred\n",
		"/":           page("Start", link("/a")+link("/b")+link("/c")+link("/d")+link("/e")+link("/f")+link("/chain")+link("/print")+link("/short")+link("/home")),
		"/a":          copyOf("/missing", "A"), "/b": copyOf("/broken", "B"), "/c": copyOf("/barred", "C"), "/d": copyOf("/quiet", "D"),
		"/e": copyOf("/login", "E"), "/f": copyOf("/away", "F"), "/chain": copyOf("/print", "Chain"),
		"/print": copyOf("/article", "Print"), "/article": page("Article", ""), "/short": copyOf("/moved", "Short"), "/moved": "301 /article",
		"/home": copyOf("/canonical-home", "Home"), "/canonical-home": "301 /home",
		"/broken": "500", "/barred": page("Barred", ""), "/quiet": `<meta name="robots" content="noindex">` + page("Quiet", ""), "/login": "403", "/away": "301 http://elsewhere.example/",
	})
	want := map[string]string{"/": "Start", "/a": "A", "/b": "B", "/c": "C", "/d": "D", "/e": "E", "/f": "F", "/home": "Home", "/article": "Article"}
	chain := func(got map[string]string) map[string]string { // indexed by its own address or that of its original
		delete(got, "/chain")
		delete(got, "/print")
		return got
	}
	i := newIndexer(t)
	var removed int
	for n := range 3 { // later runs, in which nothing is sent again, come to the same
		run := i.must(t, web.Options{URL: w.URL})
		if diff := cmp.Diff(want, chain(i.documents(t, run))); diff != "" {
			t.Errorf("run %d: documents (-want +got):\n%s", n, diff)
		}
		removed += run.Counts.Removed
	}
	if removed > 0 {
		t.Errorf("%d documents were removed", removed)
	}
	w.set("/missing", page("Found", ""))
	delete(want, "/a")
	want["/missing"] = "Found"
	run := i.must(t, web.Options{URL: w.URL})
	if diff := cmp.Diff(want, chain(i.documents(t, run))); diff != "" || run.Counts.Removed != 1 {
		t.Errorf("the original is there: removed %d, documents (-want +got):\n%s", run.Counts.Removed, diff)
	}
	w.set("/missing", "500") // for a time: the stored version counts
	if diff := cmp.Diff(want, chain(i.documents(t, i.must(t, web.Options{URL: w.URL})))); diff != "" {
		t.Errorf("the original fails: documents (-want +got):\n%s", diff)
	}
	w.set("/missing", "404")
	delete(want, "/missing")
	want["/a"] = "A"
	if diff := cmp.Diff(want, chain(i.documents(t, i.must(t, web.Options{URL: w.URL})))); diff != "" {
		t.Errorf("the original is gone: documents (-want +got):\n%s", diff)
	}
	// Of a sitemap, in which the original is not named.
	w.set("/sitemap.xml", "<urlset><url><loc>HOST/a</loc><lastmod>2024-05-01</lastmod></url><url><loc>HOST/print</loc><lastmod>2024-05-01</lastmod></url></urlset>")
	mapped := newIndexer(t)
	for n := range 2 {
		run := mapped.must(t, web.Options{URL: w.URL})
		if diff := cmp.Diff(map[string]string{"/a": "A", "/article": "Article"}, mapped.documents(t, run)); diff != "" || len(run.Skipped) > 0 {
			t.Errorf("of a sitemap, run %d: %v, documents (-want +got):\n%s", n, run.Skipped, diff)
		}
	}
}
