package gdrivetest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// Fault is a failure to inject into requests.
type Fault = servertest.Fault

// Server serves a [World] over HTTP, as Google's APIs do.
type Server struct {
	*World
	servertest.API[Switches]
	Key []byte // key of the service account, in Google's JSON format

	mu      sync.Mutex
	tokens  map[string]caller
	private *rsa.PrivateKey
}

// Switches change the server's behaviour. Change them only within Switch.
type Switches struct {
	Short      int      // maximum entries per page; 0 means as many as requested
	Expired    bool     // page tokens of file lists have expired
	Forgotten  bool     // page tokens of change logs have expired
	Incomplete bool     // file lists report that they may be incomplete
	Circle     bool     // the last page of a file list leads back to the first
	NoDelegate bool     // the service account may not impersonate anyone
	Scopes     []string // granted scopes; nil means all
	NoDocs     bool     // the Docs, Sheets and Slides APIs are not enabled
	NoLists    bool     // files show the ids of their grants but not the grants
}

// signing returns the key of the service account. It is created once for each process, because
// creating a key takes long.
var signing = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// NewServer starts a server for a world. The server stops at the end of the test.
func NewServer(t testing.TB, w *World) *Server {
	t.Helper()
	s := &Server{World: w, tokens: make(map[string]caller), private: signing()}
	s.Serve(t, s.serve)
	der, err := x509.MarshalPKCS8PrivateKey(s.private)
	if err != nil {
		t.Fatal(err)
	}
	s.Key, err = json.Marshal(map[string]string{
		"type": "service_account", "client_email": w.Bot.Email, "private_key_id": "k1", "token_uri": s.URL + "/token",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Forget invalidates all tokens that were issued.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

// refused is an error response in Google's format, with an HTTP status and a reason such as
// "userRateLimitExceeded" (https://developers.google.com/workspace/drive/api/guides/handle-errors).
type refused struct {
	status int
	reason string
}

var notFound = refused{http.StatusNotFound, "notFound"}

// Refuse returns a handler that responds with a status, a reason and headers. header alternates
// names and values.
func Refuse(status int, reason string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
			"code": status, "message": http.StatusText(status), "errors": []any{map[string]any{"domain": "global", "reason": reason, "message": http.StatusText(status)}},
		}})
	}
}

type caller struct {
	user   *User
	scopes []string
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/token" {
		if !s.Fails(w, r, servertest.Entry(r), "") {
			s.token(w, r)
		}
		return
	}
	s.mu.Lock()
	who, known := s.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	s.mu.Unlock()
	known = known && !s.Revoked()
	entry := servertest.Entry(r)
	if known {
		entry += " (" + who.user.Email + ")"
	}
	s.Log.Add(entry)
	if s.Fails(w, r, entry, `{"files":[{"id":`) {
		return
	}
	if !known {
		Refuse(http.StatusUnauthorized, "authError")(w, r)
		return
	}
	s.World.Mu.Lock()
	answer := (&request{Server: s, Request: r, Switches: s.Is(), user: who.user, scopes: who.scopes, values: r.URL.Query()}).answer()
	s.World.Mu.Unlock()
	switch answer := answer.(type) {
	case refused:
		Refuse(answer.status, answer.reason)(w, r)
	case []byte:
		_, _ = w.Write(answer)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(masked(answer, r.URL.Query().Get("fields")))
	}
}

// token issues an access token in exchange for a signed JSON Web Token, and checks its signature
// and claims (https://developers.google.com/identity/protocols/oauth2/service-account).
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	fail := func(code, description string) {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": code, "error_description": description})
	}
	parts := strings.Split(r.FormValue("assertion"), ".")
	if r.FormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" || len(parts) != 3 {
		fail("unsupported_grant_type", "Invalid grant_type")
		return
	}
	var claims struct {
		Iss, Scope, Aud, Sub string
		Exp, Iat             int64
	}
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	signature, signed := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || signed != nil || json.Unmarshal(body, &claims) != nil || rsa.VerifyPKCS1v15(&s.private.PublicKey, crypto.SHA256, sum[:], signature) != nil || s.Revoked() {
		fail("invalid_grant", "Invalid JWT Signature.")
		return
	}
	if claims.Iss != s.Bot.Email || claims.Aud != s.URL+"/token" || claims.Exp-claims.Iat > 3600 || time.Until(time.Unix(claims.Exp, 0)) > time.Hour {
		fail("invalid_grant", "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.")
		return
	}
	scopes, is := strings.Fields(claims.Scope), s.Is()
	who := s.Bot
	if claims.Sub != "" {
		if is.NoDelegate || is.Scopes != nil && slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(is.Scopes, scope) }) {
			fail("unauthorized_client", "Client is unauthorized to retrieve access tokens using this method, or client not authorized for any of the scopes requested.")
			return
		}
		who = nil
		s.Do(func() {
			for _, u := range s.Users {
				if strings.EqualFold(u.Email, claims.Sub) && !u.Suspended {
					who = u
				}
			}
		})
		if who == nil {
			fail("invalid_grant", "Invalid email or User ID")
			return
		}
	}
	s.mu.Lock()
	token := fmt.Sprintf("ya29.%d", len(s.tokens))
	for s.tokens[token].user != nil {
		token += "x"
	}
	s.tokens[token] = caller{who, scopes}
	s.mu.Unlock()
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
}

// masked returns answer with only the requested fields
// (https://developers.google.com/workspace/drive/api/guides/fields-parameter).
func masked(answer any, fields string) any {
	if fields == "" || fields == "*" {
		return answer
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return answer
	}
	var tree any
	if json.Unmarshal(text, &tree) != nil {
		return answer
	}
	mask, _ := parseMask(strings.ReplaceAll(fields, " ", ""))
	return mask.apply(tree)
}

type mask map[string]mask

// parseMask parses "a,b(c,d),e/f" up to an unmatched closing bracket, and returns the rest.
func parseMask(fields string) (mask, string) {
	m := make(mask)
	for fields != "" {
		i := strings.IndexAny(fields, ",()/")
		if i < 0 {
			m[fields] = nil
			return m, ""
		}
		name, mark := fields[:i], fields[i]
		fields = fields[i+1:]
		switch mark {
		case '(':
			m[name], fields = parseMask(fields)
			fields = strings.TrimPrefix(fields, ",")
			continue
		case '/':
			inner := fields
			if end := strings.IndexAny(fields, ",)"); end >= 0 {
				inner = fields[:end]
			}
			m[name], _ = parseMask(inner)
			fields = strings.TrimPrefix(fields[len(inner):], ",")
			continue
		}
		if name != "" {
			m[name] = nil
		}
		if mark == ')' {
			return m, fields
		}
	}
	return m, ""
}

func (m mask) apply(value any) any {
	if len(m) == 0 {
		return value
	}
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any)
		for name, inner := range m {
			if v, there := value[name]; there {
				out[name] = inner.apply(v)
			}
		}
		return out
	case []any:
		for i := range value {
			value[i] = m.apply(value[i])
		}
	}
	return value
}
