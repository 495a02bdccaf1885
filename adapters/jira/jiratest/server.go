package jiratest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// Fault is a failure to inject into requests.
type Fault = servertest.Fault

// Server serves a [World] over HTTP, as Jira's REST APIs do.
type Server struct {
	*World
	servertest.API[Switches]
	Cloud bool
	Token string

	mu    sync.Mutex
	spent int       // points spent in the current hour
	hour  time.Time // start of the current hour
}

// Switches make the server imitate peculiarities of some sites. Change them only within Switch.
type Switches struct {
	// Short is the maximum number of entries per page. 0 means as many as requested.
	Short   int
	PastEnd bool // lists other than searches report more entries than exist
	Cut     int  // Data Center searches end after this many issues but report the full total
	Hollow  bool // an empty page follows each page of a Cloud search
	Circle  bool // lists start over after their last entry
	// Poisoned has issues, by id, whose texts make the whole request fail.
	Poisoned  map[string]bool
	Unindexed map[string]bool // issues, by id, that searches do not find
	// NoAdmin says that the account is not an administrator. On Data Center some requests then get
	// the status 500.
	NoAdmin  bool
	NoLevels bool // members of security levels are not shown
	Blind    bool // issues do not show their restrictions
	Expired  bool // page tokens of searches have expired
	// Points is the number of points per hour: "1 base + 1 per core object, 2 per identity or
	// permission object" (https://developer.atlassian.com/cloud/jira/platform/rate-limiting/). 0
	// means unlimited.
	Points int
}

// NewServer starts a server for a World, as Cloud or Data Center. The server stops at the end of
// the test.
func NewServer(t testing.TB, w *World, cloud bool) *Server {
	t.Helper()
	s := &Server{World: w, Cloud: cloud, Token: "s3cret-token"}
	s.Serve(t, s.serve)
	return s
}

// Refuse returns a handler that responds with a status and headers. header alternates names and
// values.
func Refuse(status int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		servertest.Head(w, status, header)
		_ = json.NewEncoder(w).Encode(map[string]any{"errorMessages": []string{http.StatusText(status)}, "errors": map[string]string{}})
	}
}

type refused int

type request struct {
	*Server
	Switches Switches
	method   string
	user     *User // nil: a visitor
	path     string
	values   url.Values
	body     struct {
		JQL           string   `json:"jql"`
		Fields        []string `json:"fields"`
		MaxResults    int      `json:"maxResults"`
		StartAt       int      `json:"startAt"`
		Next          string   `json:"nextPageToken"`
		Validate      *bool    `json:"validateQuery"`
		IDs           []string `json:"issueIdsOrKeys"`
		AccountID     string   `json:"accountId"`
		ProjectGrants []struct {
			Permissions []string `json:"permissions"`
			Projects    []int    `json:"projects"`
		} `json:"projectPermissions"`
	}
	points int // points that the response costs
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	q := &request{Server: s, Switches: s.Is(), method: r.Method, values: r.URL.Query(), points: 1}
	text, err := io.ReadAll(r.Body)
	if err != nil || len(text) > 0 && json.Unmarshal(text, &q.body) != nil {
		Refuse(http.StatusBadRequest)(w, r)
		return
	}
	entry := r.Method + " " + r.URL.RequestURI() + " " + string(text)
	user, anonymous := s.known(r)
	if anonymous {
		entry += " (anonymous)"
	}
	s.Log.Add(entry)
	if s.Fails(w, r, entry, `{"issues":[{"id":`) {
		return
	}
	if user == nil && !anonymous {
		// "401 Returned if the authentication credentials are incorrect or missing"
		Refuse(http.StatusUnauthorized)(w, r)
		return
	}
	if wait, ok := s.afford(); !ok {
		Refuse(http.StatusTooManyRequests, "Retry-After", fmt.Sprint(int(wait/time.Second)), "X-RateLimit-Remaining", "0", "RateLimit-Reason", "jira-quota-global-based")(w, r)
		return
	}
	api := "/rest/api/2/"
	if s.Cloud {
		api = "/rest/api/3/"
	}
	rest, found := strings.CutPrefix(r.URL.Path, api)
	if !found {
		rest = strings.TrimPrefix(r.URL.Path, "/")
	}
	q.user, q.path = user, rest
	s.World.Mu.Lock()
	answer := s.answer(q)
	s.World.Mu.Unlock()
	s.spend(q.points)
	switch answer := answer.(type) {
	case refused:
		Refuse(int(answer))(w, r)
	case []byte:
		_, _ = w.Write(answer)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}
}

// afford reports whether the caller has points left in this hour. Otherwise it returns false and
// the time until the next hour.
func (s *Server) afford() (time.Duration, bool) {
	now, is := s.Now(), s.Is()
	s.mu.Lock()
	defer s.mu.Unlock()
	if hour := now.Truncate(time.Hour); !hour.Equal(s.hour) {
		s.hour, s.spent = hour, 0
	}
	if is.Points == 0 || s.spent < is.Points {
		return 0, true
	}
	return s.hour.Add(time.Hour).Sub(now), false
}

func (s *Server) spend(points int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spent += points
}

func (s *Server) known(r *http.Request) (u *User, anonymous bool) {
	right, anonymous := atlassiantest.Credential(r, s.Cloud, s.Bot.Email, s.Token)
	if !right || s.Revoked() {
		return nil, anonymous
	}
	return s.Bot, false
}

func (s *Server) answer(q *request) any {
	routes := map[string]func(*request, []string) any{
		"GET myself": (*request).myself, "GET serverInfo": (*request).serverInfo, "GET applicationrole": (*request).apps, "GET group/member": (*request).members,
		"GET project/*/permissionscheme": (*request).scheme, "GET project/*/role/*": (*request).role, "GET project/*/issuesecuritylevelscheme": (*request).security,
		"GET issue/*": (*request).one, "GET issue/*/comment": (*request).comments,
	}
	more := map[string]func(*request, []string) any{
		"GET project": (*request).projects, "GET groups/picker": (*request).picker, "POST search": (*request).search2, "GET secure/attachment/*/*": (*request).content,
	}
	if s.Cloud {
		more = map[string]func(*request, []string) any{
			"GET project/search": (*request).projectSearch, "GET group/bulk": (*request).groups, "POST search/jql": (*request).search3,
			"POST issue/bulkfetch": (*request).bulk, "GET issuesecurityschemes/level/member": (*request).levelMembers, "POST permissions/check": (*request).check,
			"GET attachment/content/*": (*request).content,
		}
	}
	for pattern, answer := range more {
		routes[pattern] = answer
	}
	for pattern, answer := range routes {
		method, path, _ := strings.Cut(pattern, " ")
		if found, ok := servertest.Match(path, q.path); ok && method == q.method {
			return answer(q, found)
		}
	}
	return refused(http.StatusNotFound)
}

// paged returns a page of a list under the key in under. The parameters startAt and maxResults
// select the page, of at most the given size
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#pagination).
func paged[T any](q *request, all []T, most int, under string, show func(T) any) any {
	start, limit := 0, 50
	for name, to := range map[string]*int{"startAt": &start, "maxResults": &limit} {
		if text := q.values.Get(name); text != "" {
			if _, err := fmt.Sscan(text, to); err != nil {
				return refused(http.StatusBadRequest)
			}
		}
	}
	if limit = min(limit, most); q.Switches.Short > 0 {
		limit = min(limit, q.Switches.Short)
	}
	total := len(all)
	if q.Switches.Circle && total > 0 && start >= total {
		start = 0
	}
	from, to := min(start, total), min(start+limit, total)
	values := make([]any, 0, to-from)
	for _, one := range all[from:to] {
		values = append(values, show(one))
	}
	answer := map[string]any{"startAt": start, "maxResults": limit, "total": total, "isLast": to == total && !q.Switches.Circle, under: values}
	if q.Switches.PastEnd {
		answer["total"] = total + 1
		delete(answer, "isLast")
	}
	if under == "comments" {
		delete(answer, "isLast")
	}
	q.points += 2 * len(values)
	return answer
}
