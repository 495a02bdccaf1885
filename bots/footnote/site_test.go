package main_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestIndexedSiteAnswersWithLinksToItsPages(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"/guide/":        `<title>Guide</title><p>Welcome.</p><a href="parking">Parking</a> <a href="/elsewhere">Elsewhere</a>`,
		"/guide/parking": `<title>Parking</title><h2 id="cars">Electric cars</h2><p>Two parking places behind the building have chargers for electric cars.</p>`,
		"/elsewhere":     `<title>Elsewhere</title><p>Chargers for electric cars are elsewhere.</p>`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, text)
	}))
	t.Cleanup(server.Close)
	p := newProgram(t, "CRAWL_INTERVAL=1ms")
	if r := p.try(t, "", "index", server.URL+"/guide/"); r.code != 1 || !strings.Contains(r.stderr, "ALLOW_PRIVATE_HOSTS") {
		t.Fatalf("a private site that is not allowed: exit code %d\n%s", r.code, r.stderr)
	}
	p = p.with("ALLOW_PRIVATE_HOSTS=127.0.0.1")
	if r := p.run(t, "index", server.URL+"/guide/", handbook(t)); !strings.Contains(r.stderr, "2 indexed") || !strings.Contains(r.stderr, "3 indexed") {
		t.Errorf("indexing says:\n%s", r.stderr)
	}
	got := jsonOf[answered](t, p.run(t, "ask", "Where can I find chargers for electric cars?", "--json"))
	if len(got.Citations) == 0 || got.Citations[0].URL != server.URL+"/guide/parking#cars" || got.Citations[0].Source != "web" {
		t.Errorf("answer = %+v", got)
	}
	if r := p.run(t, "index", server.URL+"/guide/"); !strings.Contains(r.stderr, "0 indexed, 2 unchanged") {
		t.Errorf("indexing again says:\n%s", r.stderr)
	}
	if r := p.try(t, "", "index", server.URL, "--base-url", "https://docs.example.org"); r.code == 0 || !strings.Contains(r.stderr, "for folders") {
		t.Errorf("a base address for a site: exit code %d\n%s", r.code, r.stderr)
	}
}
