package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/footnotehq/footnote/core/access"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// MetadataPattern is the route of the handler that [Metadata] returns (RFC 9728).
const MetadataPattern = "/.well-known/oauth-protected-resource"

// OAuthConfig says which OAuth access tokens are accepted.
type OAuthConfig struct {
	Issuer   string // issuer, as tokens name it
	Resource string // the address of this server
	Audience string // audience that tokens must have; usually Resource
	Claim    string // claim with the person: slack:WORKSPACE:USER or discord:USER
	HTTP     *http.Client
}

// Metadata returns the handler that tells clients where to get access tokens.
func Metadata(o OAuthConfig) http.Handler {
	return auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource: o.Resource, AuthorizationServers: []string{o.Issuer}, BearerMethodsSupported: []string{"header"}, ResourceName: "Footnote",
	})
}

func metadataURL(resource string) string {
	u, err := url.Parse(resource)
	if err != nil {
		return ""
	}
	u.Path = MetadataPattern + u.Path
	return u.String()
}

// issuer verifies access tokens. It is safe for concurrent use.
type issuer struct {
	OAuthConfig
	verifier atomic.Pointer[oidc.IDTokenVerifier] // nil until the issuer was asked
	asking   chan struct{}                        // holds a value during a lookup
	failed   time.Time                            // time of the last failed lookup; guarded by asking
	keys     keyFetches
}

func newIssuer(c OAuthConfig) *issuer { return &issuer{OAuthConfig: c, asking: make(chan struct{}, 1)} }

// issuerTimeout limits one request to the issuer. issuerAgain is the minimum interval between
// requests for keys, and the delay after a failed request for metadata.
const (
	issuerTimeout = 5 * time.Second
	issuerAgain   = 5 * time.Second
)

var errIssuer = errors.New("the issuer of access tokens cannot be asked")

// ready returns a verifier of the issuer's tokens. The first call asks the issuer for its metadata.
// A failure is cached for issuerAgain, so that forged tokens do not cause endless requests.
func (i *issuer) ready(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	if known := i.verifier.Load(); known != nil {
		return known, nil
	}
	select {
	case i.asking <- struct{}{}:
		defer func() { <-i.asking }()
	case <-ctx.Done():
		return nil, errIssuer
	}
	if known := i.verifier.Load(); known != nil {
		return known, nil
	}
	if time.Since(i.failed) < issuerAgain {
		return nil, errIssuer
	}
	limited, cancel := context.WithTimeout(ctx, issuerTimeout)
	defer cancel()
	provider, err := oidc.NewProvider(oidc.ClientContext(limited, i.client()), i.Issuer)
	if err != nil {
		i.failed = time.Now()
		return nil, fmt.Errorf("%w: %w", errIssuer, err)
	}
	fetching := i.client()
	i.keys.next, fetching.Transport = fetching.Transport, &i.keys
	known := provider.VerifierContext(oidc.ClientContext(context.WithoutCancel(ctx), fetching), &oidc.Config{ClientID: i.Audience})
	i.verifier.Store(known)
	return known, nil
}

// keyFetches limits requests for keys to one per issuerAgain. A token with an unknown key causes
// such a request. Without the limit, forged tokens could cause endless requests.
type keyFetches struct {
	next http.RoundTripper
	mu   sync.Mutex
	last time.Time
	got  bool // the last request returned keys
}

// errKeysFetched reports that no key matches a token although the keys were fetched recently.
var errKeysFetched = errors.New("it is signed with no key of the issuer")

// RoundTrip implements http.RoundTripper.
func (k *keyFetches) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := k.allow(); err != nil && r.Response == nil { // a redirect is the same fetch
		return nil, err
	}
	response, err := k.next.RoundTrip(r)
	k.note(err == nil && response.StatusCode == http.StatusOK)
	return response, err
}

// allow records that a fetch of keys starts. If none may start now, it returns the reason.
func (k *keyFetches) allow() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case time.Since(k.last) >= issuerAgain:
		k.last, k.got = time.Now(), false
		return nil
	case k.got:
		return errKeysFetched
	}
	return errIssuer
}

func (k *keyFetches) note(got bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last, k.got = time.Now(), got
}

// verify checks a token's issuer, audience, expiry and signature. A refused error means that the
// token is invalid. Any other error means that it could not be checked.
func verify(ctx context.Context, by *oidc.IDTokenVerifier, token string) (*oidc.IDToken, error) {
	valid, err := by.Verify(ctx, token)
	if noKey(err) { // another request may have fetched its key in between
		valid, err = by.Verify(ctx, token)
	}
	switch {
	case err == nil:
		return valid, nil
	case noKey(err):
		return nil, refused{fmt.Errorf("the access token is not valid: %w", errKeysFetched)}
	case strings.Contains(err.Error(), "fetching keys"):
		return nil, fmt.Errorf("%w: %w", errIssuer, err)
	}
	return nil, refused{fmt.Errorf("the access token is not valid: %w", err)}
}

// noKey reports whether err contains errKeysFetched. It compares texts, because the verifier passes
// on only the text of an error.
func noKey(err error) bool {
	return err != nil && strings.Contains(err.Error(), errKeysFetched.Error())
}

func (i *issuer) client() *http.Client {
	client := http.Client{Timeout: issuerTimeout, Transport: http.DefaultTransport}
	if i.HTTP != nil && i.HTTP.Transport != nil {
		client.Transport = i.HTTP.Transport
	}
	return &client
}

// person returns the person that a valid access token names, and the token's expiry. A refused
// error means that the token is invalid. Any other error means that the token could not be checked.
func (i *issuer) person(ctx context.Context, token string) (access.Account, time.Time, error) {
	verifier, err := i.ready(ctx)
	if err != nil {
		return access.Account{}, time.Time{}, err
	}
	valid, err := verify(ctx, verifier, token)
	if err != nil {
		return access.Account{}, time.Time{}, err
	}
	var claims map[string]json.RawMessage
	if err := valid.Claims(&claims); err != nil {
		return access.Account{}, time.Time{}, refused{fmt.Errorf("the access token cannot be read: %w", err)}
	}
	var names string
	if err := json.Unmarshal(claims[i.Claim], &names); err != nil {
		return access.Account{}, time.Time{}, refused{fmt.Errorf("the access token has no text in the claim %s", i.Claim)}
	}
	account, ok := accountOf(names)
	if !ok {
		return access.Account{}, time.Time{}, refused{fmt.Errorf("the claim %s of the access token names no account: it is to be slack:WORKSPACE:USER or discord:USER", i.Claim)}
	}
	return account, valid.Expiry, nil
}

var accountForm = regexp.MustCompile(`^(?:(slack):([A-Z0-9]{1,40}):([A-Z0-9]{1,40})|(discord):([0-9]{1,20}))$`)

// accountOf parses an account, such as "slack:T1:U1" or "discord:123". Email addresses are not
// accepted, because not every issuer verifies them.
func accountOf(text string) (access.Account, bool) {
	m := accountForm.FindStringSubmatch(text)
	if m == nil {
		return access.Account{}, false
	}
	return access.Account{Workspace: access.Workspace{Platform: m[1] + m[4], ID: m[2]}, ID: m[3] + m[5]}, true
}
