package webconsole

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/core/review"
	"golang.org/x/oauth2"
)

// OIDC signs people in with an identity provider. It uses the code flow of OpenID Connect with
// PKCE. It is safe for concurrent use.
type OIDC struct {
	Issuer, ClientID, ClientSecret string
	CallbackURL                    string // address of the console with the path CallbackPath
	HTTP                           *http.Client
	// plain omits PKCE, for a provider that does not document PKCE.
	plain bool

	provider atomic.Pointer[oidc.Provider] // nil before the first successful discovery
}

// CallbackPath is the path to which an identity provider redirects the browser after sign-in.
const CallbackPath = "/oidc/callback"

// attemptLifetime is the maximum time that a person may spend at the provider during sign-in.
const attemptLifetime = 10 * time.Minute

// attempt is the state of one sign-in at the provider. The browser stores it in a cookie.
type attempt struct {
	State, Nonce, Verifier string
	Connect                bool // connect the identity to the account that is signed in
}

const discoverWithin = 10 * time.Second

const attemptCookie = "__Host-footnote-oidc"

// discovered returns the provider's endpoints and keys. It caches them after the first success.
func (o *OIDC) discovered(ctx context.Context) (*oidc.Provider, error) {
	if known := o.provider.Load(); known != nil {
		return known, nil
	}
	// There is no lock, so concurrent requests may each fetch them.
	provider, err := discover(ctx, o.Issuer, o.HTTP)
	if err != nil {
		return nil, fmt.Errorf("ask the identity provider for its endpoints: %w", err)
	}
	o.provider.Store(provider)
	return provider, nil
}

// discover fetches an issuer's discovery document. It fails if the document names another issuer.
func discover(ctx context.Context, issuer string, client *http.Client) (*oidc.Provider, error) {
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, client), discoverWithin)
	defer cancel()
	return oidc.NewProvider(ctx, issuer)
}

// CheckIssuer fetches the discovery document of an identity provider, and compares the issuer in
// it.
func CheckIssuer(ctx context.Context, issuer string, client *http.Client) error {
	if _, err := discover(ctx, issuer, client); err != nil {
		return errors.New(fit(answer.Line(err.Error()), maxSentence)) // it may hold the server's page
	}
	return nil
}

func (o *OIDC) config(p *oidc.Provider) oauth2.Config {
	return oauth2.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, Endpoint: p.Endpoint(), RedirectURL: o.CallbackURL, Scopes: []string{oidc.ScopeOpenID}}
}

// begin returns the address to which the browser must be redirected.
func (o *OIDC) begin(ctx context.Context, a attempt) (string, error) {
	p, err := o.discovered(ctx)
	if err != nil {
		return "", err
	}
	c := o.config(p)
	options := []oauth2.AuthCodeOption{oidc.Nonce(a.Nonce)}
	if !o.plain {
		options = append(options, oauth2.S256ChallengeOption(a.Verifier))
	}
	return c.AuthCodeURL(a.State, options...), nil
}

// finish exchanges a code for an ID token. It checks the signature, issuer, audience, expiry and
// nonce of the token.
func (o *OIDC) finish(ctx context.Context, a attempt, code string) (*oidc.IDToken, error) {
	p, err := o.discovered(ctx)
	if err != nil {
		return nil, err
	}
	ctx = oidc.ClientContext(ctx, o.HTTP)
	c := o.config(p)
	var options []oauth2.AuthCodeOption
	if !o.plain {
		options = append(options, oauth2.VerifierOption(a.Verifier))
	}
	token, err := c.Exchange(ctx, code, options...)
	if err != nil {
		return nil, fmt.Errorf("exchange a code with the identity provider: %w", err)
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return nil, errors.New("the identity provider returned no ID token")
	}
	id, err := p.VerifierContext(ctx, &oidc.Config{ClientID: o.ClientID}).Verify(ctx, raw)
	if err != nil {
		return nil, fmt.Errorf("check an ID token: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(a.Nonce)) != 1 || id.Subject == "" {
		return nil, errors.New("check an ID token: it is for another sign-in")
	}
	return id, nil
}

func (s *server) beginOIDC(w http.ResponseWriter, r *http.Request) {
	a := attempt{State: review.NewSecret(), Nonce: review.NewSecret(), Verifier: oauth2.GenerateVerifier(), Connect: r.URL.Query().Get("connect") != ""}
	// Another site could sign the browser in at the provider as an attacker, and then connect the
	// attacker's identity. A form would not prevent it, because form-action also applies to the
	// redirect to the provider.
	if a.Connect && r.Header.Get("Sec-Fetch-Site") != "same-origin" {
		s.fail(w, http.StatusForbidden, "Begin on the page Account of the console (/account).")
		return
	}
	s.redirectToProvider(w, r, s.OIDC, a, attemptCookie)
}

func (s *server) redirectToProvider(w http.ResponseWriter, r *http.Request, o *OIDC, a attempt, name string) {
	to, err := o.begin(r.Context(), a)
	if err != nil {
		s.providerFailed(w, r, err)
		return
	}
	kept, err := json.Marshal(a)
	if err != nil {
		s.serverError(w, r, err)
		return
	}
	c := cookie(base64.RawURLEncoding.EncodeToString(kept), time.Now().Add(attemptLifetime))
	c.Name = name
	http.SetCookie(w, c)
	http.Redirect(w, r, to, http.StatusSeeOther)
}

const sentenceProvider = "Signing in with your organisation did not work. Try again, or ask for a link: footnote console link."

func (s *server) providerFailed(w http.ResponseWriter, r *http.Request, err error) {
	s.Logger.WarnContext(r.Context(), "a person could not sign in with the identity provider", "error", err)
	s.fail(w, http.StatusBadGateway, sentenceProvider)
}

// handleCallback returns the attempt from the cookie called name, and the ID token. It deletes the
// cookie, so that a callback works only once. If ok is false, it has sent an error page.
func (s *server) handleCallback(w http.ResponseWriter, r *http.Request, o *OIDC, name string) (a attempt, id *oidc.IDToken, ok bool) {
	a, ok = attemptOf(r, name)
	gone := cookie("", time.Unix(1, 0))
	gone.Name, gone.MaxAge = name, -1
	http.SetCookie(w, gone)
	if !ok {
		s.fail(w, http.StatusForbidden, "This sign-in was not begun in this browser, or took too long. Begin again.")
		return a, nil, false
	}
	q := r.URL.Query()
	// RFC 6749, section 4.1.2.1: a refusal has error instead of code, and may have a description.
	if refusal := q.Get("error"); refusal != "" {
		s.Logger.WarnContext(r.Context(), "the identity provider refused a sign-in", "error", fit(answer.Line(refusal), maxTitle), "description", fit(answer.Line(q.Get("error_description")), maxSentence))
		s.fail(w, http.StatusForbidden, "You cancelled, or your organisation refused the sign-in.")
		return a, nil, false
	}
	id, err := o.finish(r.Context(), a, q.Get("code"))
	if err != nil {
		s.providerFailed(w, r, err)
	}
	return a, id, err == nil
}

// attemptOf returns the attempt from the cookie called name. ok is false if the cookie and the
// state parameter do not match.
func attemptOf(r *http.Request, name string) (a attempt, ok bool) {
	c, err := r.Cookie(name)
	if err != nil {
		return a, false
	}
	kept, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil || json.Unmarshal(kept, &a) != nil {
		return a, false
	}
	return a, a.State != "" && subtle.ConstantTimeCompare([]byte(a.State), []byte(r.URL.Query().Get("state"))) == 1
}

func (s *server) finishOIDC(w http.ResponseWriter, r *http.Request) {
	a, id, ok := s.handleCallback(w, r, s.OIDC, attemptCookie)
	if !ok {
		return
	}
	i := review.Identity{Issuer: id.Issuer, Subject: id.Subject}
	if a.Connect {
		s.connect(w, r, i)
		return
	}
	session := review.NewSecret()
	in, err := s.Sessions.SignInAs(r.Context(), s.Tenant, i, review.HashOf(session), review.NewID())
	switch {
	case errors.Is(err, review.ErrIdentity):
		s.fail(w, http.StatusForbidden, "This account is not connected to a person of the console. Sign in with a link first (footnote console link), then connect it.")
	case err != nil:
		s.serverError(w, r, err)
	default:
		s.startSession(w, r, session, in)
	}
}

func (s *server) connect(w http.ResponseWriter, r *http.Request, i review.Identity) {
	var in review.SignedIn
	c, err := r.Cookie(cookieName)
	if err == nil {
		in, err = s.Sessions.Session(r.Context(), s.Tenant, review.HashOf(c.Value))
	}
	if err == nil {
		if _, ok := s.viewer(w, r, in); !ok {
			return
		}
		err = s.Sessions.Connect(r.Context(), s.Tenant, review.HashOf(c.Value), i)
	}
	switch {
	case errors.Is(err, http.ErrNoCookie), errors.Is(err, review.ErrSession):
		s.fail(w, http.StatusForbidden, "Sign in with a link first; then connect the account.")
	case errors.Is(err, review.ErrIdentity):
		s.fail(w, http.StatusForbidden, "This account is connected to another person.")
	case err != nil:
		s.serverError(w, r, err)
	default:
		http.Redirect(w, r, "/account?connected=1", http.StatusSeeOther)
	}
}

func (s *server) account(w http.ResponseWriter, _ *http.Request, in visitor) {
	s.show(w, http.StatusOK, "account", newView(in, "", "Account", struct {
		Person string
		In     review.SignedIn
		OIDC   bool
	}{in.Person.Platform + ":" + in.Person.ID, in.SignedIn, s.OIDC != nil}))
}
