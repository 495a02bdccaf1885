package mcp_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/mcp"
)

const resource = "https://footnote.example/mcp"

// provider is an issuer of access tokens with a key of its own.
type provider struct {
	*httptest.Server
	key  *rsa.PrivateKey
	away atomic.Bool
	keys atomic.Int64 // how often its keys were asked for
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		if p.away.Load() {
			http.Error(w, "away", http.StatusServiceUnavailable)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": p.URL, "jwks_uri": p.URL + "/keys", "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.Handle("/keys", http.RedirectHandler("/moved", http.StatusFound))
	mux.HandleFunc("/moved", func(w http.ResponseWriter, _ *http.Request) {
		p.keys.Add(1)
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": []any{map[string]string{
			"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "k1", "n": encoded(key.N.Bytes()), "e": encoded(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func encoded(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// token is an access token with some claims changed, signed by a key.
func (p *provider) token(t *testing.T, key *rsa.PrivateKey, changed map[string]any) string {
	t.Helper()
	claims := map[string]any{
		"iss": p.URL, "sub": "ada", "aud": []string{"other", resource}, "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(), "account": "slack:T1:UADA",
	}
	maps.Copy(claims, changed)
	part := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return encoded(data)
	}
	text := part(map[string]string{"alg": "RS256", "typ": "at+jwt", "kid": "k1"}) + "." + part(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + encoded(signature)
}

func (p *provider) trusted(config *mcp.HTTPConfig) {
	config.OAuth = &mcp.OAuthConfig{Issuer: p.URL, Resource: resource, Audience: resource, Claim: "account"}
}

func TestAccessTokensOfTheIssuerAreTaken(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	w := newAsking(t, nil, p.trusted)
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	valid := p.token(t, p.key, nil)
	head, rest, _ := strings.Cut(valid, ".")
	_, signature, _ := strings.Cut(rest, ".")
	none := encoded([]byte(`{"alg":"none"}`)) + "." + strings.Split(valid, ".")[1] + "."
	for name, c := range map[string]struct {
		token  string
		status int
		says   string
		asked  string
	}{
		"valid":              {valid, 200, "thirty days", "slack T1 UADA"},
		"of Discord":         {p.token(t, p.key, map[string]any{"account": "discord:123"}), 200, "thirty days", "discord  123"},
		"another team":       {p.token(t, p.key, map[string]any{"account": "slack:T2:UADA"}), 200, "not connected to your workspace", "slack T2 UADA"},
		"another audience":   {p.token(t, p.key, map[string]any{"aud": "https://other.example/mcp"}), 401, "audience", ""},
		"no audience":        {p.token(t, p.key, map[string]any{"aud": nil}), 401, "audience", ""},
		"another issuer":     {p.token(t, p.key, map[string]any{"iss": "https://evil.example"}), 401, "not valid", ""},
		"expired":            {p.token(t, p.key, map[string]any{"exp": time.Now().Add(-time.Minute).Unix()}), 401, "expired", ""},
		"no expiry":          {p.token(t, p.key, map[string]any{"exp": nil}), 401, "", ""},
		"not yet":            {p.token(t, p.key, map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}), 401, "", ""},
		"another key":        {p.token(t, stranger, nil), 401, "not valid", ""},
		"without a key":      {none, 401, "not valid", ""},
		"changed":            {head + "." + encoded([]byte(`{"iss":"`+p.URL+`","aud":"`+resource+`","exp":9999999999,"account":"slack:T1:UBOSS"}`)) + "." + signature, 401, "not valid", ""},
		"no account":         {p.token(t, p.key, map[string]any{"account": nil}), 401, "claim account", ""},
		"an account by mail": {p.token(t, p.key, map[string]any{"account": "slack:ada@example.com"}), 401, "names no account", ""},
		"a short account":    {p.token(t, p.key, map[string]any{"account": "slack:UADA"}), 401, "names no account", ""},
		"nonsense":           {"a.b.c", 401, "not valid", ""},
		"a personal token":   {secret, 200, "thirty days", "  "},
		"an unknown one":     {"footnote_wrong", 401, "not known here", ""},
	} {
		w.asked.Store(nil)
		status, text := w.post(t, c.token, strings.NewReader(searching), nil)
		asked := ""
		if a := w.asked.Load(); a != nil {
			asked = a.Platform + " " + a.Workspace.ID + " " + a.ID
		}
		if status != c.status || !strings.Contains(text, c.says) || asked != c.asked {
			t.Errorf("%s: %d %s, asked about %q; want %d, %q and %q", name, status, text, asked, c.status, c.says, c.asked)
		}
	}
	for range 10 {
		if status, text := w.post(t, p.token(t, stranger, nil), strings.NewReader(searching), nil); status != http.StatusUnauthorized || !strings.Contains(text, "not valid") {
			t.Errorf("a forged token: %d %s", status, text)
		}
	}
	if n := p.keys.Load(); n > 1 {
		t.Errorf("forged tokens had the keys fetched %d times", n)
	}
	if status, _ := newWorld(t).post(t, valid, strings.NewReader(searching), nil); status != http.StatusUnauthorized {
		t.Errorf("where no issuer is set: %d", status)
	}
}

func TestIssuerThatIsAwayLetsNoOneIn(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	p.away.Store(true)
	w := newAsking(t, nil, p.trusted)
	for range 2 {
		if status, text := w.post(t, p.token(t, p.key, nil), strings.NewReader(searching), nil); status != http.StatusInternalServerError || !strings.Contains(text, "try again") || strings.Contains(text, p.URL) {
			t.Errorf("%d %s", status, text)
		}
	}
	if status, _ := w.post(t, secret, strings.NewReader(searching), nil); status != http.StatusOK {
		t.Errorf("a personal token: %d", status)
	}
}

func TestMetadataSaysWhereTokensAreFrom(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	w := newAsking(t, nil, p.trusted)
	const at = `resource_metadata="https://footnote.example/.well-known/oauth-protected-resource/mcp"`
	for _, token := range []string{"", "a.b.c"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.http.URL+mcp.Path, strings.NewReader(searching))
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := w.http.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if got := res.Header.Get("WWW-Authenticate"); res.StatusCode != http.StatusUnauthorized || got != "Bearer "+at {
			t.Errorf("token %q: %d, %s", token, res.StatusCode, got)
		}
	}
	recorded := httptest.NewRecorder()
	mcp.Metadata(mcp.OAuthConfig{Issuer: p.URL, Resource: resource}).ServeHTTP(recorded, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	var said struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Methods  []string `json:"bearer_methods_supported"`
	}
	if err := json.Unmarshal(recorded.Body.Bytes(), &said); err != nil || said.Resource != resource || len(said.Servers) != 1 || said.Servers[0] != p.URL || len(said.Methods) != 1 || said.Methods[0] != "header" {
		t.Errorf("%s, %v", recorded.Body, err)
	}
}
