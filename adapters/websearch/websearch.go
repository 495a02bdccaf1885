// Package websearch queries a search provider for pages of the public web.
//
// A response is at most 1 MB and is read whole. Reading takes up to four times the response's size
// in memory. Redirects are not followed, so the query and the key are sent only to the provider.
package websearch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/core/tool/websearch"
)

// Config selects and configures the provider. Provider and HTTP are required.
type Config struct {
	Provider string // one of Providers
	URL      string // address of a SearXNG, or a replacement for the provider's address
	Key      string
	Engine   string // id of the search engine, only for google
	HTTP     *http.Client
}

// Client calls a search provider. It is safe for concurrent use.
type Client struct {
	config   Config
	provider provider
	address  string
}

var _ websearch.Provider = (*Client)(nil)

var answers = boundedjson.Limits{Bytes: 1 << 20, Elements: 20_000, Depth: 16}

// timeout limits a search. It is short because a person waits for the answer.
const timeout = 8 * time.Second

type provider struct {
	address string // empty: Config.URL is required
	keyed   bool
	request func(ctx context.Context, c *Client, query string, most int) (*http.Request, error)
	read    func(body []byte) ([]websearch.Result, error)
}

// item is a search result with the field names of all providers. Each provider sets some of them.
type item struct {
	Title         string `json:"title"`
	URL           string `json:"url"`
	Link          string `json:"link"`
	Content       string `json:"content"`
	Description   string `json:"description"`
	Snippet       string `json:"snippet"`
	Text          string `json:"text"`
	PublishedDate string `json:"publishedDate"`
	PageAge       string `json:"page_age"`
	Date          string `json:"date"`
}

var providers = map[string]provider{
	// https://docs.searxng.org/dev/search_api.html: "/search", q, format=json; the format has to be
	// allowed in settings.yml.
	"searxng": {request: func(ctx context.Context, c *Client, query string, _ int) (*http.Request, error) {
		return get(ctx, c.address+"/search", url.Values{"q": {query}, "format": {"json"}}, nil)
	}, read: reader(func(b *body) []item { return b.Results })},
	// https://api-dashboard.search.brave.com/app/documentation/web-search/query:
	// X-Subscription-Token, count at most 20.
	"brave": {address: "https://api.search.brave.com/res/v1/web/search", keyed: true, request: func(ctx context.Context, c *Client, query string, most int) (*http.Request, error) {
		return get(ctx, c.address, url.Values{"q": {query}, "count": {strconv.Itoa(most)}, "text_decorations": {"false"}}, map[string]string{"X-Subscription-Token": c.config.Key})
	}, read: reader(func(b *body) []item { return b.Web.Results })},
	// https://docs.exa.ai/reference/search: x-api-key, contents.text.maxCharacters.
	"exa": {address: "https://api.exa.ai/search", keyed: true, request: func(ctx context.Context, c *Client, query string, most int) (*http.Request, error) {
		return post(ctx, c.address, map[string]any{"query": query, "numResults": most, "contents": map[string]any{"text": map[string]any{"maxCharacters": 1_500}}},
			map[string]string{"x-api-key": c.config.Key})
	}, read: reader(func(b *body) []item { return b.Results })},
	// https://serper.dev: POST, X-API-KEY, {"q", "num"}; the pages are in "organic".
	"serper": {address: "https://google.serper.dev/search", keyed: true, request: func(ctx context.Context, c *Client, query string, most int) (*http.Request, error) {
		return post(ctx, c.address, map[string]any{"q": query, "num": most}, map[string]string{"X-API-KEY": c.config.Key})
	}, read: reader(func(b *body) []item { return b.Organic })},
	// https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list: key, cx, q, num of
	// 1 to 10.
	"google": {address: "https://customsearch.googleapis.com/customsearch/v1", keyed: true, request: func(ctx context.Context, c *Client, query string, most int) (*http.Request, error) {
		return get(ctx, c.address, url.Values{"q": {query}, "num": {strconv.Itoa(min(most, 10))}, "cx": {c.config.Engine}}, map[string]string{"X-Goog-Api-Key": c.config.Key})
	}, read: reader(func(b *body) []item { return b.Items })},
}

// Providers returns the valid values of Config.Provider.
func Providers() []string { return slices.Sorted(maps.Keys(providers)) }

// New returns a client. It does not connect.
func New(config Config) (*Client, error) {
	p, ok := providers[config.Provider]
	if !ok || config.HTTP == nil {
		return nil, fmt.Errorf("WEB_SEARCH_PROVIDER is %q: write one of %s", config.Provider, strings.Join(Providers(), ", "))
	}
	switch {
	case p.keyed && config.Key == "":
		return nil, fmt.Errorf("WEB_SEARCH_PROVIDER=%s needs its key: set WEB_SEARCH_KEY", config.Provider)
	case config.Provider == "google" && config.Engine == "":
		return nil, errors.New("WEB_SEARCH_PROVIDER=google needs the id of a search engine: set WEB_SEARCH_ENGINE")
	case p.address == "" && config.URL == "":
		return nil, fmt.Errorf("WEB_SEARCH_PROVIDER=%s needs the address of your server: set WEB_SEARCH_URL", config.Provider)
	}
	address := p.address
	if config.URL != "" {
		u, err := url.Parse(strings.TrimSpace(config.URL))
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, errors.New("WEB_SEARCH_URL must be an address that begins with http:// or https://")
		}
		address = strings.TrimRight(u.String(), "/")
	}
	client := *config.HTTP
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	config.HTTP = &client
	return &Client{config, p, address}, nil
}

// Search implements websearch.Provider. It returns at most the given number of results. Its errors
// contain neither the query nor the key.
func (c *Client) Search(ctx context.Context, query string, most int) ([]websearch.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := c.provider.request(ctx, c, query, most)
	if err != nil {
		return nil, errors.New("the web search cannot be asked this")
	}
	resp, err := c.config.HTTP.Do(req)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, fmt.Errorf("the web search did not answer within %s: go on without it", timeout)
		}
		var failed *url.Error // its text contains the address and the query
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return nil, fmt.Errorf("the web search cannot be reached (%w): go on without it", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		// Read a little more, so that the connection can be reused.
		_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
		return nil, refused(resp.StatusCode)
	}
	data, err := answers.Read(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("the web search's answer cannot be read (%w): go on without it", err)
	}
	found, err := c.provider.read(data)
	if err != nil {
		return nil, errors.New("the web search answered something else than JSON: go on without it; whoever runs this bot can see why with footnote doctor")
	}
	return found[:min(len(found), most)], nil
}

func refused(status int) error {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusPaymentRequired:
		return fmt.Errorf("the web search refuses the key or its use (HTTP %d): go on without it", status)
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
		// Google and Brave respond with these codes to a wrong key.
		return fmt.Errorf("the web search takes the key or the request for wrong (HTTP %d): go on without it", status)
	case status == http.StatusTooManyRequests:
		return errors.New("the web search takes no more requests at the moment (HTTP 429): go on without it")
	default:
		return fmt.Errorf("the web search failed (HTTP %d): go on without it", status)
	}
}

func get(ctx context.Context, address string, query url.Values, headers map[string]string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"?"+query.Encode(), nil)
	return with(req, headers), err
}

func post(ctx context.Context, address string, body any, headers map[string]string) (*http.Request, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(data))
	if err == nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return with(req, headers), err
}

func with(req *http.Request, headers map[string]string) *http.Request {
	if req != nil {
		req.Header.Set("Accept", "application/json")
		for name, value := range headers {
			req.Header.Set(name, value)
		}
	}
	return req
}

// body is a response. It has a field for the result list of each provider, and a response sets one
// of them.
type body struct {
	Results []item `json:"results"`
	Web     struct {
		Results []item `json:"results"`
	} `json:"web"`
	Organic []item `json:"organic"`
	Items   []item `json:"items"`
}

// reader returns a function that parses the responses of one provider. of returns the list of pages
// in a response.
func reader(of func(*body) []item) func([]byte) ([]websearch.Result, error) {
	return func(data []byte) ([]websearch.Result, error) {
		var b body
		if err := answers.Unmarshal(data, &b); err != nil {
			return nil, err
		}
		var found []websearch.Result
		for _, i := range of(&b) {
			found = append(found, websearch.Result{
				URL: first(i.URL, i.Link), Title: i.Title, Text: first(i.Text, i.Content, i.Description, i.Snippet), UpdatedAt: dated(first(i.PublishedDate, i.PageAge, i.Date)),
			})
		}
		return found, nil
	}
}

func first(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}

// dated parses a date in one of the providers' formats. It returns the zero time for any other
// text.
func dated(text string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateOnly, "Jan 2, 2006"} {
		if at, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return at
		}
	}
	return time.Time{}
}
