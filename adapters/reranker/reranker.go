// Package reranker calls an endpoint that scores how well passages answer a question. It supports
// two dialects. Cohere, Jina, Voyage, vLLM and llama.cpp accept {"model", "query", "documents"}.
// text-embeddings-inference accepts {"query", "texts"}, and its server has only one model.
package reranker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/spend"
	"golang.org/x/sync/errgroup"
)

// Config configures a Client. URL and HTTP are required.
type Config struct {
	URL   string // with or without /rerank at its end
	Model string // empty: the endpoint is one of text-embeddings-inference
	Key   string // sent as Authorization: Bearer; empty: none
	HTTP  *http.Client
}

// Client is a retrieve.Reranker that calls an endpoint. It is safe for concurrent use.
type Client struct {
	config  Config
	address string
}

var (
	_ retrieve.Reranker     = (*Client)(nil)
	_ spend.CountedReranker = (*Client)(nil)
)

const (
	// maxTexts is the default maximum number of texts in a request to text-embeddings-inference
	// (--max-client-batch-size, 32).
	maxTexts = 32
	// maxText is the maximum size of a text in bytes. Models read some hundred tokens. More text
	// only delays the answer.
	maxText = 8 << 10
)

// replies limits the size of responses. Some endpoints return the texts with their scores.
var replies = boundedjson.Limits{Bytes: 4 << 20, Elements: 20_000, Depth: 16}

// New returns a client. It does not connect.
func New(config Config) (*Client, error) {
	u, err := url.Parse(strings.TrimSpace(config.URL))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || config.HTTP == nil {
		return nil, errors.New("set up the reranker: RERANK_URL must be an address that begins with http:// or https://")
	}
	if !strings.HasSuffix(u.Path, "/rerank") {
		u = u.JoinPath("rerank")
	}
	client := *config.HTTP
	// redirects would send passages to another host
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	config.HTTP = &client
	return &Client{config: config, address: u.String()}, nil
}

// Model implements retrieve.Reranker.
func (c *Client) Model() string {
	if c.config.Model == "" {
		return "reranker"
	}
	return c.config.Model
}

// Rerank implements retrieve.Reranker.
func (c *Client) Rerank(ctx context.Context, question string, texts []string) (map[int]float64, error) {
	scores, _, err := c.RerankCounted(ctx, question, texts)
	return scores, err
}

// RerankCounted implements spend.CountedReranker.
func (c *Client) RerankCounted(ctx context.Context, question string, texts []string) (map[int]float64, int, error) {
	short := make([]string, len(texts))
	for i, text := range texts {
		short[i] = cut(text)
	}
	size := len(short)
	if c.config.Model == "" {
		size = maxTexts
	}
	type part struct {
		scores map[int]float64
		tokens int
	}
	var parts []part
	for start := 0; start < len(short); start += size {
		parts = append(parts, part{})
	}
	group, ctx := errgroup.WithContext(ctx)
	for i := range parts {
		group.Go(func() (err error) {
			parts[i].scores, parts[i].tokens, err = c.ask(ctx, question, short[i*size:min((i+1)*size, len(short))])
			return err
		})
	}
	err := group.Wait()
	scores, tokens := make(map[int]float64, len(texts)), 0
	for i, p := range parts {
		tokens += p.tokens
		for at, score := range p.scores {
			scores[i*size+at] = score
		}
	}
	if err != nil {
		return nil, tokens, fmt.Errorf("rerank %d passages with %s: %w", len(texts), c.Model(), err)
	}
	return scores, tokens, nil
}

// cut shortens text to at most maxText bytes without splitting a character.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "")
}

// asked is the body of a request. The texts are in Documents in Cohere's format, and in Texts in
// the format of text-embeddings-inference.
type asked struct {
	Model     string   `json:"model,omitempty"`
	Query     string   `json:"query"`
	Documents []string `json:"documents,omitempty"`
	Texts     []string `json:"texts,omitempty"`
	Truncate  bool     `json:"truncate,omitempty"`
}

func (c *Client) ask(ctx context.Context, question string, texts []string) (map[int]float64, int, error) {
	request := asked{Model: c.config.Model, Query: cut(question), Documents: texts}
	if c.config.Model == "" {
		request = asked{Query: cut(question), Texts: texts, Truncate: true}
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(body))
	if err != nil {
		return nil, 0, errors.New("its address cannot be used: check RERANK_URL")
	}
	req.Header.Set("Content-Type", "application/json")
	if c.config.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.config.Key)
	}
	res, err := c.config.HTTP.Do(req)
	if err != nil {
		var failed *url.Error // its text contains the address, which may hold a secret
		if errors.As(err, &failed) {
			err = failed.Err
		}
		if errors.Is(err, syscall.ECONNREFUSED) {
			return nil, 0, fmt.Errorf("nothing listens at %s; start the reranker there, or correct RERANK_URL", req.URL.Host)
		}
		return nil, 0, err
	}
	defer func() { _ = res.Body.Close() }() // the response is complete, or its error was returned
	if res.StatusCode != http.StatusOK {
		return nil, 0, explain(res.StatusCode)
	}
	data, err := replies.Read(res.Body)
	if err != nil {
		return nil, 0, err
	}
	return parseReply(data, len(texts))
}

func explain(status int) error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("it refuses the key (status %d): check RERANK_API_KEY", status)
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return fmt.Errorf("there is no reranker at that address (status %d): check RERANK_URL, which ends in /rerank or in what stands before that", status)
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return fmt.Errorf("it does not understand what it is asked (status %d): check RERANK_MODEL, which is to be unset for text-embeddings-inference alone", status)
	}
	return fmt.Errorf("it answers with status %d instead of 200", status)
}
