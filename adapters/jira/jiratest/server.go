package jiratest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// Fault is something that goes wrong with requests.
type Fault struct {
	Path string // is a part of their method, path, query and body
	// Answer takes the place of the answer. Nil: it is cut in the middle.
	Answer http.HandlerFunc
}

// Server serves a world.
type Server struct {
	*World
	URL    string
	Cloud  bool
	Token  string
	Faults servertest.Faults[Fault]
	Log    servertest.Log[string] // "POST /rest/api/3/search/jql {…}"

	mu      sync.Mutex
	revoked bool
	spent   int       // points, in the hour
	hour    time.Time // that is counted
	Switches
}

// Switches make the server behave as some sites do. They are changed within Switch.
type Switches struct {
	Short     int             // how many entries a part of a list holds at most; 0: as many as are asked for
	PastEnd   bool            // lists say that there is more than there is
	Hollow    bool            // an empty part stands before the end of searches
	Circle    bool            // lists begin again at their end
	Poisoned  map[string]bool // issues whose texts fail, and with them those of all that are asked for beside
	Unindexed map[string]bool // issues that searches do not find
	NoAdmin   bool            // the account is no administrator; on Data Center that is said by 500 to some requests
	NoLevels  bool            // who belongs to security levels is not shown
	Blind     bool            // issues do not show by what they are limited
	Expired   bool            // places in searches are not known any more
	// Points is how many there are for an hour: "1 base + 1 per core object, 2 per identity or permission object"; 0: any number.
	// https://developer.atlassian.com/cloud/jira/platform/rate-limiting/
	Points int
}

// NewServer serves a world as Cloud or Data Center.
func NewServer(t testing.TB, w *World, cloud bool) *Server {
	t.Helper()
	s := &Server{World: w, Cloud: cloud, Token: "s3cret-token"}
	web := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(web.Close)
	s.URL = web.URL
	return s
}

// Revoke has the credential accepted no more, or again.
func (s *Server) Revoke(revoked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = revoked
}

// Switch changes how the server behaves.
func (s *Server) Switch(change func(*Switches)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.Switches)
}

func (s *Server) is() Switches {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Switches
}

// Mark is how many requests were made so far.
func (s *Server) Mark() int { return len(s.Log.All()) }

// Refuse answers with a status, and headers.
func Refuse(status int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"errorMessages": []string{http.StatusText(status)}, "errors": map[string]string{}})
	}
}

// refused ends an answer with a status.
type refused int

// request is something that is asked.
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
	points int // that the answer costs
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	q := &request{Server: s, Switches: s.is(), method: r.Method, values: r.URL.Query(), points: 1}
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
	if fault, faulty := s.Faults.Next(func(f Fault) bool { return strings.Contains(entry, f.Path) }); faulty {
		if fault.Answer != nil {
			fault.Answer(w, r)
			return
		}
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"issues":[{"id":`))
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
	s.World.mu.Lock()
	answer := s.answer(q)
	s.World.mu.Unlock()
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

// afford reports whether there are points left: "65,000 points per hour", which begin anew with the hour. What an answer costs is known when it is given.
func (s *Server) afford() (time.Duration, bool) {
	now := s.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if hour := now.Truncate(time.Hour); !hour.Equal(s.hour) {
		s.hour, s.spent = hour, 0
	}
	if s.Points == 0 || s.spent < s.Points {
		return 0, true
	}
	return s.hour.Add(time.Hour).Sub(now), false
}

func (s *Server) spend(points int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spent += points
}

// known is who asks: the account, a visitor without a credential, or nobody where the credential is wrong.
func (s *Server) known(r *http.Request) (u *User, anonymous bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Header.Get("Authorization") == "" {
		return nil, true
	}
	name, password, basic := r.BasicAuth()
	right := basic && name == s.Bot.Email && password == s.Token
	if !s.Cloud {
		right = r.Header.Get("Authorization") == "Bearer "+s.Token
	}
	if !right || s.revoked {
		return nil, false
	}
	return s.Bot, false
}

// match takes a path apart: "project/*/role/*".
func (q *request) match(pattern string) ([]string, bool) {
	have, want := strings.Split(strings.Trim(q.path, "/"), "/"), strings.Split(pattern, "/")
	if len(have) != len(want) {
		return nil, false
	}
	var found []string
	for i := range want {
		if want[i] == "*" {
			found = append(found, have[i])
		} else if want[i] != have[i] {
			return nil, false
		}
	}
	return found, true
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
		if found, ok := q.match(path); ok && method == q.method {
			return answer(q, found)
		}
	}
	return refused(http.StatusNotFound)
}

// paged gives a part of a list: "startAt", "maxResults", "total", "isLast"
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#pagination). most is how many the API gives at most.
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
