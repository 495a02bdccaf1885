package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/inbound"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is the URL path at which [Handler] is to be served.
const Path = "/mcp"

// MaxRequests and the constants below limit the concurrent requests to a [Handler].
const (
	MaxRequests  = 64 // concurrent requests
	MaxPerPerson = 8  // concurrent requests per person
	MaxAsks      = 16 // concurrent calls of ask, which may take minutes
	MaxOwnAsks   = 2  // concurrent calls of ask per person
	maxLookups   = 16 // concurrent lookups of tokens; others wait
	// answerWithin limits a request from its start until the client has read the response.
	// askWithin is the limit for requests that call the tool ask.
	answerWithin = mcp.CallTimeout + 15*time.Second
	askWithin    = mcp.AskTimeout + 15*time.Second
)

// HTTPConfig configures a [Handler].
type HTTPConfig struct {
	Host    string // host name in clients, with its port if it has one
	Version string
	Logger  *slog.Logger
	OAuth   *OAuthConfig // nil: access tokens are refused
	// Ending is closed when the process ends. Closing it ends running answers, which may take
	// longer than the process's grace period. If nil, it is never closed.
	Ending <-chan struct{}
	// SignedBySlack checks the signature of a request. If nil, requests of Slackbot are refused.
	SignedBySlack func(header http.Header, body []byte) error
}

// Handler returns an MCP server for the streamable HTTP transport. It has no sessions, so every
// replica can answer every request. It is safe for concurrent use.
func Handler(service *mcp.Service, config HTTPConfig) http.Handler {
	server := newServer(service, config.Version, config.Logger, config.Ending, func(r *sdk.CallToolRequest) (mcp.Caller, context.Context, error) {
		if r.Params.Name == mcp.AskName && !countsAsAsk(r.Extra.TokenInfo) {
			return mcp.Caller{}, nil, errAmbiguous
		}
		return callerIn(r.Extra.TokenInfo)
	})
	protocol := func(stream bool) http.Handler {
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
			Stateless: true, JSONResponse: !stream, Logger: quiet(config.Logger), MaxRequestBodyBytes: maxMessage, PropagateRequestCancellation: true,
			// inbound.OnlyHost checks the host. Behind a proxy on this machine, the SDK's own check
			// refuses every public name.
			DisableLocalhostProtection: true,
		})
	}
	asks := func(next http.Handler) http.Handler {
		return inbound.AtOnce(MaxAsks, inbound.Everyone, inbound.AtOnce(MaxOwnAsks, person, markAsk(next)))
	}
	once := protocol(false)
	routes := routes{once: once, ask: asks(once), streamed: asks(protocol(true))}
	looking := make(chan struct{}, maxLookups)
	var granting *issuer
	options := &auth.RequireBearerTokenOptions{}
	if config.OAuth != nil {
		granting = newIssuer(*config.OAuth)
		options.ResourceMetadataURL = metadataURL(config.OAuth.Resource)
	}
	verify := func(ctx context.Context, secret string, r *http.Request) (*auth.TokenInfo, error) {
		if by, ok := ctx.Value(signedKey{}).(signed); ok {
			return by.info(ctx), nil
		}
		select {
		case looking <- struct{}{}:
			defer func() { <-looking }()
		case <-ctx.Done():
			return nil, errLookup
		}
		if granting != nil && !strings.HasPrefix(secret, mcp.SecretPrefix) {
			return oauthTokenInfo(ctx, service, granting, secret, config.Logger)
		}
		caller, token, err := service.Caller(ctx, secret)
		if errors.As(err, new(mcp.Refusal)) {
			if token.ID != "" { // unknown tokens are not logged, because anyone can send them
				config.Logger.InfoContext(ctx, "a token was refused", "token", token.ID, "reason", err)
			}
			return nil, refused{err}
		}
		if err != nil && ctx.Err() == nil { // a client that hung up is no error
			config.Logger.ErrorContext(ctx, "a token could not be looked up", "error", err)
		}
		if err != nil {
			return nil, errLookup
		}
		return infoOf(ctx, caller, token.Expires), nil
	}
	calls := inbound.AtOnce(MaxRequests, inbound.Everyone, inbound.AtOnce(MaxPerPerson, person, readBody(routes)))
	// The token is checked before the body is read, so requests with invalid tokens do not count
	// towards MaxRequests.
	bearer := auth.RequireBearerToken(verify, options)(calls)
	fromSlack := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer slackbot") // verify does not look at it
		bearer.ServeHTTP(w, r)
	})
	signedIn := slackbot(service, config, fromSlack, challenge(options.ResourceMetadataURL, bearer))
	return deadline(inbound.OnlyHost(config.Host, "MCP_URL", http.NewCrossOriginProtection().Handler(signedIn)))
}

var errLookup = errors.New("the token could not be looked up; try again later")

// infoOf returns caller in the format of the SDK. ctx must end when the client disconnects.
func infoOf(ctx context.Context, caller mcp.Caller, expires time.Time) *auth.TokenInfo {
	return &auth.TokenInfo{Expiration: expires, UserID: idOf(caller), Extra: map[string]any{callerKey: caller, waitingKey: ctx}}
}

// info returns the caller in the format of the SDK. If the request names no person, the result has
// no caller.
func (s signed) info(ctx context.Context) *auth.TokenInfo {
	if !s.named {
		return &auth.TokenInfo{Expiration: time.Now().Add(time.Minute), UserID: "slackbot"}
	}
	return infoOf(ctx, s.caller, time.Now().Add(askWithin))
}

// oauthTokenInfo checks an access token of the OAuth issuer and logs why one is refused. errLookup
// means that the token cannot be checked now.
func oauthTokenInfo(ctx context.Context, service *mcp.Service, granting *issuer, token string, logger *slog.Logger) (*auth.TokenInfo, error) {
	person, expires, err := granting.person(ctx, token)
	switch {
	case errors.As(err, new(refused)):
		logger.InfoContext(ctx, "an access token was refused", "reason", err)
		return nil, err
	case err != nil:
		if ctx.Err() == nil {
			logger.ErrorContext(ctx, "an access token could not be checked", "error", err)
		}
		return nil, errLookup
	}
	return infoOf(ctx, service.For(person, mcp.OAuth), expires), nil
}

// callerKey, waitingKey and askKey are keys of auth.TokenInfo.Extra. The value of callerKey is the
// caller. The value of waitingKey is a context that ends when the client disconnects. The value of
// askKey is true for a call of the tool ask.
const callerKey, waitingKey, askKey = "caller", "waiting", "ask"

// errAmbiguous means that the SDK and routes.of find different tool names in a message. For
// {"name":"ask","Name":"search"}, the SDK calls ask.
var errAmbiguous = errors.New("the call is ambiguous: write each key once, in small letters")

func markAsk(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if info := auth.TokenInfoFromContext(r.Context()); info.Extra != nil { // nil: it names no one
			info.Extra[askKey] = true
		}
		next.ServeHTTP(w, r)
	})
}

func countsAsAsk(info *auth.TokenInfo) bool { return info != nil && info.Extra[askKey] != nil }

func person(r *http.Request) string { return auth.TokenInfoFromContext(r.Context()).UserID }

func idOf(c mcp.Caller) string {
	return strings.Join([]string{string(c.At.Platform), c.At.Workspace, c.Who.ID}, "\x00")
}

func callerIn(info *auth.TokenInfo) (mcp.Caller, context.Context, error) {
	if info != nil {
		caller, ok := info.Extra[callerKey].(mcp.Caller)
		waiting, also := info.Extra[waitingKey].(context.Context)
		if ok && also {
			return caller, waiting, nil
		}
	}
	return mcp.Caller{}, nil, errors.New("no one is signed in")
}

// refused says why a token is invalid. It matches auth.ErrInvalidToken in errors.Is, as the SDK
// requires.
type refused struct{ error }

func (r refused) Is(target error) bool { return target == auth.ErrInvalidToken }

// challenge refuses requests without a token and tells the client how to sign in
// (WWW-Authenticate). The SDK does that only if there is an authorization server.
func challenge(metadata string, next http.Handler) http.Handler {
	says := "Bearer"
	if metadata != "" {
		says += fmt.Sprintf(" resource_metadata=%q", metadata)
	}

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", says)
			http.Error(w, "a personal token is needed: Authorization: Bearer footnote_…", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// deadline closes the connections of clients that do not read their response within answerWithin.
func deadline(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerWithin)); err != nil {
			http.Error(w, noDeadline, http.StatusInternalServerError)
			return
		}
		next.ServeHTTP(w, r)
	})
}

const noDeadline = "the connection takes no deadline"

// routes holds the handlers of requests whose bodies have been read. streamed is for calls of ask
// that request progress, ask is for other calls of ask, and once is for all other requests.
type routes struct{ once, ask, streamed http.Handler }

// of returns the handler of a message and the time limit for its response.
func (s routes) of(message []byte) (http.Handler, time.Duration) {
	var call struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
			Meta struct {
				Progress any `json:"progressToken"`
			} `json:"_meta"`
		} `json:"params"`
	}
	// The protocol handler refuses invalid messages.
	if json.Unmarshal(message, &call) != nil || call.Method != "tools/call" || call.Params.Name != mcp.AskName {
		return s.once, answerWithin
	}
	if call.Params.Meta.Progress == nil {
		return s.ask, askWithin
	}
	return s.streamed, askWithin
}

// readBody returns a handler that reads a request's whole body before it calls the handler for the
// message. Otherwise the server's read deadline would cancel a call while its answer is generated.
func readBody(next routes) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
		switch {
		case errors.As(err, new(*http.MaxBytesError)):
			http.Error(w, "the request is too long", http.StatusRequestEntityTooLarge)
			return
		case err != nil:
			http.Error(w, "the request could not be read", http.StatusBadRequest)
			return
		}
		if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) { // it would hold many calls
			http.Error(w, "a request holds one message: JSON-RPC batches are not supported", http.StatusBadRequest)
			return
		}
		handler, within := next.of(body)
		end, connection := time.Now().Add(within), http.NewResponseController(w)
		if err := errors.Join(connection.SetReadDeadline(end), connection.SetWriteDeadline(end)); err != nil {
			http.Error(w, noDeadline, http.StatusInternalServerError)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(w, r)
	})
}
