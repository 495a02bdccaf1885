package servertest

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// World is the base of a fake service's state. It has a lock for the whole state, and a clock that
// tests set.
type World struct {
	Mu   sync.Mutex
	Time time.Time // guarded by Mu
}

// Do calls change while it holds the lock.
func (w *World) Do(change func()) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	change()
}

// Now returns the time on the world's clock.
func (w *World) Now() time.Time {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.Time
}

// Pass advances the world's clock by d.
func (w *World) Pass(d time.Duration) { w.Do(func() { w.Time = w.Time.Add(d) }) }

// Fault is a planned failure of requests to a fake [API].
type Fault struct {
	Path string // substring of the log entry
	// Answer replaces the response. If nil, the response is cut off in the middle.
	Answer http.HandlerFunc
	// Then runs after a normal response, if the fake supports this.
	Then func()
}

// API is the base of a fake web API. S is a struct of switches with which tests change the fake's
// behaviour. An API is safe for concurrent use.
type API[S any] struct {
	URL    string
	Faults Faults[Fault]
	Log    Log[string] // of requests: "GET /rest/api/space?limit=100"

	web      *httptest.Server
	mu       sync.Mutex
	revoked  bool
	switches S
	answers  Interceptor
}

// Interceptor answers a request in place of a fake. It may call the fake.
type Interceptor func(w http.ResponseWriter, r *http.Request, fake http.HandlerFunc)

// Intercept sets the interceptor that answers all further requests. nil removes it.
func (a *API[S]) Intercept(by Interceptor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers = by
}

// Handler returns a handler that calls the interceptor if there is one, and fake otherwise.
func (a *API[S]) Handler(fake http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		by := a.answers
		a.mu.Unlock()
		if by != nil {
			by(w, r, fake)
			return
		}
		fake(w, r)
	}
}

// Serve starts a server that answers requests with answer. It stops when the test ends or
// [API.Close] is called.
func (a *API[S]) Serve(t testing.TB, answer http.HandlerFunc) *httptest.Server {
	web := httptest.NewServer(a.Handler(answer))
	t.Cleanup(web.Close)
	a.URL, a.web = web.URL, web
	return web
}

// Close stops the server and closes its connections. Tests that start many servers call it early.
func (a *API[S]) Close() {
	a.web.CloseClientConnections()
	a.web.Close()
}

// Revoke revokes the credential if revoked is true, and restores it otherwise.
func (a *API[S]) Revoke(revoked bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.revoked = revoked
}

// Revoked reports whether the credential is revoked.
func (a *API[S]) Revoked() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.revoked
}

// Switch calls change with the switches while it holds the lock.
func (a *API[S]) Switch(change func(*S)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.switches)
}

// Is returns a copy of the switches.
func (a *API[S]) Is() S {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.switches
}

// Mark returns the number of requests so far, for [API.Counts].
func (a *API[S]) Mark() int { return len(a.Log.All()) }

// Counts returns the number of requests whose log entry contains the given part. It counts from a
// mark that [API.Mark] returned.
func (a *API[S]) Counts(since int, part string) int {
	n := 0
	for _, entry := range a.Log.All()[since:] {
		if strings.Contains(entry, part) {
			n++
		}
	}
	return n
}

// Entry returns the log entry of a request, such as "GET /rest/api/space?limit=100".
func Entry(r *http.Request) string { return r.Method + " " + r.URL.RequestURI() }

// Fails makes a request fail if a fault is planned for it, and reports whether one was. entry is
// the request's log entry. A fault without an Answer sends the text half and cuts the response off.
func (a *API[S]) Fails(w http.ResponseWriter, r *http.Request, entry, half string) bool {
	fault, faulty := a.Faults.Next(func(f Fault) bool { return strings.Contains(entry, f.Path) })
	if !faulty {
		return false
	}
	if fault.Answer != nil {
		fault.Answer(w, r)
		return true
	}
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(half)) // the client may have disconnected
	return true
}

// Head writes a status and headers. header has alternating names and values.
func Head(w http.ResponseWriter, status int, header []string) {
	for i := 0; i+1 < len(header); i += 2 {
		w.Header().Set(header[i], header[i+1])
	}
	w.WriteHeader(status)
}

// Match matches a path against a pattern such as "space/*/permissions". found has the path elements
// that the stars match.
func Match(pattern, path string) (found []string, ok bool) {
	have, want := strings.Split(strings.Trim(path, "/"), "/"), strings.Split(pattern, "/")
	if len(have) != len(want) {
		return nil, false
	}
	for i := range want {
		if want[i] == "*" {
			found = append(found, have[i])
		} else if want[i] != have[i] {
			return nil, false
		}
	}
	return found, true
}

// Break plans up to five random faults of requests whose log entry contains one of the parts. Each
// fault sends one of the answers or cuts the response off.
func (a *API[S]) Break(random *rand.Rand, parts []string, answers ...http.HandlerFunc) {
	for range random.IntN(6) {
		f := Fault{Path: parts[random.IntN(len(parts))]}
		if i := random.IntN(len(answers) + 1); i < len(answers) {
			f.Answer = answers[i]
		}
		a.Faults.Add(f, random.IntN(8), 1+random.IntN(6))
	}
}

// Page responds with a login page.
func Page(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>log in</html>")) }
