package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/web"
	"github.com/footnotehq/footnote/core/footprint/footprinttest"
	"github.com/footnotehq/footnote/core/index"
)

func hostile(t *testing.T, handle http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server
}

// A sitemap index that names sitemaps without end, of this host and of others, costs 200 requests
// and little memory.
func TestSitemapsWithoutEndInLittleMemory(t *testing.T) {
	footprinttest.Limited(t, 512<<20, func(t *testing.T) {
		var maps, elsewhere atomic.Int64
		var index string
		server := hostile(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/xml")
			switch {
			case r.URL.Path == "/sitemap.xml" || strings.HasPrefix(r.URL.Path, "/map"):
				maps.Add(1)
				fmt.Fprint(w, index)
			case r.URL.Path == "/":
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, page("Home", ""))
			default:
				http.NotFound(w, r)
			}
		})
		other := hostile(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
		var b strings.Builder
		b.WriteString("<sitemapindex>")
		for i := range 1500 {
			fmt.Fprintf(&b, "<sitemap><loc>%s/map%d-%s.xml</loc></sitemap><sitemap><loc>%s/x%d.xml</loc></sitemap>", server.URL, i, strings.Repeat("a", 1000), other.URL, i)
		}
		index = b.String() + "</sitemapindex>"
		run := newIndexer(t).must(t, web.Options{URL: server.URL + "/"})
		if n := maps.Load(); n > 201 || elsewhere.Load() != 0 {
			t.Errorf("%d sitemaps were read, and %d of another host", n, elsewhere.Load())
		}
		if !strings.Contains(fmt.Sprint(run.Skipped), "more than 200 sitemaps") {
			t.Errorf("left out: %+v", run.Skipped)
		}
	})
}

// Addresses are in every checkpoint: those of a site with very long ones are left out in time.
func TestLongAddressesKeepCheckpointsSmall(t *testing.T) {
	t.Parallel()
	const pages = 200
	server := hostile(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		var b strings.Builder
		for i := range 2 * pages {
			b.WriteString(link(fmt.Sprintf("/%d-%s", i, strings.Repeat("a", 1500))))
		}
		fmt.Fprint(w, page("Page", b.String()))
	})
	c, err := web.New(web.Options{URL: server.URL + "/", MaxPages: pages, Interval: time.Microsecond, AllowHosts: []string{"127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	var notices []index.Notice
	largest := 0
	for batch, err := range c.Sync(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		notices = append(notices, batch.Skipped...)
		largest = max(largest, len(batch.Next))
		if batch.Complete {
			t.Error("a run that left pages out is complete: it would remove the others")
		}
	}
	if largest == 0 || largest > 4*256*pages || !strings.Contains(fmt.Sprint(notices), "256 characters on average") {
		t.Errorf("a checkpoint of %d bytes; left out: %.300v", largest, notices)
	}
}

// A batch ends when its pages are large, so that few bodies are held.
func TestBatchesOfLargePagesAreSmall(t *testing.T) {
	t.Parallel()
	large := bytes.Repeat([]byte("All work and no play. "), 3<<20/22)
	server := hostile(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write(append([]byte(r.URL.Path+" "), large...)) // a client that has enough is gone
			return
		}
		w.Header().Set("Content-Type", "text/html")
		var b strings.Builder
		for i := range 12 {
			b.WriteString(link(fmt.Sprintf("/%d.txt", i)))
		}
		fmt.Fprint(w, page("Home", b.String()))
	})
	c, err := web.New(web.Options{URL: server.URL + "/", Interval: time.Microsecond, AllowHosts: []string{"127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	documents, largest := 0, 0
	var checkpoint json.RawMessage
	for batch, err := range c.Sync(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		documents += len(batch.Documents)
		largest = max(largest, len(batch.Documents))
		if batch.Next != nil {
			checkpoint = json.RawMessage(batch.Next)
		}
	}
	if documents != 13 || largest > 5 || !json.Valid(checkpoint) {
		t.Errorf("%d documents in batches of up to %d", documents, largest)
	}
}
