package gitlabtest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/gitlab/gitlabtest"
)

// get asks the server, and returns the status, the header and the body.
func get(t *testing.T, s *gitlabtest.Server, url, token string) (int, http.Header, string) {
	t.Helper()
	if !strings.HasPrefix(url, "http") {
		url = s.URL + "/api/v4/" + url
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Private-Token", token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(body)
}

// walk follows the links of a list, and returns what key names of each entry.
func walk(t *testing.T, s *gitlabtest.Server, url, key string) []string {
	t.Helper()
	var found []string
	for range 50 {
		status, header, body := get(t, s, url, s.Token)
		var page []map[string]any
		if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %s", url, status, body)
		}
		for _, entry := range page {
			found = append(found, fmt.Sprint(entry[key]))
		}
		next, _, more := strings.Cut(strings.TrimPrefix(header.Get("Link"), "<"), `>; rel="next"`)
		if !more {
			return found
		}
		url = next
	}
	t.Fatalf("%s has no end", url)
	return nil
}

func TestListsAreRead(t *testing.T) {
	t.Parallel()
	s := gitlabtest.NewServer(t, gitlabtest.NewWorld())
	acme := s.Group(nil, "acme", gitlabtest.Private)
	var want []string
	for n := range 7 {
		p := s.Project(s.Group(acme, fmt.Sprint("team", n), gitlabtest.Private), "app", gitlabtest.Private)
		want = append(want, fmt.Sprint(p.ID))
	}
	first := s.Projects[0]
	for _, path := range []string{"README.md", "docs/a b.md", "docs/c.md"} {
		s.Add(&gitlabtest.Thing{Kind: gitlabtest.File, Project: first, Path: path, Text: path})
	}
	for range 5 {
		s.Add(&gitlabtest.Thing{Kind: gitlabtest.Issue, Project: first, Title: "x", Confidential: true})
	}
	for _, list := range []string{"projects?pagination=keyset&order_by=id&sort=asc&per_page=3", "groups/acme/projects?include_subgroups=true&per_page=2"} {
		if got := walk(t, s, list, "id"); !slices.Equal(got, want) {
			t.Errorf("%s lists %v, want %v", list, got, want)
		}
	}
	tree := fmt.Sprintf("projects/%d/repository/tree?recursive=true&per_page=1&pagination=keyset&ref=main", first.ID)
	if got := walk(t, s, tree, "path"); !slices.Equal(got, []string{"README.md", "docs/a b.md", "docs/c.md"}) {
		t.Errorf("the tree is %v", got)
	}
	if _, _, body := get(t, s, "projects/acme%2Fteam0%2Fapp/repository/files/docs%2Fa%20b.md/raw?ref=main", s.Token); body != "docs/a b.md" {
		t.Errorf("the file holds %q", body)
	}
	issues := fmt.Sprintf("projects/%d/issues?order_by=updated_at&sort=asc&per_page=2&updated_after=%s", first.ID, first1(s, 2))
	if got := walk(t, s, issues, "iid"); !slices.Equal(got, []string{"3", "4", "5"}) {
		t.Errorf("issues %v", got)
	}
	if got := walk(t, s, "issues?confidential=false&scope=all", "iid"); len(got) > 0 {
		t.Errorf("public issues %v", got)
	}
}

// first1 returns the time of an issue's last change, by its place.
func first1(s *gitlabtest.Server, at int) string {
	var times []time.Time
	for _, t := range s.Things {
		if t.Kind == gitlabtest.Issue {
			times = append(times, t.Updated)
		}
	}
	return times[at].Format("2006-01-02T15:04:05.000Z")
}

func TestWhatTheTokenMayNotSeeIsNotThere(t *testing.T) {
	t.Parallel()
	s := gitlabtest.NewServer(t, gitlabtest.NewWorld())
	s.Do(func() { s.Bot.Admin = false })
	acme := s.Group(nil, "acme", gitlabtest.Private)
	hidden := s.Project(acme, "hidden", gitlabtest.Private)
	guest := s.Project(acme, "guest", gitlabtest.Private, member(s.Bot, gitlabtest.Guest))
	s.Add(&gitlabtest.Thing{Kind: gitlabtest.Issue, Project: guest, Confidential: true, Author: s.User("ada")})
	for url, want := range map[string]int{
		fmt.Sprint("projects/", hidden.ID):                                     http.StatusNotFound,
		fmt.Sprint("projects/", guest.ID):                                      http.StatusOK,
		fmt.Sprintf("projects/%d/issues/1", guest.ID):                          http.StatusNotFound,
		fmt.Sprintf("projects/%d/merge_requests", guest.ID):                    http.StatusForbidden,
		fmt.Sprintf("projects/%d/repository/tree?ref=main", guest.ID):          http.StatusNotFound,
		fmt.Sprintf("projects/%d/repository/files/docs/a.md/raw", guest.ID):    http.StatusNotFound, // not encoded
		"projects?pagination=keyset":                                           http.StatusMethodNotAllowed,
		"groups/acme":                                                          http.StatusNotFound,
		fmt.Sprintf("projects/%d/members/all?per_page=100", guest.ID):          http.StatusOK,
		fmt.Sprintf("projects/%d/members/all?per_page=100", hidden.ID):         http.StatusNotFound,
		"personal_access_tokens/self":                                          http.StatusOK,
		fmt.Sprintf("projects/%d/issues?order_by=updated_at&page=9", guest.ID): http.StatusOK,
	} {
		if status, _, body := get(t, s, url, s.Token); status != want {
			t.Errorf("%s: %d, want %d: %s", url, status, want, body)
		}
	}
	if _, _, body := get(t, s, "users", s.Token); strings.Contains(body, "email") {
		t.Errorf("addresses are shown to all: %s", body)
	}
	if status, _, _ := get(t, s, "user", "another"); status != http.StatusUnauthorized {
		t.Errorf("another token is answered with %d", status)
	}
	s.Switch(func(w *gitlabtest.Switches) { w.NoScope = true })
	if status, _, body := get(t, s, "user", s.Token); status != http.StatusForbidden || !strings.Contains(body, "insufficient_scope") {
		t.Errorf("a token without the scope is answered with %d: %s", status, body)
	}
}

func TestLimitsAreHeld(t *testing.T) {
	t.Parallel()
	s := gitlabtest.NewServer(t, gitlabtest.NewWorld())
	s.Switch(func(w *gitlabtest.Switches) { w.PerMinute = 2 })
	for n := range 3 {
		status, header, body := get(t, s, "user", s.Token)
		if throttled := status == http.StatusTooManyRequests; throttled != (n == 2) || header.Get("RateLimit-Limit") != "2" || throttled && (header.Get("Retry-After") != "60" || body != "Retry later\n") {
			t.Errorf("request %d: %d %v %q", n, status, header, body)
		}
	}
	s.Pass(time.Minute)
	if status, _, _ := get(t, s, "user", s.Token); status != http.StatusOK {
		t.Errorf("after a minute it answers with %d", status)
	}
}
