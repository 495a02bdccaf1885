package github

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// Credential is a token, or a GitHub App with one installation.
type Credential struct {
	Token          string // fine-grained personal access token
	AppID          string // id or client id of the App
	InstallationID int64
	Key            []byte // private key of the App, in PEM
}

// IsApp reports whether the credential belongs to an App.
func (c Credential) IsApp() bool { return c.AppID != "" }

// authority adds the credential to requests. It is safe for concurrent use. Two concurrent requests
// may both renew an expired token.
type authority struct {
	credential Credential
	key        *rsa.PrivateKey
	http       *sourcehttp.Client // sends requests as the App
	now        func() time.Time

	mu    sync.Mutex
	token string // current token of the installation
	until time.Time
}

func newAuthority(credential Credential, settings sourcehttp.Config) (*authority, error) {
	a := &authority{credential: credential, now: settings.Now}
	switch {
	case credential.Token != "" && credential.IsApp():
		return nil, errors.New("there are a token and an App for GitHub: set GITHUB_TOKEN, or GITHUB_APP_ID with its key, and not both")
	case credential.Token != "":
		return a, nil
	case !credential.IsApp():
		return nil, errors.New("there is no credential for GitHub: set GITHUB_TOKEN, or GITHUB_APP_ID, GITHUB_APP_INSTALLATION_ID and GITHUB_APP_KEY_FILE")
	case credential.InstallationID <= 0:
		return nil, errors.New("GITHUB_APP_INSTALLATION_ID is missing: it is the number at the end of the address of the App's installation, in the settings of the organisation")
	}
	var err error
	if a.key, err = privateKey(credential.Key); err != nil {
		return nil, err
	}
	settings.Authorize = func(_ context.Context, r *http.Request) error {
		token, err := a.jwt()
		r.Header.Set("Authorization", "Bearer "+token)
		return err
	}
	a.http, err = sourcehttp.New(settings)
	return a, err
}

// privateKey parses an App's key in PEM form. It accepts GitHub's format (PKCS #1) and OpenSSL's
// (PKCS #8).
func privateKey(text []byte) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("the App's key is not in PEM form: GITHUB_APP_KEY_FILE names the file that GitHub gave out (-----BEGIN RSA PRIVATE KEY-----)")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if key, ok := parsed.(*rsa.PrivateKey); ok && err == nil {
		return key, nil
	}
	return nil, errors.New("the App's key cannot be read: GITHUB_APP_KEY_FILE names the file of a private key as GitHub gave it out")
}

// jwt returns a token that identifies the App. It is valid for nine minutes, because GitHub allows
// ten
// (https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app).
func (a *authority) jwt() (string, error) {
	now := a.now()
	claims, err := json.Marshal(map[string]any{"iat": now.Add(-time.Minute).Unix(), "exp": now.Add(9 * time.Minute).Unix(), "iss": a.credential.AppID})
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + encode(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, a.key, crypto.SHA256, sum[:])
	if err != nil {
		return "", errors.New("the App's key cannot sign")
	}
	return text + "." + encode(signature), nil
}

// current returns the personal token, or a token of the installation that is valid for at least
// five more minutes. It requests a new token if needed.
func (a *authority) current(ctx context.Context) (string, error) {
	if !a.credential.IsApp() {
		return a.credential.Token, nil
	}
	a.mu.Lock()
	token, until := a.token, a.until
	a.mu.Unlock()
	if token != "" && a.now().Before(until) {
		return token, nil
	}
	answer, err := a.http.Do(ctx, sourcehttp.Request{Method: http.MethodPost, Path: "app/installations/" + strconv.FormatInt(a.credential.InstallationID, 10) + "/access_tokens"})
	if err != nil {
		if sourcehttp.Status(err) == http.StatusUnauthorized || absent(err) {
			err = fmt.Errorf("GitHub gives the App no token: check GITHUB_APP_INSTALLATION_ID, and in the App's settings that it is installed, not suspended, and has this key (%w): %w", err, index.ErrRevoked)
		}
		return "", err
	}
	var given struct {
		Token     string    `json:"token"`
		ExpiresAt time.Time `json:"expires_at"`
	}
	if err := sourcehttp.Decode(ctx, answer.Body, &given); err != nil || given.Token == "" {
		return "", errors.New("GitHub gave no token to the App: the next run asks again")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.token, a.until = given.Token, given.ExpiresAt.Add(-5*time.Minute)
	return a.token, nil
}

func (a *authority) authorize(ctx context.Context, r *http.Request) error {
	token, err := a.current(ctx)
	if err == nil {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return err
}

// renew discards a rejected token. It returns false if a new token cannot be requested.
func (a *authority) renew() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	old := a.token
	a.token = ""
	return old != ""
}
