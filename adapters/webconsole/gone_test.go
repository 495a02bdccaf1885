package webconsole_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/review"
)

// pageRoutes returns the method and the path of every route that handler registers with page.
func pageRoutes(t *testing.T) [][2]string {
	t.Helper()
	code, err := os.ReadFile("webconsole.go")
	if err != nil {
		t.Fatal(err)
	}
	var routes [][2]string
	for _, m := range regexp.MustCompile(`mux\.Handle(?:Func)?\("(GET|POST) (/[^"]*)", .*s\.page\(`).FindAllStringSubmatch(string(code), -1) {
		path := strings.NewReplacer("{$}", "", "{turn}", "x", "{do}", "correct", "{part}", "channels").Replace(m[2])
		routes = append(routes, [2]string{m[1], path})
	}
	if len(routes) < 20 {
		t.Fatalf("only %d routes were found: %v", len(routes), routes)
	}
	return routes
}

// Each page and each form asks the platform about the person once, and does nothing for a person
// who left or about whom nothing is known.
func TestEveryPageAsksThePlatform(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	cookie := c.signIn("U1", review.Admin)
	form := url.Values{"id": {"s1"}, "do": {"pause"}, "v.agent": {"x"}, "was.agent": {""}, "ref": {"x"}, "reason": {"x"}, "question": {"x"}, "key": {"x"}}
	for _, route := range pageRoutes(t) {
		for reason, want := range map[error]int{review.ErrGone: http.StatusForbidden, errors.New("slack does not answer"): http.StatusServiceUnavailable} {
			c.unsure, c.looks = reason, 0
			if w := c.do(route[0], route[1], cookie, form); w.Code != want || c.looks != 1 || strings.Contains(w.Body.String(), "<nav") {
				t.Errorf("%v: %s %s answers %d after %d look-ups, want %d after 1", reason, route[0], route[1], w.Code, c.looks, want)
			}
		}
	}
	if len(c.acts) > 0 || len(c.did) > 0 || len(c.told) > 0 {
		t.Errorf("it was done: %v %v %v", c.acts, c.did, c.told)
	}
	c.unsure, c.looks = nil, 0
	if w := c.do(http.MethodGet, "/questions", cookie, nil); w.Code != http.StatusOK || c.looks != 1 {
		t.Errorf("a page answers %d after %d look-ups", w.Code, c.looks)
	}
}

func TestPersonWhoLeftDoesNotSignIn(t *testing.T) {
	t.Parallel()
	c, p := newOIDCConsole(t)
	c.identities[review.Identity{Issuer: p.URL, Subject: "ada"}] = account("U1")
	ada := c.signIn("U1", review.Admin)
	refuses := func(way string, w *httptest.ResponseRecorder) {
		t.Helper()
		if w.Code != http.StatusForbidden || sessionIn(w) != "" || len(c.sessions) != 1 || !strings.Contains(w.Body.String(), "has left") {
			t.Errorf("%s: %d with %d sessions\n%s", way, w.Code, len(c.sessions), w.Body)
		}
	}
	c.unsure = review.ErrGone
	refuses("a link", c.do(http.MethodPost, "/sign-in", "", url.Values{"link": {c.link("U1", review.Admin)}}))
	refuses("the identity provider", c.goes(p, "ada", "", "/oidc"))
	refuses("connecting an account", c.goes(p, "eve", ada, "/oidc?connect=1"))
	if len(c.identities) != 1 {
		t.Errorf("an account was connected: %v", c.identities)
	}

	s, q := newSlackConsole(t, map[string]bool{"U1": true})
	s.roles[account("U1")], s.unsure = review.Admin, review.ErrGone
	if w, _, _ := s.slackIn(q, "W", "U1"); w.Code != http.StatusForbidden || len(s.sessions) != 0 {
		t.Errorf("Slack: %d with %d sessions", w.Code, len(s.sessions))
	}

	// The link is not lost while the platform is away; the session opens nothing meanwhile.
	c.unsure = errors.New("slack does not answer")
	in := c.signIn("U1", review.Admin)
	if w := c.do(http.MethodGet, "/today", in, nil); w.Code != http.StatusServiceUnavailable {
		t.Errorf("while the platform is away: %d", w.Code)
	}
}
