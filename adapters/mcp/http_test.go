package mcp_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/mcp"
	"github.com/footnotehq/footnote/adapters/mcp/mcptest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/filter"
	core "github.com/footnotehq/footnote/core/mcp"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
)

const secret, second = "footnote_secret", "footnote_second"

// forReading is how long a server gives a client for a request.
const forReading = 10 * time.Second

// world is a server and what it asks.
type world struct {
	http   *httptest.Server
	conns  *watching
	calls  atomic.Int64
	asked  atomic.Pointer[access.Account] // about whom the platform was asked last
	hold   chan struct{}                  // calls wait until it is closed; nil: they do not
	finds  atomic.Int64
	looked chan struct{} // tokens are looked up once it is closed; nil: at once
	while  func()        // is done in every call; nil: nothing
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newAsking(t, nil)
}

// newAsking is a world whose questions a loop answers.
func newAsking(t *testing.T, loop core.Loop, set ...func(*mcp.HTTPConfig)) *world {
	t.Helper()
	w := &world{}
	index := retrievetest.NewMemory()
	if err := index.Put(t.Context(), access.DefaultTenant, retrievetest.One("leave", "Leave", "Vacation is thirty days.")); err != nil {
		t.Fatal(err)
	}
	hybrid, err := retrieve.NewHybrid(index, nil, retrieve.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	counter := budgettest.NewWords()
	service := core.New(core.Deps{
		Tenant: access.DefaultTenant, Loop: loop, Tokens: w, People: w, Quotas: w, Journal: w, Catalogue: w, Policies: w,
		Search: search.New(hybrid, nil, counter, search.Config{}), Counter: counter, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
		Sources: func(context.Context, session.Place) ([]document.SourceID, error) { return nil, nil },
		Filter:  func() (*filter.Filter, error) { return nil, nil },
		Render:  func(answer string, _ []message.Citation) string { return answer },
	})
	w.http = httptest.NewUnstartedServer(nil)
	config := mcp.HTTPConfig{Host: w.http.Listener.Addr().String(), Version: "1", Logger: slog.New(slog.DiscardHandler)}
	for _, f := range set {
		f(&config)
	}
	w.http.Config.Handler = mcp.Handler(service, config)
	w.conns = &watching{Listener: w.http.Listener}
	w.http.Listener, w.http.Config.ReadTimeout = w.conns, forReading
	w.http.Start()
	t.Cleanup(w.http.Close)
	return w
}

func (w *world) Find(_ context.Context, _ access.TenantID, hash core.Hash) (core.Token, error) {
	w.finds.Add(1)
	if w.looked != nil {
		<-w.looked
	}
	switch hash {
	case core.HashOf(secret), core.HashOf(second): // of one person
		return core.Token{ID: "t1", Expires: time.Now().Add(time.Hour)}, nil
	case core.HashOf("footnote_old"):
		return core.Token{ID: "t2", Expires: time.Now().Add(-time.Hour)}, nil
	case core.HashOf("footnote_away"):
		return core.Token{}, errors.New("postgres://user:hunter2@db is away")
	}
	return core.Token{}, core.ErrUnknownToken
}

func (w *world) Alone(ctx context.Context, a access.Account) (access.Presence, error) {
	w.calls.Add(1)
	if w.while != nil {
		w.while()
	}
	if w.hold != nil {
		select {
		case <-w.hold:
		case <-ctx.Done():
		}
	}
	named := a
	w.asked.Store(&named)
	if a.Platform == "slack" {
		a.Workspace.ID = "T1" // that the server is connected to
	}
	return access.Presence{Tenant: access.DefaultTenant, People: []access.Account{a}, Held: []access.Held{{Principal: access.Members}}}, ctx.Err()
}

func (w *world) Count(context.Context, access.TenantID, []session.Quota) (time.Time, error) {
	return time.Time{}, nil
}

func (w *world) Exhausted(context.Context, access.TenantID, []session.Quota, time.Time) ([]session.Quota, error) {
	return nil, nil
}

func (w *world) Policy(context.Context, access.TenantID, session.Place) (policy.Effective, error) {
	return policy.Resolve(), nil
}
func (w *world) Called(context.Context, access.TenantID, core.Called) error { return nil }
func (w *world) Searchable(context.Context, access.Audience) []tool.Source  { return nil }

func (w *world) dial() (net.Conn, error) { return net.Dial("tcp", w.http.Listener.Addr().String()) }

const searching = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"vacation"}}}`

// post sends a request and returns its status and body.
func (w *world) post(t *testing.T, token string, body io.Reader, edit func(*http.Request)) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.http.URL+mcp.Path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if edit != nil {
		edit(r)
	}
	res, err := w.http.Client().Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20)) // what came of an answer that was cut counts
	return res.StatusCode, string(text)
}

func TestClientCallsTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client, err := mcptest.Dial(t, w.http.URL+mcp.Path, secret)
	if err != nil {
		t.Fatal(err)
	}
	if got := client.Tools(); !slices.Equal(slices.Sorted(slices.Values(got)), []string{"list_sources", "read_document", "search"}) {
		t.Errorf("the tools are %v", got)
	}
	if client.Protocol() != "2026-07-28" {
		t.Errorf("the protocol is %s", client.Protocol())
	}
	if got := client.Get("search", map[string]any{"query": "vacation"}); !strings.Contains(got, "thirty days") {
		t.Errorf("found %s", got)
	}
	if text, refused, err := client.Call(t.Context(), "search", map[string]any{}); err != nil || !refused || !strings.Contains(text, "nothing to search for") {
		t.Errorf("a search for nothing: %q, %t, %v", text, refused, err)
	}
	if _, _, err := client.Call(t.Context(), "delete_everything", nil); err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Errorf("an unknown tool: %v", err)
	}
	if _, err := mcptest.Dial(t, w.http.URL+mcp.Path, "footnote_wrong"); err == nil {
		t.Error("a wrong token connects")
	}
}

func TestRequestsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct {
		token  string
		edit   func(*http.Request)
		status int
		says   string
	}{
		"fine":         {secret, nil, 200, "thirty days"},
		"no token":     {"", nil, 401, "a personal token is needed"},
		"unknown":      {"footnote_wrong", nil, 401, "not known here"},
		"expired":      {"footnote_old", nil, 401, "has expired"},
		"not a bearer": {"", func(r *http.Request) { r.SetBasicAuth("a", secret) }, 401, ""},
		"store away":   {"footnote_away", nil, 500, "try again later"},
		"other host":   {secret, func(r *http.Request) { r.Host = "evil.example" }, 403, "another host"},
		"other origin": {secret, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403, ""},
		"other site":   {secret, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403, ""},
		"a stream":     {secret, func(r *http.Request) { r.Method, r.Body, r.ContentLength = http.MethodGet, nil, 0 }, 405, ""},
		"a form":       {secret, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415, ""},
	} {
		status, body := w.post(t, c.token, strings.NewReader(searching), c.edit)
		if status != c.status || !strings.Contains(body, c.says) || strings.Contains(body, "hunter2") {
			t.Errorf("%s: %d %s, want %d and %q", name, status, body, c.status, c.says)
		}
	}
}

func TestBatchesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	batch := " [" + strings.Repeat(searching+",", 100) + searching + "]"
	for _, version := range []string{"", "2025-03-26"} {
		status, body := w.post(t, secret, strings.NewReader(batch), func(r *http.Request) {
			if r.Header.Del("Mcp-Protocol-Version"); version != "" {
				r.Header.Set("Mcp-Protocol-Version", version)
			}
		})
		if status != http.StatusBadRequest || w.calls.Load() != 0 {
			t.Errorf("version %q: %d %s, %d calls", version, status, body, w.calls.Load())
		}
	}
}

// Tokens that are made up, however many at once, take no place of a call.
func TestMadeUpTokensTakeNoPlaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.looked = make(chan struct{})
	var all sync.WaitGroup
	for range 2 * mcp.MaxRequests {
		all.Go(func() {
			if status, body := w.post(t, "footnote_wrong", strings.NewReader(searching), nil); status != http.StatusUnauthorized {
				t.Errorf("%d %s", status, body)
			}
		})
	}
	all.Go(func() {
		if status, body := w.post(t, secret, strings.NewReader(searching), nil); status != http.StatusOK {
			t.Errorf("beside made-up tokens: %d %s", status, body)
		}
	})
	for w.finds.Load() == 0 {
		runtime.Gosched()
	}
	close(w.looked)
	all.Wait()
}

// repeated is an endless body that counts how much of it was read.
type repeated struct{ read atomic.Int64 }

func (r *repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	if r.read.Add(int64(len(p))) > 100<<20 {
		return 0, io.EOF
	}
	return len(p), nil
}

func TestLargeBodyIsRefusedUnread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for token, status := range map[string]int{secret: http.StatusRequestEntityTooLarge, "footnote_wrong": http.StatusUnauthorized} {
		body := &repeated{}
		got, text := w.post(t, token, io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`), body), nil)
		if got != status && got != 0 { // or the connection was cut while the client was sending
			t.Errorf("100 MB: %d %s, want %d", got, text, status)
		}
		if n := body.read.Load(); n > 16<<20 {
			t.Errorf("%d bytes were taken", n)
		}
	}
}

// A thousand streams of one person leave room for another, and cost nothing once they end.
func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hold = make(chan struct{})
	before := runtime.NumGoroutine()
	var all sync.WaitGroup
	var turned, answered atomic.Int64
	const streams = 1000
	for i := range streams {
		all.Go(func() {
			switch status, body := w.post(t, []string{secret, second}[i%2], strings.NewReader(searching), nil); status {
			case http.StatusTooManyRequests:
				if turned.Add(1) == streams-mcp.MaxPerPerson {
					close(w.hold)
				}
			case http.StatusOK:
				answered.Add(1)
			default:
				t.Errorf("%d %s", status, body)
			}
		})
	}
	all.Wait()
	if turned.Load() != streams-mcp.MaxPerPerson || answered.Load() != mcp.MaxPerPerson || w.calls.Load() != mcp.MaxPerPerson {
		t.Errorf("%d were turned away and %d answered, by %d calls", turned.Load(), answered.Load(), w.calls.Load())
	}
	if status, body := w.post(t, secret, strings.NewReader(searching), nil); status != http.StatusOK {
		t.Errorf("afterwards: %d %s", status, body)
	}
	t.Logf("goroutines: %d before, %d after", before, runtime.NumGoroutine())
}

// watched is a connection whose deadlines a test looks at, in Unix nanoseconds.
type watched struct {
	net.Conn
	read, write *atomic.Int64
}

func (c watched) SetReadDeadline(at time.Time) error {
	c.read.Store(at.UnixNano())
	return c.Conn.SetReadDeadline(at)
}

func (c watched) SetWriteDeadline(at time.Time) error {
	c.write.Store(at.UnixNano())
	return c.Conn.SetWriteDeadline(at)
}

type watching struct {
	net.Listener
	read, write atomic.Int64
}

func (l *watching) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return watched{c, &l.read, &l.write}, err
}

// A client that never reads, or never sends, holds a connection no longer than the deadlines that
// it gets. A call is not cut by the deadline for reading its request.
func TestConnectionsHaveDeadlines(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var read, write time.Duration // that are left in the call
	w.while = func() {
		read, write = time.Until(time.Unix(0, w.conns.read.Load())), time.Until(time.Unix(0, w.conns.write.Load()))
	}
	if status, body := w.post(t, secret, strings.NewReader(searching), nil); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	for what, left := range map[string]time.Duration{"reading": read, "writing": write} {
		if left < core.CallTimeout || left > 2*core.CallTimeout {
			t.Errorf("%s ends in %v", what, left)
		}
	}
}

func TestServeAnswersOverStreams(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{"ends": "", "nonsense": "not json\n", "long": strings.Repeat("a", 1<<20) + "\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := core.New(core.Deps{Logger: slog.New(slog.DiscardHandler), Now: time.Now})
			done := make(chan struct{})
			go func() {
				defer close(done)
				_ = mcp.Serve(t.Context(), service, core.Caller{}, "1", slog.New(slog.DiscardHandler), io.NopCloser(strings.NewReader(in)), discard{})
			}()
			select {
			case <-done:
			case <-time.After(time.Minute):
				t.Error("it did not end")
			}
		})
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }
