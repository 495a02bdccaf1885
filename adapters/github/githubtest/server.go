package githubtest

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// Fault is an error that the server simulates for requests whose path contains Path. For GraphQL,
// the path is "graphql:" followed by the name of the query.
type Fault = servertest.Fault

// Server serves a [World] as a GitHub Enterprise Server does, below /api/v3 and /api/graphql.
type Server struct {
	*World
	// Its log has entries such as "GET /repos/acme/app" and "graphql:Issues". They end in " 304" if
	// the response had not changed.
	servertest.API[struct{}]

	CAFile string         // file of its certificate authority
	Token  string         // accepted token of a person
	Key    *rsa.PublicKey // public key of the App with the id 7 and the installation 70

	mu        sync.Mutex
	issued    int // number of issued installation tokens
	Limit     int // maximum number of requests; 0 means unlimited
	used      int
	Short     bool // pages have fewer entries than requested
	Twice     bool // pages repeat the last entry of the previous page
	NoGraphQL bool
}

// NewServer starts a server for a world. The server stops at the end of the test.
func NewServer(t testing.TB, w *World) *Server {
	t.Helper()
	s := &Server{World: w, Token: "github_pat_s3cret"}
	web := httptest.NewTLSServer(s.Handler(s.serve))
	t.Cleanup(web.Close)
	s.URL, s.CAFile = web.URL, filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(s.CAFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// Revoke makes the server reject all credentials, or accept them again.
func (s *Server) Revoke(revoked bool) {
	s.API.Revoke(revoked)
	s.mu.Lock()
	defer s.mu.Unlock()
	if revoked {
		s.issued++ // issued tokens are invalid now
	}
}

// Refuse returns a handler that responds with a status, a message and headers. header alternates
// names and values.
func Refuse(status int, message string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		servertest.Head(w, status, append([]string{"X-GitHub-Request-Id", "C0DE:1234"}, header...))
		_ = json.NewEncoder(w).Encode(map[string]string{"message": message, "documentation_url": "https://docs.github.com/rest"})
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if name, rest, ok := strings.Cut(r.URL.Path, ".git/"); ok {
		s.serveGit(w, r, strings.TrimPrefix(name, "/"), rest)
		return
	}
	path, rest := strings.CutPrefix(r.URL.Path, "/api/v3")
	name := r.Method + " " + path
	var asked struct {
		Query     string
		Variables map[string]any
	}
	if !rest {
		body, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(body, &asked) != nil || r.URL.Path != "/api/graphql" || s.NoGraphQL {
			Refuse(http.StatusNotFound, "Not Found")(w, r)
			return
		}
		operation, _, _ := strings.Cut(strings.TrimPrefix(asked.Query, "query "), "(")
		name = "graphql:" + operation
	}
	answer := &recorded{header: make(http.Header), status: http.StatusOK}
	fault, faulty := s.Faults.Next(func(f Fault) bool { return strings.Contains(name, f.Path) })
	switch {
	case faulty && fault.Answer != nil:
		fault.Answer(answer, r)
	case !s.authorized(r, path):
		// "If you authenticate with invalid credentials … you will receive a 401 Unauthorized response with a 'Bad credentials' message."
		// (https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api)
		Refuse(http.StatusUnauthorized, "Bad credentials")(answer, r)
	case s.exceeded(answer, !rest):
		// "If you exceed your primary rate limit, you will receive a 403 or 429 response, and the
		// x-ratelimit-remaining header will be 0." GraphQL says it with a status of 200.
		// (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api,
		// …/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api)
		if rest {
			Refuse(http.StatusForbidden, "API rate limit exceeded for installation ID 70.")(answer, r)
		} else {
			answer.write(map[string]any{"errors": []any{map[string]any{"type": "RATE_LIMITED", "message": "API rate limit exceeded for installation ID 70."}}})
		}
	case rest && r.Header.Get("X-GitHub-Api-Version") == "":
		Refuse(http.StatusBadRequest, "the test wants a version")(answer, r)
	case rest:
		s.rest(answer, r, path)
	default:
		s.graphql(answer, strings.TrimPrefix(name, "graphql:"), asked.Variables)
	}
	if fault.Then != nil {
		fault.Then()
	}
	s.send(w, r, answer, name, faulty && fault.Answer == nil && fault.Then == nil)
}

func (s *Server) send(w http.ResponseWriter, r *http.Request, answer *recorded, name string, cut bool) {
	for key, values := range answer.header {
		w.Header()[key] = values
	}
	if answer.status == http.StatusOK && r.Method == http.MethodGet {
		sum := sha256.Sum256(append(answer.body, answer.header.Get("Link")...))
		etag := `W/"` + hex.EncodeToString(sum[:8]) + `"`
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			s.mu.Lock()
			s.used-- // a 304 does not count
			s.mu.Unlock()
			s.Log.Add(name + " 304")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	s.Log.Add(name)
	w.Header().Set("Content-Length", strconv.Itoa(len(answer.body)))
	w.WriteHeader(answer.status)
	if cut {
		answer.body = answer.body[:len(answer.body)/2]
	}
	_, _ = w.Write(answer.body) // the client may be gone
}

type recorded struct {
	header http.Header
	status int
	body   []byte
}

// Header implements http.ResponseWriter.
func (r *recorded) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *recorded) WriteHeader(status int) { r.status = status }

// Write implements http.ResponseWriter.
func (r *recorded) Write(p []byte) (int, error) {
	r.body = append(r.body, p...)
	return len(p), nil
}

func (r *recorded) write(value any) {
	r.header.Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(r).Encode(value) // encoding maps always succeeds
}

func (s *Server) exceeded(answer *recorded, graphql bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Limit == 0 {
		return false
	}
	s.used++
	left := max(s.Limit-s.used, 0)
	answer.header.Set("X-RateLimit-Limit", strconv.Itoa(s.Limit))
	answer.header.Set("X-RateLimit-Remaining", strconv.Itoa(left))
	answer.header.Set("X-RateLimit-Reset", strconv.FormatInt(s.Now().Add(time.Hour).Unix(), 10))
	answer.header.Set("X-RateLimit-Resource", map[bool]string{true: "graphql", false: "core"}[graphql])
	answer.header.Set("Date", s.Now().UTC().Format(http.TimeFormat))
	return s.used > s.Limit
}

// Refill resets the rate limit.
func (s *Server) Refill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = 0
}

func (s *Server) authorized(r *http.Request, path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if strings.HasPrefix(path, "/app/") {
		return s.Key != nil && !s.Revoked() && s.signed(token)
	}
	if s.Revoked() {
		return false
	}
	return token == s.Token || s.Key != nil && token == s.installation()
}

func (s *Server) installation() string { return "ghs_" + strconv.Itoa(s.issued) }

// signed reports whether a JSON Web Token has a valid RS256 signature of the App. The token must
// not be from the future, and must expire within ten minutes.
func (s *Server) signed(token string) bool {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return false
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || rsa.VerifyPKCS1v15(s.Key, crypto.SHA256, sum[:], signature) != nil {
		return false
	}
	var claims struct {
		IAT, EXP int64
		ISS      string
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	now := s.Now().Unix()
	return err == nil && json.Unmarshal(text, &claims) == nil && claims.IAT <= now && claims.EXP > now && claims.EXP <= now+600 && claims.ISS == "7"
}

func (s *Server) rest(w *recorded, r *http.Request, path string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	is := func(pattern string) bool {
		want := strings.Split(pattern, "/")
		return len(want) == len(parts) && !slices.ContainsFunc(want, func(p string) bool { return p != "*" && p != parts[slices.Index(want, p)] })
	}
	s.World.Mu.Lock()
	defer s.World.Mu.Unlock()
	missing := func() { Refuse(http.StatusNotFound, "Not Found")(w, r) }
	switch {
	case r.Method == http.MethodPost && is("app/installations/70/access_tokens"):
		s.mu.Lock()
		s.issued++
		token := s.installation()
		s.mu.Unlock()
		w.status = http.StatusCreated
		w.write(map[string]any{"token": token, "expires_at": instant(s.Time.Add(time.Hour)), "repository_selection": "selected"})
	case r.Method != http.MethodGet:
		missing()
	case is("installation/repositories"):
		page := s.page(w, r, s.listed(nil))
		w.write(map[string]any{"total_count": len(s.listed(nil)), "repositories": page})
	case is("orgs/*"), is("orgs/*/repos"), is("orgs/*/members"):
		at := slices.IndexFunc(s.Orgs, func(o *Org) bool { return strings.EqualFold(o.Login, parts[1]) })
		switch {
		case at < 0:
			missing()
		case len(parts) == 2:
			w.write(map[string]any{"id": s.Orgs[at].ID, "login": s.Orgs[at].Login})
		case parts[2] == "repos":
			w.write(s.page(w, r, s.listed(s.Orgs[at])))
		default:
			var members []any
			for _, u := range s.Users {
				if s.Orgs[at].Member[u] {
					members = append(members, userJSON(u))
				}
			}
			w.write(s.page(w, r, members))
		}
	case len(parts) == 2 && parts[0] == "user":
		for _, u := range s.Users {
			if strconv.FormatInt(u.ID, 10) == parts[1] {
				w.write(userJSON(u))
				return
			}
		}
		missing()
	case len(parts) >= 3 && parts[0] == "repos":
		s.repository(w, r, parts)
	default:
		missing()
	}
}

func (s *Server) repository(w *recorded, r *http.Request, parts []string) {
	repo, former := s.find(parts[1] + "/" + parts[2])
	switch {
	case repo == nil || repo.Hidden:
		Refuse(http.StatusNotFound, "Not Found")(w, r)
	case former:
		// "301 … The request was redirected": a renamed repository is found by its number.
		to := "/api/v3/repos/" + repo.FullName() + strings.TrimPrefix(strings.Join(append([]string{""}, parts[3:]...), "/"), "")
		if r.URL.RawQuery != "" {
			to += "?" + r.URL.RawQuery
		}
		w.header.Set("Location", s.URL+to)
		w.status = http.StatusMovedPermanently
	case len(parts) == 3:
		w.write(repoJSON(repo))
	case len(parts) == 4 && parts[3] == "branches":
		if repo.NoContents {
			Refuse(http.StatusForbidden, "Resource not accessible by integration")(w, r)
			return
		}
		w.write([]any{map[string]any{"name": "trunk"}})
	case len(parts) == 4 && parts[3] == "collaborators":
		if repo.CannotList {
			Refuse(http.StatusForbidden, "Must have push access to view repository collaborators.")(w, r)
			return
		}
		var found []any
		for _, u := range s.Users {
			if s.hasRight(u, repo) {
				found = append(found, userJSON(u))
			}
		}
		w.write(s.page(w, r, found))
	case len(parts) == 6 && parts[3] == "collaborators" && parts[5] == "permission":
		for _, u := range s.Users {
			if strings.EqualFold(u.Login, parts[4]) {
				permission := "none"
				if repo.Visibility == Public || s.hasRight(u, repo) {
					permission = "read"
				}
				w.write(map[string]any{"permission": permission, "user": userJSON(u)})
				return
			}
		}
		Refuse(http.StatusNotFound, "Not Found")(w, r)
	default:
		Refuse(http.StatusNotFound, "Not Found")(w, r)
	}
}

func (s *Server) listed(o *Org) []any {
	var all []any
	for _, r := range s.Repos {
		if !r.Hidden && (o == nil || r.Org == o) {
			all = append(all, repoJSON(r))
		}
	}
	return all
}

func (s *Server) page(w *recorded, r *http.Request, all []any) []any {
	q := r.URL.Query()
	size, err := strconv.Atoi(q.Get("per_page"))
	if err != nil || size < 1 || size > 100 {
		size = 30
	}
	if s.Short {
		size = max(size/3, 1)
	}
	n, err := strconv.Atoi(q.Get("page"))
	if err != nil || n < 1 {
		n = 1
	}
	from := min((n-1)*size, len(all))
	to := min(from+size, len(all))
	if to < len(all) {
		q.Set("page", strconv.Itoa(n+1))
		w.header.Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next", <%s/last>; rel="last"`, s.URL, r.URL.Path, q.Encode(), s.URL))
	}
	if s.Twice && from > 0 {
		from--
	}
	return append([]any{}, all[from:to]...)
}

func userJSON(u *User) map[string]any {
	return map[string]any{"id": u.ID, "login": u.Login, "type": "User", "email": u.Profile, "site_admin": false}
}

func repoJSON(r *Repo) map[string]any {
	return map[string]any{
		"id": r.ID, "node_id": r.node(), "name": r.Name, "full_name": r.FullName(), "private": r.Visibility != Public, "visibility": r.Visibility, "archived": r.Archived,
		"owner": map[string]any{"login": r.Org.Login, "id": r.Org.ID, "type": "Organization"},
	}
}
