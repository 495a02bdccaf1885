package gitlabtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// Fault is a failure to inject into requests.
type Fault = servertest.Fault

// Server serves a [World] over HTTP, as GitLab's REST API does.
type Server struct {
	*World
	servertest.API[Switches]
	Token string

	limit servertest.Limit
}

// Switches make the server imitate peculiarities of some instances. Change them only within Switch.
type Switches struct {
	PerMinute int    // maximum number of requests per minute; 0: unlimited
	Silent    bool   // rate-limited answers do not say when to retry
	Short     int    // maximum entries per page; 0 means as many as requested
	Circle    bool   // the last page of each list links to the first
	MostDiffs int    // maximum number of files in a comparison; 0: 1,000
	Twice     bool   // pages repeat the last entry of the previous page
	NoScope   bool   // the token lacks read_api
	NoMembers bool   // members of projects are not shown
	Lagging   bool   // expired memberships stay listed until a job removes them
	Expires   string // date on which the token expires
}

// NewServer starts a server for a World. It serves GitLab's API below /api/v4 and stops at the end
// of the test.
func NewServer(t testing.TB, w *World) *Server {
	t.Helper()
	s := &Server{World: w, Token: "glpat-s3cret"}
	s.Serve(t, s.serve)
	return s
}

// Refuse returns a handler that responds with a status, a message and headers. header alternates
// names and values.
func Refuse(status int, message string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		servertest.Head(w, status, append([]string{"Content-Type", "application/json"}, header...))
		_ = json.NewEncoder(w).Encode(map[string]string{"message": message})
	}
}

type refused int

type raw string

type request struct {
	*Server
	switches Switches
	values   url.Values
	path     string // path of the request, still escaped
	header   http.Header
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	q := &request{Server: s, switches: s.Is(), values: r.URL.Query(), path: r.URL.EscapedPath(), header: w.Header()}
	entry := servertest.Entry(r)
	s.Log.Add(entry)
	if s.Fails(w, r, entry, `[{"id":`) {
		return
	}
	if wait := s.throttled(q); wait > 0 {
		// "A request that exceeds a rate limit returns a 429 response code and a plain-text body,
		// which by default is Retry later."
		// (https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/)
		if !q.switches.Silent {
			reset := s.Now().Add(wait).UTC()
			w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
			w.Header().Set("RateLimit-ResetTime", reset.Format(http.TimeFormat))
		}
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte("Retry later\n"))
		return
	}
	token := cmp.Or(r.Header.Get("Private-Token"), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	switch {
	case token != s.Token || s.Revoked():
		// "401 Unauthorized: The user isn't authenticated. A valid user token is necessary."
		// (https://docs.gitlab.com/api/rest/troubleshooting/)
		Refuse(http.StatusUnauthorized, "401 Unauthorized")(w, r)
		return
	case q.switches.NoScope && q.path != "/api/v4/personal_access_tokens/self":
		// "insufficient_scope" is the error of RFC 6750 that GitLab answers with.
		servertest.Head(w, http.StatusForbidden, []string{"Content-Type", "application/json"})
		_, _ = w.Write([]byte(`{"error":"insufficient_scope","error_description":"The request requires higher privileges than provided by the access token.","scope":"api read_api"}`))
		return
	}
	s.World.Mu.Lock()
	answer := s.answer(q, r.Method)
	s.World.Mu.Unlock()
	switch answer := answer.(type) {
	case refused:
		Refuse(int(answer), fmt.Sprintf("%d %s", answer, http.StatusText(int(answer))))(w, r)
	case raw:
		_, _ = w.Write([]byte(answer)) // the client may be gone
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}
}

// throttled counts a request and writes the rate limit headers of the response. It returns how long
// the client must wait, or 0.
func (s *Server) throttled(q *request) time.Duration {
	most := q.switches.PerMinute
	if most == 0 {
		return 0
	}
	wait := s.limit.Within("token", most, time.Minute, s.Now())
	q.header.Set("RateLimit-Limit", strconv.Itoa(most))
	q.header.Set("RateLimit-Name", "throttle_authenticated_api")
	if wait > 0 {
		q.header.Set("RateLimit-Remaining", "0")
		q.header.Set("RateLimit-Reset", strconv.FormatInt(s.Now().Add(wait).Unix(), 10))
	}
	return wait
}

var routes = []struct {
	pattern string
	answer  func(*request, []string) any
}{
	{"user", (*request).self},
	{"personal_access_tokens/self", (*request).token},
	{"users", (*request).users},
	{"projects", (*request).projects},
	{"projects/*", (*request).one},
	{"projects/*/members/all", (*request).members},
	{"projects/*/members/all/*", (*request).member},
	{"groups/*", (*request).group},
	{"groups/*/projects", (*request).groupProjects},
	{"issues", (*request).issues},
	{"groups/*/issues", (*request).issues},
	{"projects/*/issues", (*request).issues},
	{"projects/*/issues/*", (*request).issue},
	{"projects/*/issues/*/notes", (*request).issueNotes},
	{"merge_requests", (*request).merges},
	{"groups/*/merge_requests", (*request).merges},
	{"projects/*/merge_requests", (*request).merges},
	{"projects/*/merge_requests/*", (*request).merge},
	{"projects/*/merge_requests/*/notes", (*request).mergeNotes},
	{"projects/*/wikis", (*request).pages},
	{"projects/*/wikis/*", (*request).page},
	{"projects/*/repository/branches/*", (*request).branch},
	{"projects/*/repository/tree", (*request).tree},
	{"projects/*/repository/compare", (*request).compare},
	{"projects/*/repository/files/*", (*request).about},
	{"projects/*/repository/files/*/raw", (*request).file},
}

func (s *Server) answer(q *request, method string) any {
	path, found := strings.CutPrefix(q.path, "/api/v4/")
	if !found || method != http.MethodGet && method != http.MethodHead {
		return refused(http.StatusNotFound)
	}
	for _, route := range routes {
		parts, ok := servertest.Match(route.pattern, path)
		if !ok {
			continue
		}
		for i, p := range parts {
			// "Path parameters that are required to be URL-encoded must be followed. If not, it
			// doesn't match an API endpoint and responds with a 404."
			// (https://docs.gitlab.com/api/rest/)
			text, err := url.PathUnescape(p)
			if err != nil {
				return refused(http.StatusNotFound)
			}
			parts[i] = text
		}
		return route.answer(q, parts)
	}
	return refused(http.StatusNotFound)
}

// size returns the number of entries per page. As in GitLab, the default is 20 and the maximum is
// 100.
func (q *request) size() int {
	size, err := strconv.Atoi(q.values.Get("per_page"))
	if err != nil || size < 1 {
		size = 20
	}
	size = min(size, 100)
	if q.switches.Short > 0 {
		size = min(size, q.switches.Short)
	}
	return size
}

// offset returns a page of a list by its number. It writes the Link header for the next page
// (https://docs.gitlab.com/api/rest/).
func offset[T any](q *request, all []T, show func(T) any) any {
	size := q.size()
	number, err := strconv.Atoi(q.values.Get("page"))
	if err != nil || number < 1 {
		number = 1
	}
	from := min((number-1)*size, len(all))
	to := min(from+size, len(all))
	next := ""
	if to < len(all) || q.switches.Circle && len(all) > 0 {
		at := number + 1
		if to >= len(all) {
			at = 1
		}
		next = strconv.Itoa(at)
		q.link("page", next)
	}
	// "Other pagination headers": the next page is empty on the last one. X-Total is left out, as
	// for lists of more than 10,000 (https://docs.gitlab.com/user/gitlab_com/).
	q.header.Set("X-Next-Page", next)
	q.header.Set("X-Page", strconv.Itoa(number))
	q.header.Set("X-Per-Page", strconv.Itoa(size))
	if q.switches.Twice && from > 0 {
		from--
	}
	return shown(all[from:to], show)
}

// keyset returns the page of a list that begins after a key. parameter is the name of the query
// parameter with that key. It writes the Link header, unless this is the last page.
func keyset[T any](q *request, parameter string, all []T, key func(T) string, show func(T) any) any {
	from := 0
	if after := q.values.Get(parameter); after != "" {
		from = slices.IndexFunc(all, func(entry T) bool { return beyond(key(entry), after) })
		if parameter == "page_token" {
			from = slices.IndexFunc(all, func(entry T) bool { return key(entry) == after }) + 1
		}
		if from < 0 {
			from = len(all)
		}
	}
	to := min(from+q.size(), len(all))
	switch {
	case to < len(all):
		q.link(parameter, key(all[to-1]))
	case q.switches.Circle && len(all) > 0:
		q.link(parameter, key(all[0]))
	}
	return shown(all[from:to], show)
}

func beyond(a, b string) bool { return len(a) > len(b) || len(a) == len(b) && a > b }

func (q *request) link(parameter, value string) {
	values := make(url.Values)
	for name, all := range q.values {
		values[name] = all
	}
	values.Set(parameter, value)
	first := strings.ReplaceAll(q.URL+q.path, " ", "%20")
	q.header.Set("Link", fmt.Sprintf(`<%s?%s>; rel="next", <%s?page=1>; rel="first"`, first, values.Encode(), first))
}

func shown[T any](all []T, show func(T) any) any {
	list := make([]any, 0, len(all))
	for _, entry := range all {
		list = append(list, show(entry))
	}
	return list
}
