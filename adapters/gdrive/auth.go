package gdrive

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sleep"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"
)

// scopeDrive allows reading files, and the other scopes allow reading the directory. They are
// requested with separate tokens, so that an administrator's token cannot read files.
const (
	scopeDrive   = "https://www.googleapis.com/auth/drive.readonly"
	scopeUsers   = "https://www.googleapis.com/auth/admin.directory.user.readonly"
	scopeGroups  = "https://www.googleapis.com/auth/admin.directory.group.readonly"
	scopeMembers = "https://www.googleapis.com/auth/admin.directory.group.member.readonly"
)

type serviceKey struct {
	Type         string `json:"type"`
	ClientEmail  string `json:"client_email"`
	PrivateKey   string `json:"private_key"`
	PrivateKeyID string `json:"private_key_id"`
	TokenURI     string `json:"token_uri"`
}

func parseKey(text []byte) (serviceKey, error) {
	var key serviceKey
	if len(text) == 0 {
		return key, errors.New("there is no credential for Google Drive: set GOOGLE_KEY_FILE to the file of a service account's key")
	}
	err := json.Unmarshal(text, &key)
	block, _ := pem.Decode([]byte(key.PrivateKey))
	if err != nil || key.Type != "service_account" || key.ClientEmail == "" || block == nil || key.TokenURI == "" {
		return serviceKey{}, errors.New("GOOGLE_KEY_FILE does not hold the key of a service account: make one in the console (IAM & Admin → Service accounts → Keys → Add key → JSON), and keep the file as it is")
	}
	return key, nil
}

// errNoImpersonation means that a person cannot be impersonated, because the account is suspended,
// deleted or unknown.
var errNoImpersonation = errors.New("Google does not let the service account act for this person")

// authority obtains tokens, one for each impersonated person. It is safe for concurrent use.
// Concurrent callers may refresh the same token twice.
type authority struct {
	key    serviceKey
	client *http.Client
	pause  time.Duration
	now    func() time.Time

	mu     sync.Mutex
	tokens map[holder]given
}

// holder is the key of a cached token. subject is the impersonated person, or "" for the service
// account itself.
type holder struct{ subject, scopes string }

type given struct {
	token string
	until time.Time
}

const (
	tokenTimeout  = 30 * time.Second
	tokenAttempts = 3
)

func newAuthority(key serviceKey, settings outhttp.Config, pause time.Duration, now func() time.Time) (*authority, error) {
	client, err := outhttp.New(settings)
	if err != nil {
		return nil, err
	}
	client.Timeout = tokenTimeout
	// the request itself is a credential
	client.CheckRedirect = func(*http.Request, []*http.Request) error {
		return fmt.Errorf("Google's address for tokens redirects: %w", outhttp.ErrRefused)
	}
	return &authority{key: key, client: client, pause: pause, now: now, tokens: make(map[holder]given)}, nil
}

// current returns a cached token that is valid for five more minutes, or requests a new token. It
// makes at most tokenAttempts requests.
func (a *authority) current(ctx context.Context, of holder) (string, error) {
	a.mu.Lock()
	have := a.tokens[of]
	a.mu.Unlock()
	if have.token != "" && a.now().Before(have.until) {
		return have.token, nil
	}
	config := jwt.Config{
		Email: a.key.ClientEmail, PrivateKey: []byte(a.key.PrivateKey), PrivateKeyID: a.key.PrivateKeyID, Subject: of.subject, TokenURL: a.key.TokenURI,
		Scopes: strings.Fields(of.scopes),
	}
	bound := *a.client
	bound.Transport = within{ctx, a.client.Transport}
	for attempt := 1; ; attempt++ {
		token, err := config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, &bound)).Token()
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err == nil {
			until := a.now().Add(max(time.Until(token.Expiry)-5*time.Minute, 0))
			a.mu.Lock()
			defer a.mu.Unlock()
			a.tokens[of] = given{token.AccessToken, until}
			return token.AccessToken, nil
		}
		if err, sure := a.refusal(of, err); sure || attempt == tokenAttempts {
			return "", err
		}
		if err := sleep.For(ctx, a.pause<<attempt); err != nil {
			return "", err
		}
	}
}

// refusal converts the error of a token request into an error that tells the operator what to do.
// sure is true if the failure is permanent. Google lists the errors at
// https://developers.google.com/identity/protocols/oauth2/service-account#error-codes.
func (a *authority) refusal(of holder, err error) (meaning error, sure bool) {
	var answer *oauth2.RetrieveError
	if !errors.As(err, &answer) {
		return errors.New("Google gave no token, or could not be reached: check the network; the next run asks again"), false
	}
	var said struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	_ = json.Unmarshal(answer.Body, &said) // a malformed body leaves said empty
	status := answer.Response.StatusCode
	switch about := strings.ToLower(said.Description); {
	case status >= http.StatusInternalServerError || status == http.StatusTooManyRequests:
		return fmt.Errorf("Google gives out no tokens at the moment (%d): the next run asks again", status), false
	case said.Error == "unauthorized_client" || said.Error == "access_denied":
		return fmt.Errorf("Google does not let %s act for %s: in the Admin console, under Security → API controls → Domain-wide delegation, add its client id with the scopes %s: %w",
			a.key.ClientEmail, nameOf(of.subject), of.scopes, index.ErrRevoked), true
	case said.Error == "invalid_grant" && of.subject != "" && !strings.Contains(about, "jwt") && !strings.Contains(about, "account not found"):
		return fmt.Errorf("%s: %w", nameOf(of.subject), errNoImpersonation), true
	default: // the key or the service account is invalid
		return fmt.Errorf("Google does not accept the key of %s: check it, or make a new one, and set GOOGLE_KEY_FILE (%d %s): %w", a.key.ClientEmail, status, said.Error, index.ErrRevoked), true
	}
}

func nameOf(subject string) string {
	if subject == "" {
		return "itself"
	}
	return subject
}

func (a *authority) forget(of holder) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.tokens, of)
}

// within is an HTTP transport that cancels its requests when ctx is done. The OAuth library sends
// requests without a context.
type within struct {
	ctx  context.Context //nolint:containedctx // of one call
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (w within) RoundTrip(r *http.Request) (*http.Response, error) {
	return w.next.RoundTrip(r.WithContext(w.ctx))
}
