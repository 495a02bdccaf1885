package gdrive

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// Config configures a [Client]. Only Key is required.
type Config struct {
	Key []byte // key of a service account, in Google's JSON format
	// URL replaces the hosts of all Google APIs, for example with a gateway:
	// https://gateway.example.org.
	URL        string
	AllowHosts []string
	CAFile     string
	// Every is the average time between two requests to Drive. The default is 20 ms: "12,000
	// queries per 60 seconds".
	Every    time.Duration
	AtOnce   int           // maximum number of concurrent requests; default 8
	Patience time.Duration // longest wait for a rate limit before a request fails; default 30 s
	Pause    time.Duration // wait before the second attempt; default 1 s
	Now      func() time.Time
}

type api int

const (
	drive api = iota
	directory
	docs
	sheets
	slides
)

// Client sends requests to Google with one credential. All connectors with the same credential
// share one Client. It is safe for concurrent use.
type Client struct {
	config Config
	key    serviceKey
	auth   *authority
	apis   map[api]*sourcehttp.Client

	mu  sync.Mutex
	off map[api]time.Time // when to retry an API that is not enabled
}

// New returns a client. It sends no request.
func New(config Config) (*Client, error) {
	config.Every, config.AtOnce, config.Pause = cmp.Or(config.Every, 20*time.Millisecond), cmp.Or(config.AtOnce, 8), cmp.Or(config.Pause, time.Second)
	if config.Now == nil {
		config.Now = time.Now
	}
	key, err := parseKey(config.Key)
	if err != nil {
		return nil, err
	}
	guard, err := outhttp.NewGuard("ALLOW_PRIVATE_HOSTS", config.AllowHosts)
	if err != nil {
		return nil, err
	}
	c := &Client{config: config, key: key, apis: make(map[api]*sourcehttp.Client), off: make(map[api]time.Time)}
	tokens, err := url.Parse(key.TokenURI)
	allowed, inside := false, false
	if err == nil {
		allowed, inside = guard.Plain(tokens.Hostname())
	}
	if err != nil || tokens.Scheme != "https" && (tokens.Scheme != "http" || !allowed) {
		return nil, errors.New("the token_uri of the service account's key is not an address of the form https://…: use the key as Google gave it out")
	}
	if c.auth, err = newAuthority(key, outhttp.Config{CAFile: config.CAFile, Guard: guard, HeaderTimeout: tokenTimeout, Inside: inside && tokens.Scheme == "http"}, config.Pause, config.Now); err != nil {
		return nil, err
	}
	for of, at := range map[api]struct {
		host, path, scopes string
		every              time.Duration
	}{
		drive:     {"https://www.googleapis.com", "/drive/v3/", scopeDrive, config.Every},
		directory: {"https://admin.googleapis.com", "/admin/directory/v1/", scopeUsers + " " + scopeGroups + " " + scopeMembers, 2 * config.Every},
		// "Read requests … 300 per minute per user per project"
		docs: {"https://docs.googleapis.com", "/v1/", scopeDrive, 10 * config.Every},
		// "… 60 per minute per user per project"
		sheets: {"https://sheets.googleapis.com", "/v4/", scopeDrive, 50 * config.Every},
		slides: {"https://slides.googleapis.com", "/v1/", scopeDrive, 10 * config.Every},
	} {
		base := at.host + at.path
		if config.URL != "" {
			base = strings.TrimSuffix(config.URL, "/") + at.path
		}
		c.apis[of], err = sourcehttp.New(sourcehttp.Config{
			Name: "Google", Base: base, AllowHosts: config.AllowHosts, CAFile: config.CAFile, Every: at.every, Burst: 20, AtOnce: config.AtOnce, Patience: config.Patience,
			Pause: config.Pause, SilentLimit: config.Pause, Now: config.Now, Header: http.Header{"Accept": {"application/json"}}, Limited: limited,
			Authorize: func(ctx context.Context, r *http.Request) error {
				subject, _ := ctx.Value(subjectKey{}).(string)
				token, err := c.auth.current(ctx, holder{subject, at.scopes})
				if err == nil {
					r.Header.Set("Authorization", "Bearer "+token)
				}
				return err
			},
		})
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// subjectKey is the context key for the address of the impersonated person. Requests without it use
// the service account itself.
type subjectKey struct{}

// Account returns the address of the service account.
func (c *Client) Account() string { return c.key.ClientEmail }

// Requests returns the number of requests so far, and how many of them were refused by a rate
// limit.
func (c *Client) Requests() (all, limited int) {
	for _, h := range c.apis {
		cost := h.Cost()
		all, limited = all+cost.Requests, limited+cost.Limited
	}
	return all, limited
}

// Waited returns the total time spent waiting for rate limits.
func (c *Client) Waited() (d time.Duration) {
	for _, h := range c.apis {
		d += h.Cost().Waited
	}
	return d
}

var errMalformed = errors.New("the answer cannot be read")

func (c *Client) get(ctx context.Context, of api, subject, path string, to any) error {
	answer, err := c.raw(ctx, of, subject, sourcehttp.Request{Path: path})
	if err != nil {
		return err
	}
	if err := sourcehttp.Decode(ctx, answer.Body, to); err != nil {
		path, _, _ := strings.Cut(path, "?")
		return fmt.Errorf("Google's answer to %s is not what it should be: check the address of the source, if it has one (%w)", path, errMalformed)
	}
	return nil
}

// raw sends a request on behalf of a person and returns the response undecoded. If the token is
// rejected, it gets a new token and retries once.
func (c *Client) raw(ctx context.Context, of api, subject string, r sourcehttp.Request) (*sourcehttp.Response, error) {
	ctx = context.WithValue(ctx, subjectKey{}, subject)
	answer, err := c.apis[of].Do(ctx, r)
	if sourcehttp.Status(err) == http.StatusUnauthorized {
		for _, scopes := range []string{scopeDrive, scopeUsers + " " + scopeGroups + " " + scopeMembers} {
			c.auth.forget(holder{subject, scopes})
		}
		answer, err = c.apis[of].Do(ctx, r)
	}
	switch {
	case sourcehttp.Status(err) == http.StatusUnauthorized && subject != "" && turnedOff(err):
		return nil, fmt.Errorf("Google Drive is turned off for %s (Admin console → Apps → Google Workspace → Drive and Docs): %w", subject, errNoImpersonation)
	case sourcehttp.Status(err) == http.StatusUnauthorized:
		return nil, fmt.Errorf("Google does not accept what the service account is given: look at its key and its delegation (%w): %w", err, index.ErrRevoked)
	case slices.Contains([]string{"insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"}, reason(err)):
		return nil, fmt.Errorf("a scope is missing, or was taken back: look at the scopes that footnote sources add google_drive lists (%w): %w", err, index.ErrRevoked)
	}
	return answer, err
}

// refusal is an error in Google's format. The reason is in "error.errors[].reason", or for newer
// APIs in "error.details[].reason"
// (https://developers.google.com/workspace/drive/api/guides/handle-errors).
type refusal struct {
	Error struct {
		Errors []struct {
			Reason string `json:"reason"`
		} `json:"errors"`
		Details []struct {
			Reason string `json:"reason"`
		} `json:"details"`
	} `json:"error"`
}

// turnedOff reports whether a 401 concerns only the impersonated person, and not the service
// account. The person's account then does not have Google Drive
// (https://help.moveworks.com/ai-assistant/enterprise-search/configure-search/configure-files/troubleshooting-file-ingestion-with-google-drive).
func turnedOff(err error) bool {
	var refused *sourcehttp.Refused
	return errors.As(err, &refused) && bytes.Contains(refused.Body, []byte("Active session is invalid"))
}

// mostRefusal is the maximum size of an error response in bytes. The reason in a longer response is
// ignored.
const mostRefusal = 64 << 10

func reasonOf(body []byte) string {
	var said refusal
	if len(body) > mostRefusal || json.Unmarshal(body, &said) != nil {
		return ""
	}
	for _, e := range said.Error.Errors {
		if e.Reason != "" {
			return e.Reason
		}
	}
	for _, d := range said.Error.Details {
		if d.Reason != "" {
			return d.Reason
		}
	}
	return ""
}

// reason returns Google's reason in an error response, or "" for other errors.
func reason(err error) string {
	var refused *sourcehttp.Refused
	if errors.As(err, &refused) {
		return reasonOf(refused.Body)
	}
	return ""
}

// limits lists the reasons for which a 403 means a rate limit.
var limits = []string{"userRateLimitExceeded", "rateLimitExceeded", "dailyLimitExceeded", "quotaExceeded"}

func limited(r *sourcehttp.Response) bool {
	return r.Status == http.StatusForbidden && slices.Contains(limits, reasonOf(r.Body))
}

// absent reports whether an error means that something does not exist or is invisible to the
// caller.
func absent(err error) bool {
	switch sourcehttp.Status(err) {
	case http.StatusNotFound, http.StatusForbidden, http.StatusGone:
		return !errors.Is(err, index.ErrPaused) && !errors.Is(err, index.ErrRevoked)
	}
	return errors.Is(err, errNoImpersonation)
}

// stale reports whether an error means that a page token of a list or a change log has expired. The
// caller must then read the list again from its first page
// (https://developers.google.com/workspace/drive/api/guides/search-files).
func stale(err error) bool {
	switch sourcehttp.Status(err) {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}

// final reports whether an error ends the whole run: ctx is done, or the source is paused or
// revoked.
func final(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, index.ErrPaused) || errors.Is(err, index.ErrRevoked)
}

// query encodes URL parameters in the given order. It omits parameters with an empty value.
func query(pairs ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(pairs[i] + "=" + url.QueryEscape(pairs[i+1]))
	}
	return b.String()
}

// listAll reads all pages of a list and calls part with each page. part returns the token of the
// next page, or "" after the last page. asked has the URL parameters of every request.
func listAll[P any](ctx context.Context, c *Client, of api, subject, path, asked string, part func(P) (next string)) error {
	ctx = sourcehttp.Whole(ctx)
	return sourcehttp.EachPage("Google's list of "+path, "", func(token string) (string, error) {
		var got P
		if err := c.get(ctx, of, subject, strings.TrimSuffix(path+"?"+asked+"&"+query("pageToken", token), "&"), &got); err != nil {
			return "", err
		}
		return part(got), nil
	})
}

// checkPage returns an error if the page of a list lacks its items or has an invalid item. Such a
// page must not make items look deleted.
func checkPage[T any](path string, items []T, valid func(T) bool) error {
	if err := sourcehttp.CheckItems(items, sourcehttp.MaxElements, valid); err != nil {
		return fmt.Errorf("Google's list of %s cannot be read: the next run tries again (%w)", path, err)
	}
	return nil
}
