package web_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/web"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// website is a server whose pages a test changes. It answers conditional requests and notes what it
// was asked for.
type website struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]string // by path and query; values that begin with a status, as in "404" or "301 /to", are answered with that
	kinds map[string]string // content types other than HTML
	asked []string          // with " 304" where nothing was sent
}

func newWebsite(t *testing.T, pages map[string]string) *website {
	t.Helper()
	w := &website{pages: make(map[string]string), kinds: make(map[string]string)}
	maps.Copy(w.pages, pages)
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *website) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	path := r.URL.RequestURI()
	text, ok := w.pages[path]
	text = strings.ReplaceAll(text, "HOST", "http://"+r.Host)
	sum := sha256.Sum256([]byte(text))
	tag := `"` + hex.EncodeToString(sum[:4]) + `"`
	switch status, rest, _ := strings.Cut(text, " "); {
	case !ok || status == "404":
		w.asked = append(w.asked, path+" 404")
		http.NotFound(out, r)
		return
	case status == "301":
		http.Redirect(out, r, rest, http.StatusMovedPermanently)
	case status == "401" || status == "403": // with a page to log in, as sites do
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		out.WriteHeader(map[string]int{"401": http.StatusUnauthorized, "403": http.StatusForbidden}[status])
		fmt.Fprint(out, page("Log in", ""))
	case status == "400":
		http.Error(out, "malformed", http.StatusBadRequest)
	case status == "500":
		http.Error(out, "broken", http.StatusInternalServerError)
	case r.Header.Get("If-None-Match") == tag:
		w.asked = append(w.asked, path+" 304")
		out.WriteHeader(http.StatusNotModified)
		return
	default:
		out.Header().Set("ETag", tag)
		kind := w.kinds[path]
		if kind == "" {
			kind = "text/html; charset=utf-8"
		}
		out.Header().Set("Content-Type", kind)
		fmt.Fprint(out, text)
	}
	w.asked = append(w.asked, path)
}

// set changes a page.
func (w *website) set(path, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages[path] = text
}

// requests returns what was asked for since the last call, sorted.
func (w *website) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := slices.Sorted(slices.Values(w.asked))
	w.asked = nil
	return asked
}

// words counts tokens as words.
type words struct{}

func (words) Count(text string) int { return len(strings.Fields(text)) }

// indexer runs connectors into a store in memory.
type indexer struct {
	store    indextest.Store
	pipeline *index.Pipeline
}

func newIndexer(t *testing.T) *indexer {
	t.Helper()
	chunker, err := index.NewChunker(words{}, index.ChunkSize{})
	if err != nil {
		t.Fatal(err)
	}
	i := &indexer{}
	i.pipeline = index.New(&i.store, chunker, nil, index.Config{})
	return i
}

// run indexes an address. The pace is that of a test.
func (i *indexer) run(t *testing.T, o web.Options) (index.Run, error) {
	t.Helper()
	o.Interval, o.AllowHosts = time.Microsecond, []string{"127.0.0.1"}
	c, err := web.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return i.pipeline.Run(t.Context(), access.DefaultTenant, c, nil)
}

// must is run for runs that come to their end.
func (i *indexer) must(t *testing.T, o web.Options) index.Run {
	t.Helper()
	run, err := i.run(t, o)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// documents returns titles by path.
func (i *indexer) documents(t *testing.T, run index.Run) map[string]string {
	t.Helper()
	titles := make(map[string]string)
	for _, e := range i.store.Entries(access.DefaultTenant) {
		titles[strings.TrimPrefix(string(e.Document.ID), string(run.Source.ID)+":")] = e.Document.Title
	}
	return titles
}

func page(title, body string) string {
	return "<html><head><title>" + title + "</title></head><body><p>Text of " + title + ".</p>" + body + "</body></html>"
}

func link(to string) string { return `<a href="` + to + `">link</a> ` }
