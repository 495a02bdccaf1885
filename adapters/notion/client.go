package notion

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// version is the newest API version: https://developers.notion.com/reference/changes-by-version
const version = "2026-03-11"

// Config configures a [Client]. Only Token is required.
type Config struct {
	URL        string // base URL of the API, with a trailing slash; default https://api.notion.com/v1/
	Token      string // token of an internal integration
	AllowHosts []string
	CAFile     string
	// Every is the average time between two requests. The default is 340 ms: "an average of three
	// requests per second", "Some bursts beyond the average rate are allowed"
	// (https://developers.notion.com/reference/request-limits).
	Every    time.Duration
	Patience time.Duration // longest wait for a rate limit before a request fails; default 30 s
	Pause    time.Duration // wait before the second attempt; default 500 ms
	Now      func() time.Time
}

// Client sends requests to Notion with one credential. All connectors with the same credential
// share one Client. It is safe for concurrent use.
type Client struct {
	config Config
	http   *sourcehttp.Client
	files  *http.Client // fetches stored files without the credential

	mu      sync.Mutex
	partial map[string]*partialPage // interrupted reads of pages, by page id
}

// serviceOverload is the HTTP status with which Notion reports an overload
// (https://developers.notion.com/reference/request-limits).
const serviceOverload = 529

// New returns a client. It sends no request.
func New(config Config) (*Client, error) {
	config.URL, config.Every = cmp.Or(config.URL, "https://api.notion.com/v1/"), cmp.Or(config.Every, 340*time.Millisecond)
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Token == "" {
		return nil, errors.New("there is no credential for Notion: set NOTION_TOKEN to the secret of an internal integration")
	}
	c := &Client{config: config, partial: make(map[string]*partialPage)}
	guard, err := outhttp.NewGuard("ALLOW_PRIVATE_HOSTS", config.AllowHosts)
	if err != nil {
		return nil, err
	}
	if c.files, err = outhttp.New(outhttp.Config{CAFile: config.CAFile, Guard: guard, HeaderTimeout: time.Minute}); err != nil {
		return nil, err
	}
	c.http, err = sourcehttp.New(sourcehttp.Config{
		Name: "Notion", Base: config.URL, AllowHosts: config.AllowHosts, CAFile: config.CAFile, Every: config.Every, Burst: 10, AtOnce: 3,
		Patience: config.Patience, Pause: config.Pause, Now: config.Now,
		Header:  http.Header{"Accept": {"application/json"}, "Content-Type": {"application/json"}, "Notion-Version": {version}},
		Limited: func(r *sourcehttp.Response) bool { return r.Status == serviceOverload },
		Authorize: func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+config.Token)
			return nil
		},
	})
	return c, err
}

// Cost returns the cost of all requests so far.
func (c *Client) Cost() sourcehttp.Cost { return c.http.Cost() }

// conflicts is the maximum number of attempts of a request that Notion rejects with status 409, a
// data collision (https://developers.notion.com/reference/status-codes).
const conflicts = 4

func (c *Client) get(ctx context.Context, path string, to any) error {
	return c.ask(ctx, sourcehttp.Request{Path: path}, to)
}

func (c *Client) post(ctx context.Context, path string, body, to any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("ask Notion: %w", err)
	}
	return c.ask(ctx, sourcehttp.Request{Method: http.MethodPost, Path: path, Body: text}, to)
}

func (c *Client) ask(ctx context.Context, r sourcehttp.Request, to any) error {
	answer, err := c.http.Do(ctx, r)
	for attempt := 1; sourcehttp.Status(err) == http.StatusConflict && attempt < conflicts; attempt++ {
		answer, err = c.http.Do(ctx, r)
	}
	if sourcehttp.Status(err) == http.StatusUnauthorized {
		return fmt.Errorf("Notion does not accept the secret of the integration: copy it again from the integration's settings, and set NOTION_TOKEN (%w): %w", err, index.ErrRevoked)
	}
	if err != nil {
		return err
	}
	if err := sourcehttp.Decode(ctx, answer.Body, to); err != nil {
		return fmt.Errorf("Notion's answer to %s is not what it should be: check that nothing stands between here and Notion (%w)", r.Path, err)
	}
	return nil
}

// absent reports whether an error means that an object is missing, invisible to the integration, or
// of another kind than requested (https://developers.notion.com/reference/status-codes).
func absent(err error) bool {
	switch sourcehttp.Status(err) {
	case http.StatusNotFound, http.StatusForbidden, http.StatusGone, http.StatusBadRequest:
		return !errors.Is(err, index.ErrPaused)
	}
	return false
}

type list struct {
	Results       []json.RawMessage `json:"results"`
	HasMore       bool              `json:"has_more"`
	NextCursor    string            `json:"next_cursor"`
	RequestStatus struct {
		Type string `json:"type"` // "incomplete" if a query has more than 10,000 results
	} `json:"request_status"`
}

// next returns the cursor of the next page, or "" at the end of the list.
func (l *list) next() string {
	if !l.HasMore {
		return ""
	}
	return l.NextCursor
}
