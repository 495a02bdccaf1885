package webconsole_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/webconsole"
	"github.com/footnotehq/footnote/core/review"
)

// provider is an OpenID provider as OpenID Connect Core 1.0, Discovery 1.0 and RFC 7636 describe
// it.
type provider struct {
	*httptest.Server
	key  *rsa.PrivateKey
	mu   sync.Mutex
	asks map[string]url.Values // by code
	// claims changes what a token says; sign, how it is signed.
	claims func(map[string]any)
	sign   func(header map[string]any) *rsa.PrivateKey
	down   bool
	// exchanges counts the requests for a token.
	exchanges int
	// slack makes it answer as Slack does: without PKCE, and a refusal is no error of HTTP.
	slack bool
}

var b64 = base64.RawURLEncoding

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{key: key, asks: make(map[string]url.Values)}
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		if p.down {
			http.Error(w, "no", http.StatusServiceUnavailable)
			return
		}
		answer(w, map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/jwks",
			"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("GET /jwks", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "k1",
			"n": b64.EncodeToString(p.key.N.Bytes()), "e": b64.EncodeToString(big.NewInt(int64(p.key.E)).Bytes())}}})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.exchanges++
		asked := p.asks[r.PostFormValue("code")]
		delete(p.asks, r.PostFormValue("code")) // a code counts once
		p.mu.Unlock()
		id, secret, basic := r.BasicAuth()
		challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if p.slack {
			if !basic || id != "client" || secret != "hush" || asked == nil || asked.Has("code_challenge") || r.PostForm.Has("code_verifier") || asked.Get("redirect_uri") != r.PostFormValue("redirect_uri") {
				answer(w, map[string]any{"ok": false, "error": "invalid_code"})
				return
			}
			answer(w, map[string]any{"ok": true, "access_token": "xoxp-1234", "token_type": "Bearer", "id_token": p.token(t, asked)})
			return
		}
		if !basic || id != "client" || secret != "hush" || asked == nil || asked.Get("code_challenge") != b64.EncodeToString(challenge[:]) || asked.Get("redirect_uri") != r.PostFormValue("redirect_uri") {
			w.WriteHeader(http.StatusBadRequest)
			answer(w, map[string]any{"error": "invalid_grant"})
			return
		}
		answer(w, map[string]any{"access_token": "a", "token_type": "Bearer", "expires_in": 60, "id_token": p.token(t, asked)})
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// token is the ID token for a request.
func (p *provider) token(t *testing.T, asked url.Values) string {
	claims := map[string]any{"iss": p.URL, "sub": asked.Get("login"), "aud": "client", "exp": time.Now().Add(time.Minute).Unix(), "iat": time.Now().Unix(),
		"nonce": asked.Get("nonce"), "email": "ada@example.org", "email_verified": true}
	if p.claims != nil {
		p.claims(claims)
	}
	header, key := map[string]any{"alg": "RS256", "typ": "JWT", "kid": "k1"}, p.key
	if p.sign != nil {
		key = p.sign(header)
	}
	part := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Error(err)
		}
		return b64.EncodeToString(text)
	}
	signed := part(header) + "." + part(claims)
	if key == nil {
		return signed + "."
	}
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
	if err != nil {
		t.Error(err)
	}
	return signed + "." + b64.EncodeToString(signature)
}

// newOIDCConsole is a console with a provider.
func newOIDCConsole(t *testing.T) (*console, *provider) {
	p := newProvider(t)
	c := newConsole(t)
	c.oidc = &webconsole.OIDC{Issuer: p.URL, ClientID: "client", ClientSecret: "hush", CallbackURL: "https://" + host + webconsole.CallbackPath, HTTP: p.Client()}
	c.Handler = c.handler(host)
	return c, p
}

// goes signs a person in at the provider and returns what the console answers to the callback.
func (c *console) goes(p *provider, login, session, begin string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	c.Helper()
	w := c.do(http.MethodGet, begin, session, nil, from("same-origin"))
	to, err := url.Parse(w.Header().Get("Location"))
	if err != nil || w.Code != http.StatusSeeOther || !strings.HasPrefix(to.String(), p.URL+"/authorize?") {
		c.Fatalf("the browser is sent to %q with %d: %s", to, w.Code, w.Body)
	}
	asked := to.Query()
	if asked.Get("scope") != "openid" || asked.Get("response_type") != "code" || asked.Get("code_challenge_method") != "S256" || asked.Get("nonce") == "" {
		c.Errorf("the provider is asked for %v", asked)
	}
	asked.Set("login", login)
	code := fmt.Sprint("code", time.Now().UnixNano())
	p.mu.Lock()
	p.asks[code] = asked
	p.mu.Unlock()
	kept := w.Result().Cookies()[0]
	if !kept.HttpOnly || !kept.Secure || !strings.HasPrefix(kept.Name, "__Host-") {
		c.Errorf("the cookie is %v", kept)
	}
	back := append([]func(*http.Request){func(r *http.Request) {
		r.AddCookie(kept)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
	}}, change...)
	return c.do(http.MethodGet, webconsole.CallbackPath+"?code="+code+"&state="+url.QueryEscape(asked.Get("state")), session, nil, back...)
}

// from is a request that a page of a site led to, as browsers say it (Fetch Metadata Request
// Headers).
func from(site string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", site) }
}

func TestAnotherSiteCannotConnectAnIdentity(t *testing.T) {
	t.Parallel()
	c, p := newOIDCConsole(t)
	ada := c.signIn("U1", review.Moderator)
	for _, site := range []string{"cross-site", "same-site", "none", ""} {
		w := c.do(http.MethodGet, "/oidc?connect=1", ada, nil, from(site))
		if w.Code != http.StatusForbidden || len(w.Result().Cookies()) != 0 || strings.Contains(w.Header().Get("Location"), p.URL) {
			t.Errorf("from %q: %d, %v", site, w.Code, w.Header())
		}
	}
	if w := c.do(http.MethodGet, "/oidc", "", nil, from("cross-site")); w.Code != http.StatusSeeOther {
		t.Errorf("signing in from a link of another site: %d", w.Code)
	}
}

func sessionIn(w *httptest.ResponseRecorder) string {
	for _, c := range w.Result().Cookies() {
		if c.Name == "__Host-footnote" {
			return c.Value
		}
	}
	return ""
}

// A person connects an account once, and signs in with it from then on: by issuer and subject, and
// never by an address, which may be another person's by now.
func TestProviderSignsInWhoWasConnected(t *testing.T) {
	t.Parallel()
	c, p := newOIDCConsole(t)
	if w := c.goes(p, "ada", "", "/oidc"); w.Code != http.StatusForbidden || sessionIn(w) != "" {
		t.Errorf("an account that is not connected signs in: %d", w.Code)
	}
	ada := c.signIn("U1", review.Moderator)
	if w := c.goes(p, "ada", "", "/oidc?connect=1"); w.Code != http.StatusForbidden || len(c.identities) != 0 {
		t.Errorf("an account is connected to no one: %d", w.Code)
	}
	if w := c.goes(p, "ada", ada, "/oidc?connect=1"); w.Code != http.StatusSeeOther || len(c.identities) != 1 {
		t.Fatalf("connect: %d, %v\n%s", w.Code, c.identities, w.Body)
	}
	w := c.goes(p, "ada", "", "/oidc")
	in := sessionIn(w)
	if w.Code != http.StatusSeeOther || in == "" || c.do(http.MethodGet, "/questions", in, nil).Code != http.StatusOK {
		t.Fatalf("sign-in: %d\n%s", w.Code, w.Body)
	}
	if w := c.goes(p, "eve", "", "/oidc"); w.Code != http.StatusForbidden || sessionIn(w) != "" {
		t.Errorf("another account with the same address signs in: %d", w.Code)
	}
	bob := c.signIn("U2", review.Admin)
	if w := c.goes(p, "ada", bob, "/oidc?connect=1"); w.Code != http.StatusForbidden || c.identities[review.Identity{Issuer: p.URL, Subject: "ada"}] != account("U1") {
		t.Errorf("an account is connected to a second person: %d", w.Code)
	}
	if w := c.goes(p, "ada", in, "/oidc"); sessionIn(w) == in || c.do(http.MethodGet, "/questions", in, nil).Code != http.StatusSeeOther {
		t.Error("the session from before goes on")
	}
	delete(c.roles, account("U1"))
	if w := c.goes(p, "ada", "", "/oidc"); w.Code != http.StatusForbidden || sessionIn(w) != "" {
		t.Errorf("a person without a role signs in: %d", w.Code)
	}
}

func TestProviderFaultsSignInNoOne(t *testing.T) {
	t.Parallel()
	c, p := newOIDCConsole(t)
	p.down = true
	if w := c.do(http.MethodGet, "/oidc", "", nil); w.Code != http.StatusBadGateway || !strings.Contains(w.Body.String(), "footnote console link") {
		t.Errorf("the provider is down: %d\n%s", w.Code, w.Body)
	}
	p.down = false
	c.roles[account("U1")] = review.Admin
	c.identities[review.Identity{Issuer: p.URL, Subject: "ada"}] = account("U1")
	if w := c.goes(p, "ada", "", "/oidc"); sessionIn(w) == "" {
		t.Fatalf("the provider is back: %d\n%s", w.Code, w.Body)
	}
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, claims := range map[string]func(map[string]any){
		"expired, or a wrong clock": func(m map[string]any) { m["exp"] = time.Now().Add(-time.Hour).Unix() },
		"not yet valid":             func(m map[string]any) { m["nbf"] = time.Now().Add(time.Hour).Unix() },
		"for another client":        func(m map[string]any) { m["aud"] = "other" },
		"of another issuer":         func(m map[string]any) { m["iss"] = "https://evil.example" },
		"of another sign-in":        func(m map[string]any) { m["nonce"] = "other" },
		"without a nonce":           func(m map[string]any) { delete(m, "nonce") },
		"without a subject":         func(m map[string]any) { m["sub"] = "" },
	} {
		p.claims = claims
		if w := c.goes(p, "ada", "", "/oidc"); w.Code != http.StatusBadGateway || sessionIn(w) != "" {
			t.Errorf("a token %s signs in: %d", name, w.Code)
		}
	}
	p.claims = nil
	for name, sign := range map[string]func(map[string]any) *rsa.PrivateKey{
		"by another key": func(map[string]any) *rsa.PrivateKey { return other },
		"by no key":      func(h map[string]any) *rsa.PrivateKey { h["alg"] = "none"; return nil },
	} {
		p.sign = sign
		if w := c.goes(p, "ada", "", "/oidc"); w.Code != http.StatusBadGateway || sessionIn(w) != "" {
			t.Errorf("a token signed %s signs in: %d", name, w.Code)
		}
	}
	p.sign = nil
	for name, change := range map[string]func(*http.Request){
		"without its cookie": func(r *http.Request) { r.Header.Del("Cookie") },
		"with another state": func(r *http.Request) { r.URL.RawQuery += "x" },
		"without a state":    func(r *http.Request) { r.URL.RawQuery = "code=x" },
		"with another cookie": func(r *http.Request) {
			r.Header.Del("Cookie")
			r.AddCookie(&http.Cookie{Name: "__Host-footnote-oidc", Value: b64.EncodeToString([]byte(`{"State":"","Nonce":"","Verifier":""}`))})
			r.URL.RawQuery = "code=x&state="
		},
	} {
		if w := c.goes(p, "ada", "", "/oidc", change); w.Code != http.StatusForbidden || sessionIn(w) != "" {
			t.Errorf("a callback %s signs in: %d", name, w.Code)
		}
	}
}

// A provider that refuses sends the browser back with error and error_description and without a
// code (RFC 6749, section 4.1.2.1; OpenID Connect Core 1.0, section 3.1.2.6). Slack sends
// error=access_denied when a person presses Cancel.
func TestRefusedSignInsAreNotExchanged(t *testing.T) {
	t.Parallel()
	refused := func(r *http.Request) {
		q := r.URL.Query()
		q.Del("code")
		q.Set("error", "access_denied")
		q.Set("error_description", "AADSTS50105: not assigned\n\u202e"+strings.Repeat("x", 10_000))
		r.URL.RawQuery = q.Encode()
	}
	c, p := newOIDCConsole(t)
	s, q := newSlackConsole(t, map[string]bool{"U1": true})
	slackSays, _, _ := s.slackIn(q, "W", "U1", refused)
	for _, at := range []struct {
		name string
		w    *httptest.ResponseRecorder
		c    *console
		p    *provider
	}{{"OIDC", c.goes(p, "ada", "", "/oidc", refused), c, p}, {"Slack", slackSays, s, q}} {
		if at.w.Code != http.StatusForbidden || !strings.Contains(at.w.Body.String(), "You cancelled, or your organisation refused the sign-in.") || at.p.exchanges != 0 || sessionIn(at.w) != "" {
			t.Errorf("%s: %d after %d exchanges\n%s", at.name, at.w.Code, at.p.exchanges, at.w.Body)
		}
		log := at.c.logged.String()
		if !strings.Contains(log, "access_denied") || !strings.Contains(log, "AADSTS50105: not assigned") || len(log) > 2_000 || strings.Contains(log, "could not sign in") || strings.Contains(log, "202e") {
			t.Errorf("%s: the log has %d bytes: %.500s", at.name, len(log), log)
		}
	}
	// Another site cannot write into the log.
	if w := c.do(http.MethodGet, webconsole.CallbackPath+"?error=planted&state=x", "", nil); w.Code != http.StatusForbidden || strings.Contains(c.logged.String(), "planted") {
		t.Errorf("without its cookie: %d, %s", w.Code, c.logged.String())
	}
}

// OpenID Connect Discovery 1.0, section 4.3: "The issuer value returned MUST be identical to the
// Issuer URL that was used".
func TestIssuersAreChecked(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	if err := webconsole.CheckIssuer(t.Context(), p.URL, p.Client()); err != nil {
		t.Error(err)
	}
	if err := webconsole.CheckIssuer(t.Context(), p.URL+"/", p.Client()); err == nil || !strings.Contains(err.Error(), p.URL) {
		t.Errorf("another issuer: %v", err)
	}
	p.down = true
	if err := webconsole.CheckIssuer(t.Context(), p.URL, p.Client()); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("the provider is down: %v", err)
	}
	long := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<h1>\n" + strings.Repeat("x", 100_000)))
	}))
	t.Cleanup(long.Close)
	if err := webconsole.CheckIssuer(t.Context(), long.URL, long.Client()); err == nil || len(err.Error()) > 600 || strings.Contains(err.Error(), "\n") {
		t.Errorf("a page instead: %.300v", err)
	}
}
