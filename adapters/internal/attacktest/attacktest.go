// Package attacktest tests a vendor's connector against its fake while the fake responds like a
// hostile server.
package attacktest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// Source describes the connector that is attacked, and the fake server that the connector reads.
type Source struct {
	Name      string   // vendor's name in error messages
	Secrets   []string // credentials that no other host and no error may contain
	URL       string   // address of the fake
	Intercept func(servertest.Interceptor)
	Pass      func(time.Duration) // advances the fake's clock
	Open      func() (index.Connector, error)
	People    []string // native ids for point checks: one person with access to something, one without
	// Gone reports whether an attack on a target looks like a response with which the vendor
	// reports a deletion. If nil, no attack does.
	Gone func(attack, target string) bool
}

const (
	// mostRequests is the maximum number of requests of a run under attack. It is several times
	// sourcehttp.MaxPages, because several lists may be endless.
	mostRequests = 60_000
	day          = 25 * time.Hour // after this time, every source runs a full scan
	forget       = 8 * day        // after this time, every source removes missing documents
)

// target names a class of similar requests, such as "GET /rest/api/space/N". Numbers in a path are
// replaced by N. For GraphQL it is the name of the query.
type target string

var (
	numbers   = regexp.MustCompile(`[0-9]+`)
	operation = regexp.MustCompile(`"query":"query ([A-Za-z]+)`)
)

func targetOf(r *http.Request) (target, []byte) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", nil // the client has disconnected
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if found := operation.FindSubmatch(body); found != nil {
		return target("query " + string(found[1])), body
	}
	name := r.Method + " " + numbers.ReplaceAllString(r.URL.Path, "N")
	for _, param := range []string{"cql", "q", "type"} { // the first words distinguish searches
		words := strings.Fields(numbers.ReplaceAllString(r.URL.Query().Get(param), "N"))
		name += " " + strings.Join(words[:min(len(words), 4)], " ")
	}
	if r.Header.Get("Authorization") == "" {
		name += " (anonymous)"
	}
	return target(strings.TrimSpace(name)), body
}

type attack struct {
	name string
	// answer responds in place of the fake. It reports whether the response differs from the fake's
	// response.
	answer func(s *scene, w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) bool
	once   bool // the attack takes long: it is made only on a first pass
	// most is the number of requests after which a pass ends without an error. If 0, a pass fails
	// after mostRequests.
	most int
}

type scene struct {
	Source
	t       testing.TB
	reading *sourcetest.Reading[index.Connector]
	evil    *httptest.Server

	mu       sync.Mutex
	stolen   []string // secrets that reached another host
	requests int
	struck   bool
	followed bool // a page with an invented cursor was requested
	unread   int  // number of groups and nodes that the last pass could not read
	fresh    int  // counter for invented cursors
	answers  map[string]*httptest.ResponseRecorder

	points  []index.Point
	allowed map[string]bool // by person and point: point checks that an honest server allows
}

func newScene(t testing.TB, open func(testing.TB) Source) *scene {
	s := &scene{t: t, Source: open(t), answers: make(map[string]*httptest.ResponseRecorder)}
	s.evil = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var all bytes.Buffer
		_ = r.Write(&all) // the request has already been read
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.Header.Get("Authorization") != "" || s.containsSecret(all.String()) {
			s.stolen = append(s.stolen, r.Method+" "+r.URL.Path)
		}
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(s.evil.Close)
	return s
}

func (s *scene) containsSecret(text string) bool {
	return slices.ContainsFunc(s.Secrets, func(secret string) bool { return strings.Contains(text, secret) })
}

func (s *scene) elsewhere() string { return strings.Replace(s.evil.URL, "127.0.0.1", "localhost", 1) }

func (s *scene) begin() { s.reading = sourcetest.Read(s.t, s.Open) }

func (s *scene) targets() ([]target, map[string]*document.Document) {
	all := make(map[target]bool)
	s.Intercept(func(w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) {
		of, _ := targetOf(r)
		s.mu.Lock()
		all[of] = true
		s.mu.Unlock()
		fake(w, r)
	})
	defer s.Intercept(nil)
	s.begin()
	s.quiet("before the attack")
	s.Pass(day)
	s.quiet("a day later")
	s.points = nil
	for _, d := range s.reading.Documents() {
		for _, p := range d.ACL {
			if _, node, ok := access.ParseNode(p); ok {
				s.points = append(s.points, index.Point{Document: d.ID, Node: node})
			}
		}
	}
	s.allowed = s.ask(s.t.Context())
	return slices.Sorted(maps.Keys(all)), s.reading.Documents()
}

// ask returns the permissions that the connector's point checks grant. Each has the form "ann reads
// doc1 below folder2". The result is nil if the connector has no point checks.
func (s *scene) ask(ctx context.Context) map[string]bool {
	checker, ok := s.reading.Connector.(index.PointChecker)
	if !ok {
		return nil
	}
	allowed := make(map[string]bool)
	for _, person := range s.People {
		for point, said := range checker.MayRead(ctx, person, s.points) {
			if said == index.Allowed {
				allowed[fmt.Sprintf("%s reads %s below %s", person, point.Document, point.Node)] = true
			}
		}
	}
	return allowed
}

func (s *scene) pass(ctx context.Context) (failed []error) {
	s.reading.Again()
	_, err := s.reading.Sync(ctx)
	failed = append(failed, err)
	var readers sourcetest.Readers
	if groups, ok := s.reading.Connector.(index.GroupReader); ok {
		failed = append(failed, readers.ReadGroups(ctx, groups))
	}
	if nodes, ok := s.reading.Connector.(index.NodeReader); ok {
		failed = append(failed, readers.ReadNodes(ctx, nodes))
	}
	s.unread = len(readers.Unread) + len(readers.UnreadGroups)
	return slices.DeleteFunc(failed, func(err error) bool { return err == nil })
}

func (s *scene) quiet(when string) {
	s.t.Helper()
	for _, err := range s.pass(s.t.Context()) {
		s.t.Errorf("%s: %v", when, err)
	}
}

var errEndless = errors.New("the pass makes too many requests")

var errEnough = errors.New("the attack has lasted long enough")

// attacked runs the connector while an attack answers all requests of the target on. It fails the
// test if an error or a permission is wrong, or if a notice contains a secret.
func (s *scene) attacked(a attack, on target) {
	s.t.Helper()
	ctx, stop := context.WithCancelCause(s.t.Context())
	defer stop(nil)
	s.mu.Lock()
	s.requests, s.followed = 0, false
	clear(s.answers)
	s.mu.Unlock()
	s.Intercept(func(w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) {
		of, _ := targetOf(r)
		s.mu.Lock()
		s.requests++
		switch {
		case a.most > 0 && s.requests > a.most:
			stop(errEnough)
		case s.requests > mostRequests:
			stop(errEndless)
		}
		s.mu.Unlock()
		if of != on {
			fake(w, r)
			return
		}
		struck := a.answer(s, w, r, fake)
		s.mu.Lock()
		s.struck = s.struck || struck
		s.mu.Unlock()
	})
	defer s.Intercept(nil)
	failed := s.pass(ctx)
	for _, err := range failed {
		s.judge(err)
	}
	for what := range s.ask(ctx) {
		if !s.allowed[what] {
			s.t.Errorf("a point check allows what an honest server does not: %s", what)
		}
	}
	if s.readFlag(&s.followed) && len(failed)+s.unread+len(s.reading.Last.Failures) == 0 {
		s.t.Error("a list has no end, and nothing tells of it")
	}
	for _, n := range slices.Concat(s.reading.Last.Failures, s.reading.Last.Skipped) {
		if s.containsSecret(n.Name + n.Sentence) {
			s.t.Errorf("a notice shows a secret: %q", n.Sentence)
		}
	}
}

func (s *scene) readFlag(noted *bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *noted
}

func (s *scene) judge(err error) {
	s.t.Helper()
	text := err.Error()
	switch {
	case errors.Is(err, errEnough):
	case errors.Is(err, errEndless):
		s.t.Errorf("the pass does not end: %d requests", s.requests)
	case s.containsSecret(text):
		s.t.Errorf("the error shows a secret: %v", err)
	case !strings.Contains(text, s.Name):
		s.t.Errorf("the error does not name %s: %v", s.Name, err)
	case len(text) > 2000 || strings.IndexFunc(text, unicode.IsControl) >= 0:
		s.t.Errorf("the error is no sentence: %.3000q", text)
	}
}

func (s *scene) checkDocuments(want map[string]*document.Document, when string) {
	s.t.Helper()
	is := s.reading.Documents()
	var lost []string
	for _, id := range slices.Sorted(maps.Keys(want)) {
		if is[id] == nil {
			lost = append(lost, id)
		}
	}
	if len(lost) > 0 {
		s.t.Errorf("%s: %d of %d documents are removed: %.500q", when, len(lost), len(want), lost)
	}
	other := strings.TrimPrefix(s.elsewhere(), "http://")
	for id, d := range is {
		if at, err := url.Parse(d.URL); err != nil || at.Host == other || at.Host == "" || at.User != nil {
			s.t.Errorf("%s: a citation of %q leads to %q", when, id, d.URL)
		}
		if strings.ContainsRune(string(d.ID)+d.URL+d.Title+d.Text(), 0) {
			s.t.Errorf("%s: %q holds a NUL, which no database stores", when, id)
		}
	}
}

// Run attacks every class of a connector's requests, in a subtest for each class and attack. It
// does not make the attacks of [RunBombs]. The name of the calling test must contain "Hostile".
func Run(t *testing.T, open func(testing.TB) Source) {
	first := newScene(t, open)
	targets, _ := first.targets()
	for _, a := range attacks {
		for _, on := range targets {
			t.Run(a.name+"/"+string(on), func(t *testing.T) {
				t.Parallel()
				strike(t, open, first, a, on)
			})
		}
	}
}

func strike(t *testing.T, open func(testing.TB) Source, honest *scene, a attack, on target) {
	s := newScene(t, open)
	s.points, s.allowed = honest.points, honest.allowed
	s.begin()
	s.attacked(a, on)
	defer func() {
		if len(s.stolen) > 0 {
			t.Errorf("the credential reached another host: %q", s.stolen)
		}
	}()
	if !s.readFlag(&s.struck) {
		return // the attack changes nothing in these responses
	}
	s.checkDocuments(nil, "under attack")
	if a.once || s.Gone != nil && s.Gone(a.name, string(on)) {
		return
	}
	_, whole := s.targets()
	s.Pass(day)
	s.attacked(a, on)
	s.checkDocuments(whole, "under attack")
	s.Pass(forget)
	s.attacked(a, on)
	s.checkDocuments(whole, "a week later")
	s.Pass(day)
	s.quiet("after the attack")
	s.checkDocuments(whole, "after the attack")
}

func record(r *http.Request, fake http.HandlerFunc) *httptest.ResponseRecorder {
	r.Header.Del("If-None-Match")
	answer := httptest.NewRecorder()
	fake(answer, r)
	return answer
}

func send(w http.ResponseWriter, answer *httptest.ResponseRecorder, body []byte) {
	maps.Copy(w.Header(), answer.Header())
	w.Header().Del("Content-Length")
	w.Header().Del("ETag")
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body) // the client may have disconnected
}

// changed returns an attack that applies change to every JSON value in a response. name is the JSON
// field of the value.
func changed(change func(s *scene, name string, value any) any) func(*scene, http.ResponseWriter, *http.Request, http.HandlerFunc) bool {
	return func(s *scene, w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) bool {
		answer := record(r, fake)
		before, err := decode(answer.Body.Bytes())
		if err != nil || answer.Code != http.StatusOK {
			send(w, answer, answer.Body.Bytes())
			return false
		}
		body, err := json.Marshal(each(before, "", func(name string, value any) any { return change(s, name, value) }))
		if err != nil {
			s.t.Error(err)
		}
		send(w, answer, body)
		same, err := json.Marshal(before)
		return err == nil && !bytes.Equal(body, same)
	}
}

func decode(body []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	return value, d.Decode(&value)
}

func each(value any, name string, change func(name string, value any) any) any {
	switch v := value.(type) {
	case map[string]any:
		other := make(map[string]any, len(v))
		for key, part := range v {
			other[key] = each(part, key, change)
		}
		value = other
	case []any:
		other := make([]any, len(v))
		for i, part := range v {
			other[i] = each(part, name, change)
		}
		value = other
	}
	return change(name, value)
}

func texts(name string, fits func(name, text string) bool, change func(s *scene, text string) string) attack {
	return attack{name: name, answer: changed(func(s *scene, name string, value any) any {
		if text, is := value.(string); is && fits(name, text) {
			return change(s, text)
		}
		return value
	})}
}

func isAddress(_, text string) bool {
	at, err := url.Parse(text)
	return err == nil && (at.Scheme == "https" || at.Scheme == "http")
}

func named(names ...string) func(name, text string) bool {
	return func(name, _ string) bool { return slices.Contains(names, name) }
}

var (
	isID    = named("id", "node_id", "fileId", "accountId", "userKey", "groupId", "key", "driveId", "spaceId", "parentId", "parents")
	isTitle = named("title", "name", "summary", "displayName", "login", "full_name", "nameWithOwner", "body", "plain_text", "text", "value", "filename")
)

func fixed(status int, header map[string]string, body string) func(*scene, http.ResponseWriter, *http.Request, http.HandlerFunc) bool {
	return func(_ *scene, w http.ResponseWriter, _ *http.Request, _ http.HandlerFunc) bool {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}
}

func redirect(status int, to func(s *scene, r *http.Request) string) func(*scene, http.ResponseWriter, *http.Request, http.HandlerFunc) bool {
	return func(s *scene, w http.ResponseWriter, r *http.Request, _ http.HandlerFunc) bool {
		w.Header().Set("Location", to(s, r))
		w.WriteHeader(status)
		return true
	}
}

func other(s *scene, r *http.Request) string { return s.elsewhere() + r.URL.RequestURI() }

var attacks = slices.Concat([]attack{
	{name: "redirect to another host", answer: redirect(http.StatusFound, other)},
	{name: "redirect to another port", answer: redirect(http.StatusTemporaryRedirect, func(s *scene, r *http.Request) string { return s.evil.URL + r.URL.RequestURI() })},
	{name: "redirect with a password", answer: redirect(http.StatusPermanentRedirect, func(s *scene, r *http.Request) string {
		return "http://" + s.URL[strings.Index(s.URL, "//")+2:] + "@" + strings.TrimPrefix(s.elsewhere(), "http://") + r.URL.RequestURI()
	})},
	{name: "redirect to another scheme", answer: redirect(http.StatusFound, func(s *scene, r *http.Request) string {
		if secure, is := strings.CutPrefix(s.URL, "https"); is {
			return "http" + secure + r.URL.RequestURI()
		}
		return "https" + strings.TrimPrefix(s.URL, "http") + r.URL.RequestURI()
	})},
	{name: "redirect in a circle", answer: redirect(http.StatusFound, func(s *scene, r *http.Request) string { return s.URL + r.URL.RequestURI() })},
	{name: "redirect to a file", answer: redirect(http.StatusFound, func(*scene, *http.Request) string { return "file:///etc/passwd" })},
	{name: "deep arrays", answer: fixed(http.StatusOK, nil, strings.Repeat("[", 100_000))},
	{name: "deep objects", answer: fixed(http.StatusOK, nil, strings.Repeat(`{"a":`, 100_000))},
	{name: "deep refusal", answer: fixed(http.StatusForbidden, nil, `{"error":`+strings.Repeat("[", 100_000))},
	{name: "null", answer: fixed(http.StatusOK, nil, "null")},
	{name: "an empty object", answer: fixed(http.StatusOK, nil, "{}")},
	{name: "a number", answer: fixed(http.StatusOK, nil, "7")},
	{name: "a text", answer: fixed(http.StatusOK, nil, `"text"`)},
	{name: "nothing", answer: fixed(http.StatusOK, nil, "")},
	{name: "no content", answer: fixed(http.StatusNoContent, nil, "")},
	{name: "bytes", answer: fixed(http.StatusOK, nil, "\x00\xff\xfe{")},
	{name: "not modified", answer: fixed(http.StatusNotModified, nil, "")},
	{name: "endless", answer: endless, once: true},
}, shapes)
