package confluencetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// Fault is a failure to inject into requests.
type Fault = servertest.Fault

// Server serves a [World] over HTTP, as the REST APIs of Confluence do.
type Server struct {
	*World
	servertest.API[Switches]
	Cloud bool
	Token string
	// Scopes are the scopes of the token, on Cloud. If nil, the token has no scopes and may do what
	// its account may. Change them only within Do.
	Scopes []string
}

// Switches make the server imitate peculiarities of some sites. Change them only within Switch.
type Switches struct {
	// Short is the maximum number of entries per page. 0 means as many as requested.
	Short    int
	Absolute bool // next links are absolute
	PastEnd  bool // the last page of a numbered list has a next link (CONFSERVER-95272)
	Hollow   bool // lists with cursors have an empty page before each further page
	Circle   bool // the last page links to the first
	// Poisoned has contents, by id, whose expansions make the whole request fail.
	Poisoned  map[string]bool
	Unindexed map[string]bool // contents, by id, that searches do not find
	Cut       int             // maximum number of subjects in an expansion of a restriction; 0: 200
	// NoAdmin says that the account is not an administrator. Data Center then responds with 500
	// instead of 403 (CONFSERVER-99908).
	NoAdmin  bool
	Before91 bool // Data Center: permissions of spaces are not available
	Expired  bool // cursors have expired
	// Odd has the status with which requests about a single content are refused, by its id. A search
	// that would find the content is refused too.
	Odd map[string]int
}

// NewServer starts a server for a World, as Cloud or Data Center. The server stops at the end of
// the test.
func NewServer(t testing.TB, w *World, cloud bool) *Server {
	t.Helper()
	s := &Server{World: w, Cloud: cloud, Token: "s3cret-token"}
	s.Serve(t, s.serve)
	return s
}

// Refuse returns a handler that responds with a status and headers. header has names and values in
// turn.
func Refuse(status int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		servertest.Head(w, status, header)
		_ = json.NewEncoder(w).Encode(map[string]any{"statusCode": status, "message": http.StatusText(status)})
	}
}

// refuse2 responds as REST API version 2 does.
func refuse2(w http.ResponseWriter, status int) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"errors": []any{map[string]any{"status": status, "code": "REFUSED", "title": http.StatusText(status), "detail": nil}}})
}

// RefuseScope is the response of Atlassian's API gateway to a request for which the token lacks the
// scope.
func RefuseScope(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = w.Write([]byte(`{"code":401,"message":"Unauthorized; scope does not match"}`))
}

type refused int

type redirect string

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if s.Cloud {
		path = strings.TrimPrefix(path, "/wiki")
	}
	entry := servertest.Entry(r)
	user, anonymous := s.known(r)
	if anonymous {
		entry += " (anonymous)"
	}
	s.Log.Add(entry)
	if s.Fails(w, r, entry, `{"results":[{"id":`) {
		return
	}
	if user == nil && !anonymous {
		// "401: Returned if the authentication credentials are incorrect or missing from the request"
		// (https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content-restrictions/)
		Refuse(http.StatusUnauthorized)(w, r)
		return
	}
	s.World.Mu.Lock()
	if s.Cloud && !anonymous && s.Scopes != nil && !s.scoped(path) {
		s.World.Mu.Unlock()
		RefuseScope(w, r)
		return
	}
	answer := s.answer(&request{Server: s, Request: r, Switches: s.Is(), user: user, path: path, values: r.URL.Query()})
	s.World.Mu.Unlock()
	switch answer := answer.(type) {
	case refused:
		if strings.HasPrefix(path, "/api/v2/") {
			refuse2(w, int(answer))
			return
		}
		Refuse(int(answer))(w, r)
	case redirect:
		http.Redirect(w, r, string(answer), http.StatusFound)
	case []byte:
		_, _ = w.Write(answer)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}
}

func (s *Server) known(r *http.Request) (u *User, anonymous bool) {
	right, anonymous := atlassiantest.Credential(r, s.Cloud, s.Bot.Email, s.Token)
	if !right || s.Revoked() {
		return nil, anonymous
	}
	return s.Bot, false
}

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

// sees reports whether the caller may see c: "Only pages that the user has permission to view will
// be returned" (https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-page/).
func (q *request) sees(c *Content) bool {
	if c.Status == "current" {
		return q.mayRead(q.user, c)
	}
	return q.mayView(q.user, c.Space)
}

func (s *Server) answer(q *request) any {
	if s.Cloud && !q.documented() {
		return refused(http.StatusBadRequest)
	}
	if q.Method == http.MethodPost {
		return s.post(q)
	}
	routes := s.routes()
	if answer, exact := routes[strings.Trim(q.path, "/")]; exact {
		return answer(q, nil)
	}
	for pattern, answer := range routes {
		if found, ok := servertest.Match(pattern, q.path); ok {
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
			"api/v2/whiteboards/*":                            (*request).page2,
			"api/v2/databases/*":                              (*request).page2,
			"api/v2/embeds/*":                                 (*request).page2,
			"rest/api/content/search":                         (*request).search,
			"rest/api/content/*/restriction/byOperation/read": (*request).restriction,
			"rest/api/group":                                  (*request).groups,
			"rest/api/group/*/membersByGroupId":               (*request).members,
			"rest/api/content/*/child/attachment/*/download":  (*request).locate,
			"media/*": (*request).download,
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

// link returns the next link of a list. It is relative to the host in REST API version 2, and to
// the site in version 1. If Switches.Absolute is set, it is absolute.
func (q *request) link(place string) string {
	next := q.path + "?" + place
	if q.Switches.Absolute {
		return q.site() + next
	}
	if q.Cloud && strings.HasPrefix(q.path, "/api/v2") {
		return "/wiki" + next
	}
	return next
}

func (q *request) site() string {
	if q.Cloud {
		return q.Server.URL + "/wiki"
	}
	return q.Server.URL
}

// paged returns a page with up to most entries of a list. Lists of REST API version 2, and searches
// on Cloud, use an opaque cursor. All other lists use a number.
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
		hollow = start%2 == 1 // each position is served twice, the first time without entries
		start /= 2
	}
	from, to := min(start, len(all)), min(start+limit, len(all))
	links := map[string]any{"base": q.site()}
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
