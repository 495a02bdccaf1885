package call

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
)

// DefaultAPI is the base URL of Discord's API if DISCORD_API_URL is not set.
const DefaultAPI = "https://discord.com/api"

const maxBody = 64 << 10

// transport is an http.RoundTripper that keeps requests within the bot's rate limits. It sends them
// to the configured API address, and makes 429 responses readable for discordgo.
type transport struct {
	api    *url.URL // replaces https://discord.com/api
	base   http.RoundTripper
	limits *limits
}

// oldEdits is Discord's error code for too many edits of old messages. transport puts it into the
// message of a 429 response, because discordgo drops error codes.
const oldEdits = "30046"

type bucketKey struct{}

// interactionPrefix begins the bucket keys of interactions. The global rate limit does not apply to
// them.
const interactionPrefix = "interaction "

func isInteraction(key string) bool { return strings.HasPrefix(key, interactionPrefix) }

func parseAPI(raw string) (*url.URL, error) {
	if raw == "" {
		raw = DefaultAPI
	}
	u, err := url.Parse(strings.TrimRight(raw, "/"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("DISCORD_API_URL is not an address such as " + DefaultAPI)
	}
	return u, nil
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	key, _ := req.Context().Value(bucketKey{}).(string)
	ended, err := t.limits.admit(req.Context(), key)
	if err != nil {
		t.limits.GiveBack(key)
		return nil, fmt.Errorf("wait for a call of Discord: %w", notSentError{err})
	}
	defer ended()
	// The timeout starts here, after the waits above. A sent request is not cancelled with its caller,
	// because Discord counts it whenever it arrives, perhaps in a later window than this process did.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(req.Context()), RequestTimeout)
	out := req.Clone(ctx)
	if strings.HasPrefix(out.URL.Path, "/api/") {
		out.URL.Scheme, out.URL.Host = t.api.Scheme, t.api.Host
		out.URL.Path = t.api.Path + strings.TrimPrefix(out.URL.Path, "/api")
		out.URL.RawPath = ""
		out.Host = "" // else the server reads discord.com
	}
	res, err := t.base.RoundTrip(out)
	if err != nil {
		cancel()
		t.limits.answered(key, nil)
		return nil, err
	}
	res.Body = &lastingBody{res.Body, cancel}
	t.limits.answered(key, res.Header)
	t.limits.budget.opened(req.Context(), key, res.Header)
	for _, name := range []string{"X-RateLimit-Reset-After", "X-RateLimit-Reset", "X-RateLimit-Remaining", "X-RateLimit-Global"} {
		// discordgo's own limiter would sleep without regard to the context, and ours has these
		// headers already
		res.Header.Del(name)
	}
	if res.StatusCode != http.StatusTooManyRequests {
		return res, nil
	}
	return t.refused(req.Context(), res, key)
}

// lastingBody is a response body. Closing it cancels the timeout of the call.
type lastingBody struct {
	io.ReadCloser
	read context.CancelFunc
}

// Close implements io.Closer.
func (b *lastingBody) Close() error {
	defer b.read()
	return b.ReadCloser.Close()
}

// CloseIdleConnections closes idle connections of the underlying transport.
// http.Client.CloseIdleConnections calls it.
func (t *transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// refused records a 429 response and rewrites its body as the JSON that discordgo expects. A
// response without such JSON, as from Cloudflare, counts as a limit on all calls.
func (t *transport) refused(ctx context.Context, res *http.Response, key string) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return nil, fmt.Errorf("read Discord's refusal: %w", err)
	}
	var said struct {
		Message    string   `json:"message"`
		RetryAfter *float64 `json:"retry_after"`
		Global     bool     `json:"global"`
		Code       int      `json:"code"`
	}
	if json.Unmarshal(body, &said) != nil || said.RetryAfter == nil {
		after := retryAfter(res.Header)
		said.RetryAfter, said.Global = &after, true
		said.Message = "Discord refuses all calls for a while."
	}
	if said.Code == codeOldEdits { // discordgo drops the code
		said.Message = oldEdits
	}
	after := time.Duration(*said.RetryAfter * float64(time.Second))
	t.limits.refused(key, after, said.Global)
	if said.Global {
		t.limits.budget.pause(ctx, after)
	}
	body, err = json.Marshal(map[string]any{"message": said.Message, "retry_after": *said.RetryAfter, "global": said.Global, "code": said.Code})
	if err != nil {
		return nil, fmt.Errorf("repeat Discord's refusal: %w", err)
	}
	res.Header.Set("Content-Type", "application/json")
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return res, nil
}

// retryAfter returns the Retry-After header of a 429 response in seconds, or 60 if the header is
// missing.
func retryAfter(h http.Header) float64 {
	after, _ := pace.RetryAfter(h, time.Now())
	if after <= 0 {
		return 60
	}
	return after.Seconds()
}

type notSentError struct{ error }

func (e notSentError) Unwrap() error { return e.error }

func withBucket(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, bucketKey{}, key)
}
