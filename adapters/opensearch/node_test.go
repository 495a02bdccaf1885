package opensearch_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/opensearch"
)

// A node that gave no answer is not asked again while another one answers, and is where none does.
func TestFailedNodeIsAskedLast(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	dead := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked.Add(1)
		panic(http.ErrAbortHandler) // which closes the connection
	}))
	t.Cleanup(dead.Close)
	s := serve(t, httptest.NewServer)
	host := func(url string) string { return strings.TrimPrefix(url, "http://") }
	client := func(hosts string) *opensearch.Client {
		t.Helper()
		address, err := opensearch.ParseAddress("opensearch://" + hosts + "/docs?tls=off")
		if err != nil {
			t.Fatal(err)
		}
		c, err := opensearch.New(opensearch.Config{Address: address, Rest: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := client(host(dead.URL) + "," + host(s.URL))
	for range 8 {
		if err := c.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the node that gives no answer was asked %d times, want once", n)
	}
	alone := client(host(dead.URL))
	for range 2 {
		if err := alone.Check(t.Context()); err == nil {
			t.Error("a cluster that gives no answer is fine")
		}
	}
	if n := asked.Load(); n != 3 {
		t.Errorf("the only node was asked %d times, want twice", n-1)
	}
}
