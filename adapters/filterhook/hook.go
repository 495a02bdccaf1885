// Package filterhook sends every paragraph of an answer to an external service of the operator
// before the paragraph is shown.
//
// The service receives a POST with the JSON object {"turn", "model", "paragraph", "text"}. It
// answers 200 with {"action": "allow"}, {"action": "replace", "text": …} or {"action": "block"}.
// Any other response is a failure.
package filterhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/footnotehq/footnote/core/filter"
)

// Config configures a Hook. URL and HTTP are required.
type Config struct {
	URL     string
	Token   string        // is sent as Authorization: Bearer; empty: none
	Timeout time.Duration // for one paragraph; 0 means 5 s
	HTTP    *http.Client
}

// Hook is a filter.Reviewer that calls an external service. It is safe for concurrent use.
type Hook struct{ config Config }

var _ filter.Reviewer = (*Hook)(nil)

const (
	defaultTimeout = 5 * time.Second
	maxReply       = 256 << 10
)

// New returns a hook. It does not connect.
func New(config Config) (*Hook, error) {
	u, err := url.Parse(config.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || config.HTTP == nil {
		return nil, errors.New("set up the output filter: OUTPUT_FILTER_URL must be an address that begins with http:// or https://")
	}
	if config.Timeout <= 0 {
		config.Timeout = defaultTimeout
	}
	client := *config.HTTP
	// redirects would send paragraphs to another host
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	config.HTTP = &client
	return &Hook{config: config}, nil
}

type asked struct {
	Turn      string `json:"turn"`
	Model     string `json:"model"`
	Paragraph int    `json:"paragraph"`
	Text      string `json:"text"`
}

type replied struct {
	Action string  `json:"action"`
	Text   *string `json:"text"`
}

// Review implements filter.Reviewer. Its errors contain neither the paragraph nor the response.
func (h *Hook) Review(ctx context.Context, p filter.Paragraph) (filter.Verdict, string, error) {
	verdict, text, err := h.review(ctx, p)
	if err != nil {
		return filter.Block, "", fmt.Errorf("ask the output filter: %w", err)
	}
	return verdict, text, nil
}

func (h *Hook) review(ctx context.Context, p filter.Paragraph) (filter.Verdict, string, error) {
	ctx, cancel := context.WithTimeout(ctx, h.config.Timeout)
	defer cancel()
	body, err := json.Marshal(asked{Turn: p.Turn, Model: p.Model, Paragraph: p.Number, Text: p.Text})
	if err != nil {
		return filter.Block, "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.config.URL, bytes.NewReader(body))
	if err != nil {
		return filter.Block, "", errors.New("its address cannot be used: check OUTPUT_FILTER_URL")
	}
	req.Header.Set("Content-Type", "application/json")
	if h.config.Token != "" {
		req.Header.Set("Authorization", "Bearer "+h.config.Token)
	}
	res, err := h.config.HTTP.Do(req)
	if err != nil {
		var failed *url.Error // its text contains the address, which may hold a secret
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return filter.Block, "", err
	}
	defer func() { _ = res.Body.Close() }() // the response is complete, or its error was returned
	if res.StatusCode != http.StatusOK {
		return filter.Block, "", fmt.Errorf("it answers with status %d instead of 200", res.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	switch {
	case err != nil:
		return filter.Block, "", err
	case len(data) > maxReply:
		return filter.Block, "", fmt.Errorf("it answers with more than %d bytes", maxReply)
	}
	var r replied
	if json.Unmarshal(data, &r) != nil {
		return filter.Block, "", errors.New("it does not answer with a JSON object that has an action")
	}
	switch {
	case r.Action == "allow":
		return filter.Allow, "", nil
	case r.Action == "replace" && r.Text != nil:
		return filter.Replace, *r.Text, nil
	case r.Action == "block":
		return filter.Block, "", nil
	default:
		return filter.Block, "", errors.New(`its action is not "allow", "replace" with a "text", or "block"`)
	}
}
