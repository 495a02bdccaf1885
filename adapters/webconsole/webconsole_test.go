package webconsole_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/webconsole"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/gaps"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/upload/uploadtest"
)

// world is everything behind a console, in memory.
type world struct {
	shelf      uploadtest.Shelf
	mu         sync.Mutex
	logged     bytes.Buffer
	links      map[review.Hash]review.SignedIn
	sessions   map[review.Hash]review.SignedIn
	roles      map[access.Account]review.Role
	identities map[review.Identity]access.Account
	oidc       *webconsole.OIDC
	slack      *webconsole.Slack
	now        time.Time

	asked  []review.Question
	saved  map[session.TurnID]session.Saved
	acls   map[document.ID]access.ACL
	texts  map[document.ChunkID]string
	held   map[string][]access.Principal // by person
	unsure error                         // of the platform
	noRoom error                         // of the platform about a channel
	looks  int                           // how often the platform was asked about a person

	today    review.Today
	sources  []review.Source
	report   gaps.Report
	did      []action.Request // what was done to answers
	acts     []string         // what was done to sources
	answer   review.Answer    // who may read a document
	told     []string         // to askers
	reveals  []session.TurnID
	set      review.Setup
	settings *sessiontest.Memory
	answers  func(ctx context.Context, p access.Account, question string, progress func(string)) (mcp.Asked, error)
	away     bool // nothing is done to them
	prices   spend.Prices
	suffix   string // of titles
	counted  int    // how often questions were counted
}

func newWorld() *world {
	return &world{
		links: make(map[review.Hash]review.SignedIn), sessions: make(map[review.Hash]review.SignedIn), roles: make(map[access.Account]review.Role),
		identities: make(map[review.Identity]access.Account),
		saved:      make(map[session.TurnID]session.Saved), acls: make(map[document.ID]access.ACL), texts: make(map[document.ChunkID]string),
		held: make(map[string][]access.Principal), now: time.Now(), settings: sessiontest.NewMemory(),
	}
}

func (w *world) find(of map[review.Hash]review.SignedIn, h review.Hash, none error) (review.SignedIn, error) {
	in, ok := of[h]
	if in.Role = w.roles[in.Person]; !ok || in.Role == "" || !w.now.Before(in.Expires) {
		return review.SignedIn{}, none
	}
	return in, nil
}

func (w *world) Link(_ context.Context, _ access.TenantID, link review.Hash) (review.SignedIn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.find(w.links, link, review.ErrLink)
}

func (w *world) SignIn(_ context.Context, _ access.TenantID, link, to review.Hash, id string) (review.SignedIn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	in, err := w.find(w.links, link, review.ErrLink)
	if err == nil {
		delete(w.links, link)
		in.Session, in.Expires = id, w.now.Add(review.SessionLifetime)
		w.sessions[to] = in
	}
	return in, err
}

func (w *world) Session(_ context.Context, _ access.TenantID, of review.Hash) (review.SignedIn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.find(w.sessions, of, review.ErrSession)
}

func (w *world) Connect(_ context.Context, _ access.TenantID, of review.Hash, i review.Identity) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	in, err := w.find(w.sessions, of, review.ErrSession)
	if owner, known := w.identities[i]; err == nil && known && owner != in.Person {
		err = review.ErrIdentity
	}
	if err == nil {
		w.identities[i] = in.Person
	}
	return err
}

func (w *world) SignInAs(_ context.Context, _ access.TenantID, i review.Identity, to review.Hash, id string) (review.SignedIn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	in := review.SignedIn{Session: id, Person: w.identities[i], Expires: w.now.Add(review.SessionLifetime)}
	if in.Role = w.roles[in.Person]; in.Role == "" {
		return review.SignedIn{}, review.ErrIdentity
	}
	w.sessions[to] = in
	return in, nil
}

func (w *world) SignOut(_ context.Context, _ access.TenantID, of review.Hash) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sessions, of)
	return nil
}

func (w *world) Turn(_ context.Context, _ access.TenantID, id session.TurnID) (session.Turn, error) {
	for _, q := range w.asked {
		if q.Turn == id {
			return session.Turn{ID: id, Session: session.Session{Tenant: access.DefaultTenant, Ref: q.Ref, Owner: q.Owner}, Outcome: q.Outcome}, nil
		}
	}
	return session.Turn{}, session.ErrUnknownTurn
}

func (w *world) TurnOf(context.Context, access.TenantID, thread.Ref, thread.MessageID) (session.Turn, error) {
	return session.Turn{}, session.ErrUnknownTurn
}

func (w *world) Verdict(context.Context, access.TenantID, thread.Ref, thread.MessageID) (session.Verdict, error) {
	return session.Verdict{}, nil
}

func (w *world) Saved(_ context.Context, of session.Turn) (session.Saved, error) {
	return w.saved[of.ID], nil
}

func (w *world) Questions(_ context.Context, _ access.TenantID, s review.Scope, q review.Query) ([]review.Question, error) {
	found := slices.DeleteFunc(slices.Clone(w.asked), func(r review.Question) bool { return !s.May(r) })
	return found[:min(len(found), q.Limit)], nil
}

func (w *world) Conversation(_ context.Context, _ access.TenantID, id session.TurnID) ([]review.Question, error) {
	return slices.DeleteFunc(slices.Clone(w.asked), func(r review.Question) bool { return r.Turn != id }), nil
}

func (w *world) Readable(_ context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	may := make(map[document.ID]bool)
	for _, id := range ids {
		may[id] = audience.MayRead(w.acls[id])
	}
	return may, nil
}

func (w *world) Chunks(_ context.Context, audience access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error) {
	var all []retrieve.Passage
	for _, id := range ids {
		if audience.MayRead(w.acls[document.ID(fmt.Sprint("d", id))]) {
			all = append(all, retrieve.Passage{ID: id, Chunk: document.Chunk{Text: w.texts[id]}})
		}
	}
	return all, nil
}

func (w *world) Standing(_ context.Context, _ access.TenantID, shown []message.Reference) ([]bool, error) {
	stands := make([]bool, len(shown))
	for i := range stands {
		stands[i] = true
	}
	return stands, nil
}

func (w *world) viewer(_ context.Context, p access.Account) (review.Viewer, error) {
	w.mu.Lock()
	w.looks++
	w.mu.Unlock()
	return review.Viewer{Person: p, Name: "Name " + p.ID, Audience: access.NewAudience(access.DefaultTenant, w.held[p.ID]...)}, w.unsure
}

const host = "console.example.org"

// console is a handler for a world, and what a browser does with it.
type console struct {
	testing.TB
	*world
	http.Handler
}

func newConsole(t testing.TB) *console {
	w := newWorld()
	return &console{t, w, w.handler(host)}
}

// handler serves the world under a host.
func (w *world) handler(host string) http.Handler {
	return webconsole.Handler(webconsole.Config{
		OIDC: w.oidc, Slack: w.slack, Tenant: access.DefaultTenant, Host: host, Sessions: w, Viewer: w.viewer, Logger: slog.New(slog.NewTextHandler(&w.logged, nil)),
		Reader: review.Reader{Tenant: access.DefaultTenant, Store: w, Library: w, Prices: func() spend.Prices { return w.prices }},
		Counts: func(context.Context, review.Scope, time.Time) (review.Counts, error) {
			w.counted++
			return review.Counts{Seen: w.counted, Private: 2, Hidden: 3}, nil
		},
		Today:   func(context.Context, bool) (review.Today, error) { return w.today, nil },
		Sources: func(context.Context) ([]review.Source, error) { return w.sources, nil },
		Act:     w.act,
		ChangeSource: func(_ context.Context, by access.Account, do sources.Act, id document.SourceID) (string, error) {
			if do == sources.Resync {
				return "", &review.InputError{Sentence: "It cannot be read."}
			}
			w.acts = append(w.acts, fmt.Sprintf("%s %s %s", by.ID, do, id))
			return "", nil
		},
		Reveal: w.reveal, Revealed: func(context.Context, access.Account) ([]session.TurnID, error) { return w.reveals, nil },
		Ask: func(ctx context.Context, p access.Account, question string, progress func(string)) (mcp.Asked, error) {
			return w.answers(ctx, p, question, progress)
		},
		Setup:    func(context.Context) (review.Setup, error) { return w.set, nil },
		Settings: w.editing(),
		Files:    w.keepers(),
		MayRead: func(_ context.Context, who, _ string) (review.Answer, error) {
			if who != "slack:U7" {
				return review.Answer{}, &review.InputError{Sentence: "The account is not known."}
			}
			return w.answer, nil
		},
		Gaps: func(context.Context, review.Viewer, time.Time) (gaps.Report, error) { return w.report, nil },
	})
}

// act asks for what a form holds first, as action.Service does.
func (w *world) act(_ context.Context, r action.Request) (action.Reply, error) {
	switch {
	case w.away:
		return action.Reply{}, review.ErrAway
	case !r.Submitted:
		return action.Reply{Form: &action.Form{Do: r.Do, Turn: r.Turn, Title: "Title", Label: "Label", Text: "text before", Submit: "Do it", Max: 3000}}, nil
	case r.Text == "":
		return action.Reply{Refused: true, Sentence: "A correction needs a text."}, nil
	}
	w.did = append(w.did, r)
	return action.Reply{Sentence: "Done."}, nil
}

func (w *world) reveal(ctx context.Context, v review.Viewer, ref, reason string) (session.TurnID, error) {
	turn, err := w.Turn(ctx, "", session.TurnID(ref))
	if err != nil {
		return "", &review.InputError{Sentence: "There is no such question."}
	}
	r, notice, err := review.NewReveal(v, turn, reason)
	if err == nil {
		w.told, w.reveals = append(w.told, notice), append(w.reveals, r.Turn.ID)
	}
	return r.Turn.ID, err
}

func account(id string) access.Account {
	return access.Account{Workspace: access.Workspace{Platform: "slack", ID: "W"}, ID: id}
}

// link makes a link for a person with a role.
func (c *console) link(id string, role review.Role) string {
	secret := review.NewSecret()
	c.roles[account(id)] = role
	c.links[review.HashOf(secret)] = review.SignedIn{Person: account(id), Expires: c.now.Add(review.LinkLifetime)}
	return secret
}

// do sends a request with a cookie, if there is one, as a browser sends it from a page of the
// console.
func (c *console) do(method, target, cookie string, form url.Values, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "https://"+host+target, strings.NewReader(form.Encode()))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if cookie != "" {
		r.AddCookie(&http.Cookie{Name: "__Host-footnote", Value: cookie})
	}
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	return w
}

// signIn returns the cookie of a new session.
func (c *console) signIn(id string, role review.Role) string {
	c.Helper()
	w := c.do(http.MethodPost, "/sign-in", "", url.Values{"link": {c.link(id, role)}})
	cookies := w.Result().Cookies()
	if w.Code != http.StatusSeeOther || len(cookies) != 1 {
		c.Fatalf("sign-in: %d %v", w.Code, cookies)
	}
	return cookies[0].Value
}

func TestLinkIsSpentByAPressAlone(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	secret := c.link("U1", review.Moderator)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodGet} { // link previews
		if w := c.do(method, "/sign-in?link="+secret, "", nil); w.Code != http.StatusOK || len(w.Result().Cookies()) > 0 || method == http.MethodGet && !strings.Contains(w.Body.String(), "slack:U1") {
			t.Fatalf("%s answers %d %v\n%s", method, w.Code, w.Result().Cookies(), w.Body)
		}
	}
	w := c.do(http.MethodPost, "/sign-in", "", url.Values{"link": {secret}})
	cookie := w.Result().Cookies()[0]
	if !cookie.Secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" || !strings.HasPrefix(cookie.Name, "__Host-") {
		t.Errorf("the cookie is %v", cookie)
	}
	if w := c.do(http.MethodGet, "/questions", cookie.Value, nil); w.Code != http.StatusOK {
		t.Errorf("the session opens nothing: %d", w.Code)
	}
	for _, link := range []string{secret, "", "x"} {
		if w := c.do(http.MethodPost, "/sign-in", "", url.Values{"link": {link}}); w.Code != http.StatusForbidden || len(w.Result().Cookies()) > 0 {
			t.Errorf("the link %q signs in: %d", link, w.Code)
		}
	}
	old := c.link("U1", review.Moderator)
	c.now = c.now.Add(review.LinkLifetime)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if w := c.do(method, "/sign-in?link="+old, "", url.Values{"link": {old}}); w.Code != http.StatusForbidden {
			t.Errorf("%s of an expired link answers %d", method, w.Code)
		}
	}
}

// A session that an attacker knows is not the one that a person gets by signing in, and ends.
func TestSignInBeginsASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	attacker := c.signIn("U2", review.Moderator)
	w := c.do(http.MethodPost, "/sign-in", attacker, url.Values{"link": {c.link("U1", review.Admin)}})
	if got := w.Result().Cookies()[0].Value; got == attacker || len(got) < 40 {
		t.Errorf("the session is %q", got)
	}
	if w := c.do(http.MethodGet, "/questions", attacker, nil); w.Code != http.StatusSeeOther {
		t.Errorf("the session from before goes on: %d", w.Code)
	}
	made := "attacker-chosen"
	c.do(http.MethodPost, "/sign-in", made, url.Values{"link": {c.link("U1", review.Admin)}})
	if w := c.do(http.MethodGet, "/questions", made, nil); w.Code != http.StatusSeeOther {
		t.Errorf("a session that a browser brought opens pages: %d", w.Code)
	}
}

func TestOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	cookie := c.signIn("U1", review.Admin)
	for name, change := range map[string]func(*http.Request){
		"cross-site":     func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"same-site":      func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"another origin": func(r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Set("Origin", "https://evil.example") },
		"another host":   func(r *http.Request) { r.Host = "evil.example" },
	} {
		secret := c.link("U3", review.Admin)
		if w := c.do(http.MethodPost, "/sign-out", cookie, nil, change); w.Code != http.StatusForbidden {
			t.Errorf("%s: sign-out answers %d", name, w.Code)
		}
		if w := c.do(http.MethodPost, "/sign-in", "", url.Values{"link": {secret}}, change); w.Code != http.StatusForbidden || len(w.Result().Cookies()) > 0 {
			t.Errorf("%s: sign-in answers %d", name, w.Code)
		}
		if _, err := c.Link(t.Context(), "", review.HashOf(secret)); err != nil {
			t.Errorf("%s: the link is spent", name)
		}
	}
	if w := c.do(http.MethodGet, "/today", cookie, nil); w.Code != http.StatusOK {
		t.Errorf("the session was ended: %d", w.Code)
	}
	if w := c.do(http.MethodPost, "/sign-out", cookie, nil); w.Code != http.StatusSeeOther || w.Result().Cookies()[0].MaxAge >= 0 {
		t.Errorf("sign-out: %d %v", w.Code, w.Result().Cookies())
	}
	if w := c.do(http.MethodGet, "/today", cookie, nil); w.Code != http.StatusSeeOther {
		t.Errorf("after sign-out: %d", w.Code)
	}
}

func TestEveryAnswerHasItsHeaders(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	cookie := c.signIn("U1", review.Admin)
	for _, target := range []string{"/", "/today", "/questions", "/questions/x", "/gaps", "/sources", "/sign-in", "/style.css", "/nothing"} {
		h := c.do(http.MethodGet, target, cookie, nil).Header()
		csp := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'", "style-src 'self'"} {
			if !strings.Contains(csp, want) {
				t.Errorf("%s has the policy %q", target, csp)
			}
		}
		if strings.Contains(csp, "unsafe") || strings.Contains(csp, "script-src") || h.Get("X-Frame-Options") != "DENY" || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Referrer-Policy") != "same-origin" || target != "/style.css" && h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s has the headers %v", target, h)
		}
	}
}

// A role that is taken away or changed while its person is signed in counts with the next request.
func TestRolesCountAtOnce(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	cookie := c.signIn("U1", review.Admin)
	opens := map[review.Role][]string{
		review.Admin: {"/today", "/questions", "/gaps", "/try", "/sources", "/setup"}, review.Moderator: {"/today", "/questions", "/gaps", "/try", "/setup"}, review.GapReader: {"/gaps"}, "": nil,
	}
	c.today.Findings = []review.Finding{{Part: "disk", Text: "It is nearly full."}}
	for _, role := range []review.Role{review.Admin, review.GapReader, review.Moderator, ""} {
		c.roles[account("U1")] = role
		for _, page := range []string{"/today", "/questions", "/questions/x", "/gaps", "/try", "/sources", "/setup"} {
			w := c.do(http.MethodGet, page, cookie, nil)
			want := http.StatusForbidden
			switch {
			case role == "":
				want = http.StatusSeeOther
			case slices.Contains(opens[role], page):
				want = http.StatusOK
			case page == "/questions/x" && role != review.GapReader:
				want = http.StatusNotFound
			}
			if w.Code != want {
				t.Errorf("%q opens %s with %d, want %d", role, page, w.Code, want)
			}
			if page == "/today" && strings.Contains(w.Body.String(), "nearly full") != (role == review.Admin) {
				t.Errorf("%q is shown what is broken: %s", role, w.Body)
			}
		}
	}
	c.roles[account("U1")] = review.Admin
	c.unsure = errors.New("slack does not answer")
	if w := c.do(http.MethodGet, "/questions", cookie, nil); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("while the platform cannot be asked: %d", w.Code)
	}
	c.unsure = review.ErrGone
	if w := c.do(http.MethodGet, "/questions", cookie, nil); w.Code != http.StatusForbidden {
		t.Errorf("a person who left: %d", w.Code)
	}
	c.unsure, c.now = nil, c.now.Add(review.SessionLifetime)
	if w := c.do(http.MethodGet, "/questions", cookie, nil); w.Code != http.StatusSeeOther {
		t.Errorf("an expired session: %d", w.Code)
	}
}

// Numbers are counted once for what a person sees in a period, and again for another person, period
// or channel.
func TestNumbersAreRememberedForTheirViewer(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	one, two := c.signIn("U1", review.Admin), c.signIn("U2", review.Admin)
	for _, step := range []struct {
		cookie, page string
		held         []access.Principal
		counted      int
	}{
		{one, "/questions", nil, 1}, {one, "/questions?text=x", nil, 1}, {two, "/questions", nil, 2}, {one, "/questions?since=1d", nil, 3}, {one, "/questions", []access.Principal{access.Channel("slack", "C9")}, 4},
	} {
		c.held["U1"] = step.held
		if w := c.do(http.MethodGet, step.page, step.cookie, nil); w.Code != http.StatusOK || c.counted != step.counted {
			t.Errorf("after %+v questions were counted %d times", step, c.counted)
		}
	}
}
