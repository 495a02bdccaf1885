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

// World is what a fake of a service holds: it is read and changed under one lock, and has its own
// time.
type World struct {
	Mu   sync.Mutex
	Time time.Time // by Mu
}

// Do changes the world while no one looks.
func (w *World) Do(change func()) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	change()
}

// Now is the time in the world.
func (w *World) Now() time.Time {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.Time
}

// Pass lets time pass.
func (w *World) Pass(d time.Duration) { w.Do(func() { w.Time = w.Time.Add(d) }) }

// Fault is something that goes wrong with requests to an API.
type Fault struct {
	Path string // is a part of what the log says of them
	// Answer takes the place of the answer. Nil: it is cut in the middle.
	Answer http.HandlerFunc
	// Then happens once it was answered as usual, where the fake says that it does this.
	Then func()
}

// API is what fakes of web APIs have in common. S is how they may be switched to behave. It is safe
// for concurrent use.
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

// Interceptor answers a request instead of a fake, whose own answer it may use.
type Interceptor func(w http.ResponseWriter, r *http.Request, fake http.HandlerFunc)

// Intercept has by answer every request; nil ends that.
func (a *API[S]) Intercept(by Interceptor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers = by
}

// Handler answers as fake does, or as the interceptor does.
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

// Serve begins to answer. The server ends with the test, or when it is closed.
func (a *API[S]) Serve(t testing.TB, answer http.HandlerFunc) *httptest.Server {
	web := httptest.NewServer(a.Handler(answer))
	t.Cleanup(web.Close)
	a.URL, a.web = web.URL, web
	return web
}

// Close ends the server and its connections. A test that makes many servers calls it before it
// ends.
func (a *API[S]) Close() {
	a.web.CloseClientConnections()
	a.web.Close()
}

// Revoke has the credential accepted no more, or again.
func (a *API[S]) Revoke(revoked bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.revoked = revoked
}

// Revoked reports whether the credential is accepted no more.
func (a *API[S]) Revoked() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.revoked
}

// Switch changes how the server behaves.
func (a *API[S]) Switch(change func(*S)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.switches)
}

// Is how the server is to behave now.
func (a *API[S]) Is() S {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.switches
}

// Mark is how many requests were made so far.
func (a *API[S]) Mark() int { return len(a.Log.All()) }

// Counts is how many requests were made that hold a part, since a mark.
func (a *API[S]) Counts(since int, part string) int {
	n := 0
	for _, entry := range a.Log.All()[since:] {
		if strings.Contains(entry, part) {
			n++
		}
	}
	return n
}

// Entry is what the log says of a request.
func Entry(r *http.Request) string { return r.Method + " " + r.URL.RequestURI() }

// Fails takes the place of an answer, if something is to go wrong with a request of which the log
// says entry: half is what is sent of one that is cut.
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
	_, _ = w.Write([]byte(half)) // who went away wants nothing
	return true
}

// Head writes a status, and headers: names and values in turns.
func Head(w http.ResponseWriter, status int, header []string) {
	for i := 0; i+1 < len(header); i += 2 {
		w.Header().Set(header[i], header[i+1])
	}
	w.WriteHeader(status)
}

// Match takes a path apart by a pattern, "space/*/permissions": found is what stands for the stars.
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

// Break has up to five things go wrong at random: with requests that hold one of the parts, of
// which some are answered by one of the answers, and the others are cut.
func (a *API[S]) Break(random *rand.Rand, parts []string, answers ...http.HandlerFunc) {
	for range random.IntN(6) {
		f := Fault{Path: parts[random.IntN(len(parts))]}
		if i := random.IntN(len(answers) + 1); i < len(answers) {
			f.Answer = answers[i]
		}
		a.Faults.Add(f, random.IntN(8), 1+random.IntN(6))
	}
}

// Page answers with a page to log in.
func Page(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>log in</html>")) }
