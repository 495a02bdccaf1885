package gitlab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// pace is the time between two requests. GitLab.com allows 2,000 requests a minute for each account
// (https://docs.gitlab.com/user/gitlab_com/#rate-limits-on-gitlabcom).
const (
	pace  = time.Minute / 1200
	burst = 60
)

// Config selects the instance and the token. Only Token is required.
type Config struct {
	URL        string // address of the instance in a browser; default https://gitlab.com
	Token      string
	AllowHosts []string // hosts that may be contacted although they are not on the public internet
	CAFile     string
	Every      time.Duration // average time between two requests; default 50 ms
	Pause      time.Duration // wait before the second attempt; default 500 ms
	Patience   time.Duration // longest wait for a rate limit before a call fails; default 30 s
	Now        func() time.Time
}

// Client sends requests to one instance with one token. All connectors with the same token share
// one Client. It is safe for concurrent use.
type Client struct {
	config Config
	http   *sourcehttp.Client
}

// New returns a client. It sends no request.
func New(config Config) (*Client, error) {
	config.URL = strings.TrimRight(cmp.Or(config.URL, "https://gitlab.com"), "/")
	if config.Now == nil {
		config.Now = time.Now
	}
	site, err := url.Parse(config.URL)
	if err != nil || site.Host == "" || site.User != nil || site.RawQuery != "" || site.Fragment != "" {
		return nil, fmt.Errorf("%q is not the address of a GitLab instance: write it like https://gitlab.example.org", sourcehttp.Short(site.Redacted()))
	}
	if config.Token == "" {
		return nil, errors.New("GitLab is read with a token: set GITLAB_TOKEN")
	}
	client, err := sourcehttp.New(sourcehttp.Config{
		Name: "GitLab", Base: config.URL + "/api/v4/", AllowHosts: config.AllowHosts, CAFile: config.CAFile,
		Every: cmp.Or(config.Every, pace), Burst: burst, AtOnce: 4, Pause: config.Pause, Patience: config.Patience, Now: config.Now,
		Header: http.Header{"Accept": {"application/json"}},
		// "personal, project, or group access tokens with OAuth-compliant headers"
		// (https://docs.gitlab.com/api/rest/authentication/). They do not follow a redirect.
		Authorize: func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+config.Token)
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	return &Client{config: config, http: client}, nil
}

// Cost returns the cost of all requests to the instance so far.
func (c *Client) Cost() sourcehttp.Cost { return c.http.Cost() }

// do sends a GET request. If the token is rejected or lacks a scope, the error wraps
// index.ErrRevoked.
func (c *Client) do(ctx context.Context, path string) (*sourcehttp.Response, error) {
	answer, err := c.http.Do(ctx, sourcehttp.Request{Path: path})
	switch {
	case sourcehttp.Status(err) == http.StatusUnauthorized:
		return nil, fmt.Errorf("GitLab does not accept the token: check it, or make a new one, and set GITLAB_TOKEN (%w): %w", err, index.ErrRevoked)
	case sourcehttp.Status(err) == http.StatusForbidden && strings.Contains(err.Error(), "insufficient_scope"):
		return nil, fmt.Errorf("the token lacks the scope read_api: make one that has it, and set GITLAB_TOKEN (%w): %w", err, index.ErrRevoked)
	}
	return answer, err
}

func (c *Client) get(ctx context.Context, path string, to any) error {
	answer, err := c.do(ctx, path)
	if err != nil {
		return err
	}
	if err := sourcehttp.Decode(ctx, answer.Body, to); err != nil {
		return fmt.Errorf("the answer of GitLab to %s cannot be read: %w", place(path), err)
	}
	return nil
}

func place(path string) string {
	path, _, _ = strings.Cut(path, "?")
	return path
}

// page reads a page of a list. next is the path of the next page, or "" at the end. It takes the
// query of GitLab's Link header but keeps the path, because the header may name another host
// (https://docs.gitlab.com/api/rest/).
func page[T any](ctx context.Context, c *Client, path string, valid func(T) bool) (items []T, next string, err error) {
	answer, err := c.do(ctx, path)
	if err != nil {
		return nil, "", err
	}
	if err = sourcehttp.Decode(ctx, answer.Body, &items); err == nil {
		err = sourcehttp.CheckItems(items, sourcehttp.MaxItems, valid)
	}
	if err != nil {
		return nil, "", fmt.Errorf("the list %s of GitLab cannot be read: %w", place(path), err)
	}
	for link := range strings.SplitSeq(answer.Header.Get("Link"), ",") {
		address, rel, _ := strings.Cut(link, ";")
		if !strings.Contains(rel, `rel="next"`) {
			continue
		}
		at, err := url.Parse(strings.Trim(strings.TrimSpace(address), "<>"))
		if err != nil || at.RawQuery == "" {
			return nil, "", fmt.Errorf("the list %s of GitLab links to no next page: %w", place(path), sourcehttp.ErrIncomplete)
		}
		next = place(path) + "?" + at.RawQuery
	}
	return items, next, nil
}

func all[T any](ctx context.Context, c *Client, path string, valid func(T) bool) ([]T, error) {
	ctx = sourcehttp.Whole(ctx)
	list := []T{}
	err := sourcehttp.EachPage("GitLab's list "+place(path), path, func(path string) (string, error) {
		items, next, err := page(ctx, c, path, valid)
		list = append(list, items...)
		return next, err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// absent reports whether an error means that an item is invisible to the token or does not exist.
// GitLab answers 404 or 410, or 403 if a feature is off or forbidden
// (https://docs.gitlab.com/api/issues/).
func absent(err error) bool {
	switch sourcehttp.Status(err) {
	case http.StatusNotFound, http.StatusForbidden, http.StatusGone:
		return !errors.Is(err, index.ErrPaused) && !errors.Is(err, index.ErrRevoked)
	}
	return false
}

// unknown reports whether an error means that a group or project is invisible to the token. Unlike
// absent, it returns false for the status 403.
func unknown(err error) bool { return absent(err) && sourcehttp.Status(err) != http.StatusForbidden }

// account is a GitLab account. Most fields are public. Only administrators see Email, ConfirmedAt
// and External. The owner of a group sees Email for the group's enterprise users.
type account struct {
	ID          int64      `json:"id"`
	Name        string     `json:"name"`
	Username    string     `json:"username"`
	State       string     `json:"state"`
	Email       string     `json:"email"`
	ConfirmedAt *time.Time `json:"confirmed_at"`
	External    *bool      `json:"external"`
	Bot         bool       `json:"bot"`
	IsAdmin     bool       `json:"is_admin"`
}

func (a account) valid() bool { return a.ID > 0 }

func (c *Client) self(ctx context.Context) (a account, err error) {
	if err = c.get(ctx, "user", &a); err == nil && !a.valid() {
		err = fmt.Errorf("GitLab does not say whose the token is: %w", sourcehttp.ErrIncomplete)
	}
	return a, err
}
