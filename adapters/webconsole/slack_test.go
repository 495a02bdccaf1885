package webconsole_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/webconsole"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/review"
)

// newSlackConsole is a console with Slack, which answers as its documentation says
// (https://docs.slack.dev/reference/methods/openid.connect.token). members are the full members of
// the workspace W.
func newSlackConsole(t *testing.T, members map[string]bool) (*console, *provider) {
	p := newProvider(t)
	p.slack = true
	c := newConsole(t)
	c.slack = webconsole.NewSlack(p.URL, "client", "hush", "https://"+host+webconsole.SlackCallbackPath, p.Client(), func(_ context.Context, person access.Account) (bool, error) {
		if person.ID == "BROKEN" {
			return false, errors.New("Slack is away")
		}
		return person.Platform == "slack" && person.Workspace.ID == "W" && members[person.ID], nil
	})
	c.Handler = c.handler(host)
	return c, p
}

// SignInPerson implements review.Sessions.
func (w *world) SignInPerson(_ context.Context, _ access.TenantID, person access.Account, to review.Hash, id string) (review.SignedIn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	in := review.SignedIn{Session: id, Person: person, Role: w.roles[person], Expires: w.now.Add(review.SessionLifetime)}
	if in.Role == "" {
		return review.SignedIn{}, review.ErrIdentity
	}
	w.sessions[to] = in
	return in, nil
}

// slackIn signs a user of a team in with Slack, and returns what the console answers.
func (c *console) slackIn(p *provider, team, user string, change ...func(*http.Request)) (w *httptest.ResponseRecorder, back string, kept *http.Cookie) {
	c.Helper()
	w = c.do(http.MethodGet, "/slack", "", nil)
	to, err := url.Parse(w.Header().Get("Location"))
	if err != nil || w.Code != http.StatusSeeOther || !strings.HasPrefix(to.String(), p.URL+"/authorize?") {
		c.Fatalf("the browser is sent to %q with %d: %s", to, w.Code, w.Body)
	}
	asked := to.Query()
	if asked.Get("scope") != "openid" || asked.Get("response_type") != "code" || asked.Get("nonce") == "" || asked.Get("state") == "" || asked.Get("redirect_uri") != "https://"+host+"/slack/callback" {
		c.Errorf("Slack is asked for %v", asked)
	}
	asked.Set("login", user)
	before := p.claims
	p.claims = func(claims map[string]any) {
		claims["https://slack.com/team_id"], claims["https://slack.com/user_id"] = team, user
		if before != nil {
			before(claims)
		}
	}
	defer func() { p.claims = before }()
	code := fmt.Sprint("code", time.Now().UnixNano())
	p.mu.Lock()
	p.asks[code] = asked
	p.mu.Unlock()
	kept = w.Result().Cookies()[0]
	if !kept.HttpOnly || !kept.Secure || !strings.HasPrefix(kept.Name, "__Host-") {
		c.Errorf("the cookie is %v", kept)
	}
	back = webconsole.SlackCallbackPath + "?code=" + code + "&state=" + url.QueryEscape(asked.Get("state"))
	return c.do(http.MethodGet, back, "", nil, append([]func(*http.Request){func(r *http.Request) { r.AddCookie(kept) }}, change...)...), back, kept
}

// A full member with a role signs in with Slack, and no one else: the team and the user of Slack's
// token count, and neither names nor addresses.
func TestSlackSignsInMembersWithARole(t *testing.T) {
	t.Parallel()
	c, p := newSlackConsole(t, map[string]bool{"U1": true, "U2": true})
	if w := c.do(http.MethodGet, "/sign-in", "", nil); !strings.Contains(w.Body.String(), `<a href="/slack">Sign in with Slack</a>`) {
		t.Errorf("the page does not offer Slack:\n%s", w.Body)
	}
	c.roles[account("U1")], c.roles[account("GUEST")], c.roles[account("BROKEN")] = review.Moderator, review.Admin, review.Admin
	w, back, kept := c.slackIn(p, "W", "U1")
	in := sessionIn(w)
	if w.Code != http.StatusSeeOther || in == "" || c.do(http.MethodGet, "/questions", in, nil).Code != http.StatusOK {
		t.Fatalf("sign-in: %d\n%s", w.Code, w.Body)
	}
	// The callback again: the browser has no cookie any more, and Slack takes no code twice.
	if w := c.do(http.MethodGet, back, "", nil); w.Code != http.StatusForbidden || sessionIn(w) != "" {
		t.Errorf("the callback counts twice: %d", w.Code)
	}
	if w := c.do(http.MethodGet, back, "", nil, func(r *http.Request) { r.AddCookie(kept) }); w.Code != http.StatusBadGateway || sessionIn(w) != "" {
		t.Errorf("a code counts twice: %d", w.Code)
	}
	for name, of := range map[string]struct {
		team, user, want string
		code             int
	}{
		"a member without a role":             {"W", "U2", "no role", http.StatusForbidden},
		"a guest with a role":                 {"W", "GUEST", "Only full members", http.StatusForbidden},
		"the same id in another workspace":    {"W2", "U1", "Only full members", http.StatusForbidden},
		"a person about whom Slack is silent": {"W", "BROKEN", "did not work", http.StatusBadGateway},
		"no team":                             {"", "U1", "did not work", http.StatusBadGateway},
		"no user":                             {"W", "", "did not work", http.StatusBadGateway},
	} {
		if w, _, _ := c.slackIn(p, of.team, of.user); w.Code != of.code || sessionIn(w) != "" || !strings.Contains(w.Body.String(), of.want) {
			t.Errorf("%s: %d\n%s", name, w.Code, w.Body)
		}
	}
	delete(c.roles, account("U1"))
	if w, _, _ := c.slackIn(p, "W", "U1"); w.Code != http.StatusForbidden || sessionIn(w) != "" {
		t.Errorf("a person whose role was removed signs in: %d", w.Code)
	}
}

func TestSlackFaultsSignInNoOne(t *testing.T) {
	t.Parallel()
	c, p := newSlackConsole(t, map[string]bool{"U1": true})
	c.roles[account("U1")] = review.Admin
	p.down = true
	if w := c.do(http.MethodGet, "/slack", "", nil); w.Code != http.StatusBadGateway || !strings.Contains(w.Body.String(), "footnote console link") {
		t.Errorf("Slack is down: %d\n%s", w.Code, w.Body)
	}
	p.down = false
	for name, claims := range map[string]func(map[string]any){
		"expired":            func(m map[string]any) { m["exp"] = time.Now().Add(-time.Hour).Unix() },
		"for another client": func(m map[string]any) { m["aud"] = "other" },
		"of another issuer":  func(m map[string]any) { m["iss"] = "https://evil.example" },
		"of another sign-in": func(m map[string]any) { m["nonce"] = "other" },
		"without a nonce":    func(m map[string]any) { delete(m, "nonce") },
		"with another type":  func(m map[string]any) { m["https://slack.com/team_id"] = 7 },
	} {
		p.claims = claims
		if w, _, _ := c.slackIn(p, "W", "U1"); w.Code != http.StatusBadGateway || sessionIn(w) != "" {
			t.Errorf("a token %s signs in: %d", name, w.Code)
		}
	}
	p.claims = nil
	for name, change := range map[string]func(*http.Request){
		"without its cookie": func(r *http.Request) { r.Header.Del("Cookie") },
		"with another state": func(r *http.Request) { r.URL.RawQuery += "x" },
		"without a state":    func(r *http.Request) { r.URL.RawQuery = "code=x" },
		"with the cookie of the identity provider": func(r *http.Request) {
			r.Header.Set("Cookie", strings.Replace(r.Header.Get("Cookie"), "footnote-slack", "footnote-oidc", 1))
		},
	} {
		if w, _, _ := c.slackIn(p, "W", "U1", change); w.Code != http.StatusForbidden || sessionIn(w) != "" {
			t.Errorf("a callback %s signs in: %d", name, w.Code)
		}
	}
	if w := c.do(http.MethodGet, webconsole.SlackCallbackPath+"?error=access_denied&state=x", "", nil); w.Code != http.StatusForbidden || sessionIn(w) != "" {
		t.Errorf("a person who refuses signs in: %d", w.Code)
	}
}

func TestConsoleWithoutSlackHasNoSuchPage(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	for _, path := range []string{"/slack", webconsole.SlackCallbackPath} {
		if w := c.do(http.MethodGet, path, "", nil); w.Code == http.StatusBadGateway || sessionIn(w) != "" || strings.Contains(w.Header().Get("Location"), "authorize") {
			t.Errorf("%s: %d, %v", path, w.Code, w.Header())
		}
	}
}
