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
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/footnotehq/footnote/core/access"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// MetadataPattern is where the metadata of the protected resource is mounted (RFC 9728).
const MetadataPattern = "/.well-known/oauth-protected-resource"

// OAuthConfig says whose access tokens are taken.
type OAuthConfig struct {
	Issuer   string // as tokens name it
	Resource string // the address of this server
	Audience string // that tokens are for; mostly Resource
	Claim    string // that names the person: slack:WORKSPACE:USER or discord:USER
	HTTP     *http.Client
}

// Metadata says where clients get access tokens.
func Metadata(o OAuthConfig) http.Handler {
	return auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource: o.Resource, AuthorizationServers: []string{o.Issuer}, BearerMethodsSupported: []string{"header"}, ResourceName: "Footnote",
	})
}

// metadataURL is where the metadata of a resource is.
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
	asking   chan struct{}                        // holds a value while it is asked
	failed   time.Time                            // last time without success; asking guards it
}

func newIssuer(c OAuthConfig) *issuer { return &issuer{OAuthConfig: c, asking: make(chan struct{}, 1)} }

// Bounds of what an issuer is asked.
const (
	issuerTimeout = 5 * time.Second
	issuerAgain   = 5 * time.Second
)

// errIssuer says that nothing is known of a token.
var errIssuer = errors.New("the issuer of access tokens cannot be asked")

// ready asks the issuer for its keys once. A failure counts for a while, so that forged tokens
// cannot have it asked without end.
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
	known := provider.VerifierContext(oidc.ClientContext(context.WithoutCancel(ctx), i.client()), &oidc.Config{ClientID: i.Audience})
	i.verifier.Store(known)
	return known, nil
}

// client bounds each request to the issuer.
func (i *issuer) client() *http.Client {
	client := http.Client{Timeout: issuerTimeout}
	if i.HTTP != nil {
		client.Transport = i.HTTP.Transport
	}
	return &client
}

// person is whom a valid access token names, and when the token expires. A refused says that the
// token is not valid; any other error that this is not known.
func (i *issuer) person(ctx context.Context, token string) (access.Account, time.Time, error) {
	verifier, err := i.ready(ctx)
	if err != nil {
		return access.Account{}, time.Time{}, err
	}
	valid, err := verifier.Verify(ctx, token) // issuer, audience, expiry and signature
	if err != nil {
		if strings.Contains(err.Error(), "fetching keys") {
			return access.Account{}, time.Time{}, fmt.Errorf("%w: %w", errIssuer, err)
		}
		return access.Account{}, time.Time{}, refused{fmt.Errorf("the access token is not valid: %w", err)}
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

// accountOf reads an account. Addresses of mail are none: not every issuer checks them.
func accountOf(text string) (access.Account, bool) {
	m := accountForm.FindStringSubmatch(text)
	if m == nil {
		return access.Account{}, false
	}
	return access.Account{Workspace: access.Workspace{Platform: m[1] + m[4], ID: m[2]}, ID: m[3] + m[5]}, true
}
