package opensearch_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/opensearch"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve/engine"
)

// server is a cluster that answers as OpenSearch does, and then as it does when it is not well.
// What it holds is in bots/enginetest, which asks a real one.
type server struct {
	*httptest.Server
	mu      sync.Mutex
	info    string
	bulks   [][]string // the ids of each request's actions
	stored  map[string]bool
	answers []func(w http.ResponseWriter, ids []string) // to the next bulk requests; then all is carried out
	auth    []string
	search  string
	layout  string
}

const version219 = `{"version":{"distribution":"opensearch","number":"2.19.1"},"tagline":"The OpenSearch Project: https://opensearch.org/"}`

func serve(t *testing.T, start func(http.Handler) *httptest.Server) *server {
	t.Helper()
	s := &server{info: version219, layout: `{"docs-1":{"mappings":{"_meta":{"footnote":2}}}}`, stored: make(map[string]bool)}
	s.Server = start(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.auth = append(s.auth, r.Header.Get("Authorization"))
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch {
	case r.URL.Path == "/":
		write(w, s.info)
	case r.URL.Path == "/docs-1/_mapping":
		write(w, s.layout)
	case strings.HasSuffix(r.URL.Path, "-write/_bulk"):
		var ids []string
		for line := range strings.Lines(string(body)) {
			var action map[string]struct {
				ID string `json:"_id"`
			}
			if json.Unmarshal([]byte(line), &action) == nil {
				for _, a := range action {
					ids = append(ids, a.ID)
				}
			}
		}
		s.bulks = append(s.bulks, ids)
		if len(s.answers) > 0 {
			answer := s.answers[0]
			s.answers = s.answers[1:]
			answer(w, ids)
			return
		}
		s.items(w, ids, func(int) string { return `{"status":201}` })
	default:
		write(w, s.search)
	}
}

// items answers a bulk request: one result for each action, in order
// (https://docs.opensearch.org/docs/2.19/api-reference/document-apis/bulk/: "the items array
// contains the result of each operation, in the order submitted").
func (s *server) items(w http.ResponseWriter, ids []string, result func(int) string) {
	var items []string
	for i, id := range ids {
		text := result(i)
		if strings.Contains(text, `"status":201`) {
			s.stored[id] = true
		}
		items = append(items, `{"index":`+text+`}`)
	}
	write(w, `{"took":1,"errors":true,"items":[`+strings.Join(items, ",")+`]}`)
}

func write(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, text) // a client that has gone away hears nothing
}

func refuse(status int, kind, reason string) func(http.ResponseWriter, []string) {
	return func(w http.ResponseWriter, _ []string) {
		w.WriteHeader(status)
		write(w, fmt.Sprintf(`{"error":{"type":%q,"reason":%q},"status":%d}`, kind, reason, status))
	}
}

func (s *server) client(t *testing.T, user, options string) *opensearch.Client {
	t.Helper()
	_, host, _ := strings.Cut(s.URL, "://")
	a, err := opensearch.ParseAddress("opensearch://" + user + host + "/docs?" + options)
	if err != nil {
		t.Fatal(err)
	}
	c, err := opensearch.New(opensearch.Config{Address: a})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func says(t *testing.T, err, is error, words ...string) {
	t.Helper()
	if !errors.Is(err, is) {
		t.Errorf("%v is no %q", err, is)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

func TestCheckRefusesOtherServers(t *testing.T) {
	t.Parallel()
	s := serve(t, httptest.NewServer)
	c := s.client(t, "", "tls=off")
	for info, want := range map[string]string{
		`{"version":{"number":"8.15.0","build_flavor":"default"},"tagline":"You Know, for Search"}`: "Elasticsearch 8.15.0",
		`{"version":{"distribution":"opensearch","number":"1.3.20"}}`:                               "OpenSearch 1.3.20, and 2.10",
		`{"version":{"distribution":"opensearch","number":"2.9.0"}}`:                                "OpenSearch 2.9.0, and 2.10",
		`{"hello":"world"}`: "something else",
		`<html>`:            "not JSON",
	} {
		s.info = info
		says(t, c.Check(t.Context()), engine.ErrUnfit, want)
		if _, err := c.Search(t.Context(), engine.Query{Index: "docs-1"}); !errors.Is(err, engine.ErrUnfit) {
			t.Errorf("a server that says %s is searched: %v", info, err)
		}
	}
	for _, number := range []string{"2.10.0", "2.19.1", "3.1.0"} {
		s.info = `{"version":{"distribution":"opensearch","number":"` + number + `"}}`
		if err := c.Check(t.Context()); err != nil {
			t.Errorf("OpenSearch %s: %v", number, err)
		}
	}
}

// What documents hold, and the password, go to no server that INDEX_URL does not name.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	other := serve(t, httptest.NewServer)
	s := serve(t, func(http.Handler) *httptest.Server {
		return httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	})
	err := s.client(t, "me:hunter2@", "tls=off").Check(t.Context())
	if err == nil || !strings.Contains(err.Error(), "redirects elsewhere") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v", err)
	}
	if other.mu.Lock(); len(other.auth) != 0 {
		t.Errorf("the other server was asked %d times", len(other.auth))
	}
	other.mu.Unlock()
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	secure, plain := serve(t, httptest.NewTLSServer), serve(t, httptest.NewServer)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := secure.client(t, "", "ca="+ca).Check(t.Context()); err != nil {
		t.Errorf("with the certificate of its signer: %v", err)
	}
	says(t, secure.client(t, "", "").Check(t.Context()), engine.ErrDown, "ca=/path")
	says(t, plain.client(t, "", "").Check(t.Context()), engine.ErrDown, "tls=off")
	if err := secure.client(t, "", "tls=off").Check(t.Context()); err == nil {
		t.Error("a server with TLS was asked without")
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(secure.URL, "https://"), ":")
	a, err := opensearch.ParseAddress("opensearch://localhost:" + port + "/docs?ca=" + ca) // the certificate is for example.com and 127.0.0.1
	if err != nil {
		t.Fatal(err)
	}
	other, err := opensearch.New(opensearch.Config{Address: a})
	if err != nil {
		t.Fatal(err)
	}
	says(t, other.Check(t.Context()), engine.ErrDown, "another name")
	old, signer := expired(t)
	says(t, old.client(t, "", "ca="+signer).Check(t.Context()), engine.ErrDown, "expired")
	a.CAFile = filepath.Join(t.TempDir(), "none")
	if _, err := opensearch.New(opensearch.Config{Address: a}); err == nil {
		t.Error("a file of certificates that is not there is no error")
	}
}

// expired starts a server whose certificate was valid until yesterday, and names the file of its
// signer's.
func expired(t *testing.T) (*server, string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(0, 0, -1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true,
		BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, public, private)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "old.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return serve(t, func(h http.Handler) *httptest.Server {
		s := httptest.NewUnstartedServer(h)
		s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: private}}}
		s.StartTLS()
		return s
	}), file
}

// Whoever renews a token, or forgets the password, sees what counts; the password stands in no
// error.
func TestWhoAsks(t *testing.T) {
	t.Parallel()
	s := serve(t, httptest.NewServer)
	if err := s.client(t, "me:hunter2@", "tls=off").Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	token := filepath.Join(t.TempDir(), "token")
	c := s.client(t, "", "tls=off&token_file="+token)
	for _, text := range []string{"one\n", "two"} {
		if err := os.WriteFile(token, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := c.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(s.auth, "; "); got != "Basic bWU6aHVudGVyMg==; Bearer one; Bearer two" {
		t.Errorf("it was asked as %s", got)
	}
	s.answers = append(s.answers, refuse(401, "", "Unauthorized"))
	err := s.client(t, "me:hunter2@", "tls=off").Apply(t.Context(), "docs-1", changes(1), true)
	says(t, err, engine.ErrDown, "rejects the user")
	s.Close()
	err = s.client(t, "me:hunter2@", "tls=off").Check(t.Context())
	says(t, err, engine.ErrDown, "check that it runs")
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the password stands in %q", err)
	}
}

func changes(n int) []engine.Change {
	out := make([]engine.Change, n)
	for i := range out {
		out[i] = engine.Change{Tenant: "t", Chunk: document.ChunkID(i), Version: int64(i), Flat: map[string]uint16{"word": 7}}
	}
	return out
}

// A node that is gone is passed over for the next one.
func TestAnotherNodeAnswers(t *testing.T) {
	t.Parallel()
	s, gone := serve(t, httptest.NewServer), serve(t, httptest.NewServer)
	gone.Close()
	a, err := opensearch.ParseAddress("opensearch://" + strings.TrimPrefix(gone.URL, "http://") + "," + strings.TrimPrefix(s.URL, "http://") + "/docs?tls=off")
	if err != nil {
		t.Fatal(err)
	}
	c, err := opensearch.New(opensearch.Config{Address: a})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if err := c.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever part of a bulk request is carried out, the rest is sent again, and nothing else.
func TestBulkHalfApplied(t *testing.T) {
	t.Parallel()
	s := serve(t, httptest.NewServer)
	s.answers = []func(http.ResponseWriter, []string){
		refuse(429, "circuit_breaking_exception", "[parent] Data too large"),
		func(w http.ResponseWriter, ids []string) { // every other one
			s.items(w, ids, func(i int) string {
				if i%2 == 1 {
					return `{"status":429,"error":{"type":"rejected_execution_exception","reason":"rejected execution of coordinating operation"}}`
				}
				return `{"status":201}`
			})
		},
		func(w http.ResponseWriter, ids []string) { // somebody was faster with a newer version
			s.items(w, ids, func(i int) string {
				s.stored[ids[i]] = true
				return `{"status":409,"error":{"type":"version_conflict_engine_exception","reason":"current version [9] is higher"}}`
			})
		},
	}
	if err := s.client(t, "", "tls=off").Apply(t.Context(), "docs-1", changes(8), true); err != nil {
		t.Fatal(err)
	}
	if len(s.stored) != 8 {
		t.Errorf("%d of 8 chunks were stored: %v", len(s.stored), s.bulks)
	}
	if len(s.bulks[1]) >= len(s.bulks[0]) {
		t.Errorf("after it had too much to do it got %d changes at a time, and %d before", len(s.bulks[1]), len(s.bulks[0]))
	}
	sent := 0
	for _, ids := range s.bulks {
		sent += len(ids)
	}
	if sent != 8+4+2+2+2 { // all; the first half; what was left of that, by twos; and so the second half
		t.Errorf("%d changes were sent for 8: %v", sent, s.bulks)
	}
}

// A cluster that does not get done with a large request in time gets smaller ones; one that does
// not get done with a small one is away.
func TestBulkTooSlow(t *testing.T) {
	t.Parallel()
	const many = 600
	s := serve(t, httptest.NewServer)
	address, err := opensearch.ParseAddress("opensearch://" + strings.TrimPrefix(s.URL, "http://") + "/docs?tls=off")
	if err != nil {
		t.Fatal(err)
	}
	c, err := opensearch.New(opensearch.Config{Address: address, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	ends := make(chan struct{})
	t.Cleanup(func() { close(ends) })
	late := func(http.ResponseWriter, []string) {
		s.mu.Unlock() // others may ask meanwhile
		<-ends
		s.mu.Lock()
	}
	s.answers = []func(http.ResponseWriter, []string){late}
	if err := c.Apply(t.Context(), "docs-1", changes(many), true); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	if len(s.stored) != many || len(s.bulks[1]) > many/4 || len(s.bulks[2]) > many/2 {
		t.Errorf("%d of %d chunks were stored; %d, %d and %d were sent at first", len(s.stored), many, len(s.bulks[0]), len(s.bulks[1]), len(s.bulks[2]))
	}
	before := len(s.bulks)
	s.answers = []func(http.ResponseWriter, []string){late}
	s.mu.Unlock()
	says(t, c.Apply(t.Context(), "docs-1", changes(2), true), engine.ErrDown, "did not answer in 1s")
	s.mu.Lock()
	defer s.mu.Unlock()
	if sent := len(s.bulks) - before; sent != 1 {
		t.Errorf("a small request was sent %d times", sent)
	}
}

// What waiting does not help is said at once.
func TestBulkRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, httptest.NewServer)
	c := s.client(t, "", "tls=off")
	for _, r := range []struct {
		answer func(http.ResponseWriter, []string)
		is     error
		say    string
	}{
		{func(w http.ResponseWriter, ids []string) {
			s.items(w, ids, func(int) string {
				return `{"status":429,"error":{"type":"cluster_block_exception","reason":"index [docs-1] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block];"}}`
			})
		}, engine.ErrDown, "disk is nearly full"},
		{func(w http.ResponseWriter, ids []string) {
			s.items(w, ids, func(int) string {
				return `{"status":404,"error":{"type":"index_not_found_exception","reason":"no such index [docs-1-write] and [require_alias] request flag is [true]"}}`
			})
		}, engine.ErrMissing, "footnote engine rebuild"},
		{func(w http.ResponseWriter, ids []string) { // the cluster has waited for the shard already
			s.items(w, ids, func(int) string {
				return `{"status":503,"error":{"type":"unavailable_shards_exception","reason":"[docs-1][0] primary shard is not active Timeout: [10s]"}}`
			})
		}, engine.ErrDown, "lacks shards"},
		{refuse(403, "security_exception", "no permissions for [indices:data/write/bulk]"), engine.ErrDown, `begin with "docs"`},
		{func(w http.ResponseWriter, _ []string) { write(w, `{"items":[]}`) }, engine.ErrDown, "results for 0 of 2 changes"},
		{func(w http.ResponseWriter, _ []string) {
			w.Header().Set("Content-Length", "1000")
			write(w, `{"items":[`)
		}, engine.ErrDown, "broke off"},
	} {
		before := len(s.bulks)
		s.answers = []func(http.ResponseWriter, []string){r.answer}
		says(t, c.Apply(t.Context(), "docs-1", changes(2), true), r.is, r.say)
		if sent := len(s.bulks) - before; sent != 1 {
			t.Errorf("%q was tried %d times", r.say, sent)
		}
	}
}

// A cluster that never has room ends a write, and somebody who stops waiting does so at once.
func TestBulkGivesUp(t *testing.T) {
	t.Parallel()
	s := serve(t, httptest.NewServer)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("stopped")
	always := refuse(429, "rejected_execution_exception", "full")
	s.answers = []func(http.ResponseWriter, []string){always, always, func(w http.ResponseWriter, ids []string) {
		cancel(why)
		always(w, ids)
	}}
	if err := s.client(t, "", "tls=off").Apply(ctx, "docs-1", changes(2), true); err == nil {
		t.Error("a write that was stopped gave no error")
	}
	if len(s.bulks) != 3 {
		t.Errorf("it was tried %d times", len(s.bulks))
	}
}

// An index that another release laid out is neither searched nor written to, and counts as lost:
// made anew it is right.
func TestIndexOfAnotherRelease(t *testing.T) {
	t.Parallel()
	s := serve(t, httptest.NewServer)
	for _, layout := range []string{`{"docs-1":{"mappings":{"_meta":{"footnote":1}}}}`, `{"docs-1":{"mappings":{}}}`, `{}`} {
		s.layout = layout
		c := s.client(t, "", "tls=off")
		_, err := c.Search(t.Context(), engine.Query{Index: "docs-1"})
		says(t, err, engine.ErrMissing, "another release", "footnote engine rebuild")
		says(t, c.Apply(t.Context(), "docs-1", changes(1), true), engine.ErrMissing, "another release")
		says(t, c.Space(t.Context(), "docs-1", 1, 2), engine.ErrMissing, "another release")
	}
	if len(s.bulks) > 0 {
		t.Errorf("%d requests were made to write there", len(s.bulks))
	}
}

// Half an answer is no answer.
func TestSearchWithoutAllShards(t *testing.T) {
	t.Parallel()
	s := serve(t, httptest.NewServer)
	c := s.client(t, "", "tls=off")
	for answer, is := range map[string]error{
		`{"responses":[{"status":200,"timed_out":false,"_shards":{"total":2,"failed":1},"hits":{"total":{"value":3},"hits":[]}}]}`: engine.ErrDown,
		`{"responses":[{"status":200,"timed_out":true,"_shards":{"failed":0},"hits":{"total":{"value":3},"hits":[]}}]}`:            engine.ErrDown,
		`{"responses":[{"status":404,"error":{"type":"index_not_found_exception","reason":"no such index [docs-1]"}}]}`:            engine.ErrMissing,
		`{"responses":[{"status":503,"error":{"type":"search_phase_execution_exception","reason":"all shards failed"}}]}`:          engine.ErrDown,
		`{"responses":[{"status":429,"error":{"type":"circuit_breaking_exception","reason":"[parent] Data too large"}}]}`:          engine.ErrDown,
		`{"responses":[]}`: engine.ErrDown,
	} {
		s.search = answer
		_, err := c.Search(t.Context(), engine.Query{Index: "docs-1", Tenant: "t", Lists: []int32{1}, PerSide: 10})
		if !errors.Is(err, is) {
			t.Errorf("%s: %v, want %v", answer, err, is)
		}
	}
}
