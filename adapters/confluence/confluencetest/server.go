package confluencetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// Fault is something that goes wrong with requests.
type Fault struct {
	Path string // is a part of their method, path and query
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
	Log    servertest.Log[string] // "GET /wiki/api/v2/spaces?limit=250"

	mu      sync.Mutex
	revoked bool
	Switches
}

// Switches make the server behave as some sites do. They are changed within Switch.
type Switches struct {
	Short     int             // how many entries a part of a list holds at most; 0: as many as are asked for
	Absolute  bool            // next links hold the host
	PastEnd   bool            // the last part of a counted list has a next link (CONFSERVER-95272)
	Hollow    bool            // an empty part stands before the end of lists behind a cursor
	Circle    bool            // the last part leads to the first again
	Poisoned  map[string]bool // contents of which an expansion fails, and with it that of all that are asked for beside
	Unindexed map[string]bool // contents that searches do not find
	Cut       int             // how many subjects an expansion of a restriction shows; 0: all
	NoAdmin   bool            // Data Center: the account is no administrator; its answer is 500 and not 403 (CONFSERVER-99908)
	Before91  bool            // Data Center: spaces tell of no permissions
	Expired   bool            // cursors are not known any more
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

// Counts is how many requests were made that hold a part, since a mark.
func (s *Server) Counts(since int, part string) int {
	n := 0
	for _, entry := range s.Log.All()[since:] {
		if strings.Contains(entry, part) {
			n++
		}
	}
	return n
}

// Refuse answers with a status, and headers.
func Refuse(status int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"statusCode": status, "message": http.StatusText(status)})
	}
}

// refused ends an answer with a status.
type refused int

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if s.Cloud {
		path = strings.TrimPrefix(path, "/wiki")
	}
	entry := r.Method + " " + r.URL.Path
	if r.URL.RawQuery != "" {
		entry += "?" + r.URL.RawQuery
	}
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
		_, _ = w.Write([]byte(`{"results":[{"id":`))
		return
	}
	if user == nil && !anonymous {
		// "401: Returned if the authentication credentials are incorrect or missing from the request"
		// (https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content-restrictions/)
		Refuse(http.StatusUnauthorized)(w, r)
		return
	}
	s.World.mu.Lock()
	answer := s.answer(&request{Server: s, Request: r, Switches: s.is(), user: user, path: path, values: r.URL.Query()})
	s.World.mu.Unlock()
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

// request is something that is asked.
type request struct {
	*Server
	*http.Request
	Switches Switches
	user     *User
	path     string
	values   map[string][]string
}

func (q *request) value(name string) string {
	if v := q.values[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// sees reports whether whoever asks may see a content: "Only pages that the user has permission to view will be returned"
// (https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-page/).
func (q *request) sees(c *Content) bool {
	if c.Status == "current" {
		return q.mayRead(q.user, c)
	}
	return q.mayView(q.user, c.Space)
}

// match takes a path apart: "space/*/permissions".
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
	if q.Method == http.MethodPost {
		return s.post(q)
	}
	routes := s.routes()
	if answer, exact := routes[strings.Trim(q.path, "/")]; exact {
		return answer(q, nil)
	}
	for pattern, answer := range routes {
		if found, ok := q.match(pattern); ok {
			return answer(q, found)
		}
	}
	return refused(http.StatusNotFound)
}

func (s *Server) routes() map[string]func(q *request, found []string) any {
	if s.Cloud {
		return map[string]func(*request, []string) any{
			"api/v2/spaces":                                   (*request).spaces2,
			"api/v2/spaces/*/pages":                           (*request).pagesOf,
			"api/v2/spaces/*/blogposts":                       (*request).pagesOf,
			"api/v2/spaces/*/permissions":                     (*request).permissions2,
			"api/v2/spaces/*/role-assignments":                (*request).roles,
			"api/v2/space-role-mode":                          (*request).roleMode,
			"api/v2/space-roles":                              (*request).roleList,
			"api/v2/pages":                                    (*request).pages2,
			"api/v2/blogposts":                                (*request).pages2,
			"api/v2/pages/*":                                  (*request).page2,
			"api/v2/blogposts/*":                              (*request).page2,
			"api/v2/folders/*":                                (*request).page2,
			"rest/api/content/search":                         (*request).search,
			"rest/api/content/*/restriction/byOperation/read": (*request).restriction,
			"rest/api/group":                                  (*request).groups,
			"rest/api/group/*/membersByGroupId":               (*request).members,
			"download/attachments/*":                          (*request).download,
		}
	}
	return map[string]func(*request, []string) any{
		"rest/api/space":                                  (*request).spaces1,
		"rest/api/space/*/permissions":                    (*request).permissions1,
		"rest/api/content":                                (*request).contents1,
		"rest/api/content/search":                         (*request).search,
		"rest/api/content/*":                              (*request).content1,
		"rest/api/content/*/restriction/byOperation/read": (*request).restriction,
		"rest/api/group":                                  (*request).groups,
		"rest/api/group/*/member":                         (*request).members,
		"download/attachments/*":                          (*request).download,
		"rest/api/settings/systemInfo":                    (*request).version,
	}
}

// link is the next link of a list: relative to the host on the second API, to the site on the first one, or absolute.
func (q *request) link(place string) string {
	next := q.path + "?" + place
	if q.Switches.Absolute {
		return q.URL0() + next
	}
	if q.Cloud && strings.HasPrefix(q.path, "/api/v2") {
		return "/wiki" + next
	}
	return next
}

// URL0 is the site's address.
func (q *request) URL0() string {
	if q.Cloud {
		return q.Server.URL + "/wiki"
	}
	return q.Server.URL
}

// paged gives a part of a list. most is how many the API gives at most. Lists of the second API, and searches of Cloud, go on behind a cursor that means
// nothing to others; the other ones are counted.
func paged[T any](q *request, all []T, most int, show func(T) any) any {
	limit := 25
	if _, err := fmt.Sscan(q.value("limit"), &limit); err != nil && q.value("limit") != "" {
		return refused(http.StatusBadRequest)
	}
	if limit = min(limit, most); q.Switches.Short > 0 {
		limit = min(limit, q.Switches.Short)
	}
	byCursor := q.Cloud && (strings.HasPrefix(q.path, "/api/v2") || strings.HasSuffix(q.path, "/search"))
	start, name := 0, "start"
	if byCursor {
		name = "cursor"
		if cursor := q.value("cursor"); cursor != "" {
			if _, err := fmt.Sscanf(cursor, "c%dx", &start); err != nil || q.Switches.Expired {
				return refused(http.StatusBadRequest)
			}
		}
	} else if q.value("start") != "" {
		if _, err := fmt.Sscan(q.value("start"), &start); err != nil {
			return refused(http.StatusBadRequest)
		}
	}
	hollow := false
	if q.Switches.Hollow && byCursor {
		hollow = start%2 == 1 // each place is told twice, the first time without entries
		start /= 2
	}
	from, to := min(start, len(all)), min(start+limit, len(all))
	links := map[string]any{"base": q.URL0()}
	more := to < len(all)
	switch {
	case q.Switches.Hollow && byCursor && !hollow && more:
		links["next"] = q.link(fmt.Sprintf("limit=%d&%s=c%dx", limit, name, to*2+1))
	case hollow:
		to = from
		links["next"] = q.link(fmt.Sprintf("limit=%d&%s=c%dx", limit, name, from*2))
	case more && byCursor:
		links["next"] = q.link(fmt.Sprintf("limit=%d&%s=c%dx", limit, name, to))
	case q.Switches.Circle && byCursor && len(all) > 0:
		links["next"] = q.link(fmt.Sprintf("limit=%d&%s=c%dx", limit, name, 0))
	case (more || q.Switches.PastEnd) && !byCursor:
		links["next"] = q.link(fmt.Sprintf("limit=%d&%s=%d", limit, name, start+limit))
	}
	results := make([]any, 0, to-from)
	for _, one := range all[from:to] {
		shown := show(one)
		if status, bad := shown.(refused); bad {
			return status
		}
		results = append(results, shown)
	}
	return map[string]any{"results": results, "start": from, "limit": limit, "size": len(results), "_links": links}
}
