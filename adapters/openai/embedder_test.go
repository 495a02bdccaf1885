package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnotehq/footnote/adapters/openai"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
)

func newEmbedder(t *testing.T, server *openaitest.Server, change func(*openai.EmbedderConfig)) *openai.Embedder {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	config := openai.EmbedderConfig{
		Endpoint: openai.Endpoint{BaseURL: server.URL(), APIKey: key, HTTP: client}, Model: "hashed", Dimensions: openaitest.DefaultDimensions,
	}
	if change != nil {
		change(&config)
	}
	e, err := openai.NewEmbedder(config)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEmbedBatches(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	server.PushEmbeddings(openaitest.Reply{Fault: openaitest.Shuffled})
	e := newEmbedder(t, server, func(c *openai.EmbedderConfig) { c.Batch = 3 })
	var texts []string
	var want [][]float32
	for i := range 7 {
		text := fmt.Sprintf("text number %d", i)
		texts = append(texts, text)
		want = append(want, openaitest.Vector(text, openaitest.DefaultDimensions))
	}
	got, err := e.Embed(t.Context(), retrieve.ForPassage, texts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-5 })); diff != "" {
		t.Errorf("vectors (-want +got):\n%s", diff)
	}
	var sizes []int
	for _, rec := range server.Requests() {
		sizes = append(sizes, len(rec.Inputs))
	}
	if diff := cmp.Diff([]int{3, 3, 1}, sizes); diff != "" {
		t.Errorf("batch sizes (-want +got):\n%s", diff)
	}
}

// A batch is bounded by bytes too, and one huge text still goes through.
func TestEmbedLargeTexts(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	huge := strings.Repeat("word ", 100_000)
	if _, err := newEmbedder(t, server, nil).Embed(t.Context(), retrieve.ForPassage, []string{"a", huge, "b", ""}); err != nil {
		t.Fatal(err)
	}
	if n := len(server.Requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestEmbedNothing(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	got, err := newEmbedder(t, server, nil).Embed(t.Context(), retrieve.ForPassage, nil)
	if err != nil || len(got) != 0 || len(server.Requests()) != 0 {
		t.Errorf("%d vectors, error %v, %d requests", len(got), err, len(server.Requests()))
	}
}

func TestEmbedPurpose(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		model         string
		query         string
		passage       string
		inputType     string
		wantDimension float64
		dimensions    int
	}{
		"plain":     {model: "text-embedding-3-small", query: "x", passage: "x", dimensions: 1536},
		"shortened": {model: "openai/text-embedding-3-large", query: "x", passage: "x", dimensions: 256, wantDimension: 256},
		"nomic":     {model: "nomic-ai/nomic-embed-text-v1", query: "search_query: x", passage: "search_document: x", dimensions: 768},
		"tag":       {model: "nomic-embed-text:latest", query: "search_query: x", passage: "search_document: x", dimensions: 768},
		"e5":        {model: "intfloat/multilingual-e5-small", query: "query: x", passage: "passage: x", dimensions: 384},
		"bge":       {model: "BAAI/bge-small-en-v1.5", query: "Represent this sentence for searching relevant passages: x", passage: "x", dimensions: 384},
		"mxbai":     {model: "mxbai-embed-large", query: "Represent this sentence for searching relevant passages: x", passage: "x", dimensions: 1024},
		"arctic 1":  {model: "Snowflake/snowflake-arctic-embed-l", query: "Represent this sentence for searching relevant passages: x", passage: "x", dimensions: 1024},
		"arctic 2":  {model: "Snowflake/snowflake-arctic-embed-l-v2.0", query: "query: x", passage: "x", dimensions: 1024},
		"gemma":     {model: "embeddinggemma:300m", query: "task: search result | query: x", passage: "title: none | text: x", dimensions: 768},
		"qwen": {
			model: "Qwen/Qwen3-Embedding-0.6B", query: "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:x", passage: "x", dimensions: 1024,
		},
		"instruct": {
			model: "multilingual-e5-large-instruct", query: "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: x", passage: "x", dimensions: 1024,
		},
		"minilm":     {model: "sentence-transformers/all-MiniLM-L6-v2", query: "x", passage: "x", dimensions: 384},
		"gte":        {model: "thenlper/gte-base", query: "x", passage: "x", dimensions: 768},
		"voyage":     {model: "voyage-3.5", query: "x", passage: "x", inputType: "query", dimensions: 1024},
		"input type": {model: "cohere/embed-english-light-v3.0", query: "x", passage: "x", inputType: "search_query", dimensions: 384},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := openaitest.New(t)
			server.SetDimensions(test.dimensions)
			e := newEmbedder(t, server, func(c *openai.EmbedderConfig) {
				c.Model, c.Dimensions = test.model, 0
				if test.wantDimension > 0 {
					c.Dimensions = test.dimensions
				}
			})
			if e.Dimensions() != test.dimensions {
				t.Errorf("dimensions are %d, want %d", e.Dimensions(), test.dimensions)
			}
			for _, purpose := range []retrieve.Purpose{retrieve.ForQuery, retrieve.ForPassage} {
				if _, err := e.Embed(t.Context(), purpose, []string{"x"}); err != nil {
					t.Fatal(err)
				}
			}
			records := server.Requests()
			if diff := cmp.Diff([][]string{{test.query}, {test.passage}}, [][]string{records[0].Inputs, records[1].Inputs}); diff != "" {
				t.Errorf("inputs (-want +got):\n%s", diff)
			}
			var body map[string]any
			if err := json.Unmarshal(records[0].Body, &body); err != nil {
				t.Fatal(err)
			}
			if got, _ := body["dimensions"].(float64); got != test.wantDimension {
				t.Errorf("dimensions parameter is %v, want %v", got, test.wantDimension)
			}
			if got, _ := body["input_type"].(string); got != test.inputType {
				t.Errorf("input_type is %q, want %q", got, test.inputType)
			}
		})
	}
}

func TestEmbedFaults(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault openaitest.Fault
		want  error
		says  string
	}{
		"401":             {openaitest.Unauthorized, llm.ErrAuth, "OPENAI_API_KEY"},
		"404":             {openaitest.NotFound, llm.ErrNotFound, "EMBEDDING_MODEL"},
		"web page":        {openaitest.HTMLPage, llm.ErrNotFound, "/v1"},
		"too long":        {openaitest.ContextTooLong, llm.ErrContextTooLong, "chunk size"},
		"wrong dimension": {openaitest.WrongDimension, nil, "65 dimensions, expected 64"},
		"a vector short":  {openaitest.MissingVector, llm.ErrBadRequest, "1 vectors came back for 2 texts"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := openaitest.New(t)
			server.PushEmbeddings(openaitest.Reply{Fault: test.fault})
			_, err := newEmbedder(t, server, nil).Embed(t.Context(), retrieve.ForPassage, []string{"the merger", "b"})
			if err == nil || test.want != nil && !errors.Is(err, test.want) {
				t.Fatalf("error is %v, want %v", err, test.want)
			}
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %q does not say %q", err, test.says)
			}
			if strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "merger") {
				t.Errorf("error %q holds what is secret", err)
			}
			if n := len(server.Requests()); n != 1 {
				t.Errorf("%d requests for a fault that stays", n)
			}
		})
	}
}

// scripted answers embedding requests without a network, so that waiting can be tested in a bubble.
type scripted struct {
	status []int // of the first responses; 200 afterwards
	header http.Header
	calls  int
}

func (s *scripted) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	status, body := http.StatusOK, `{"data":[{"index":0,"embedding":[3,4]}]}`
	if s.calls < len(s.status) {
		status, body = s.status[s.calls], `{"error":{"message":"no"}}`
	}
	s.calls++
	header := http.Header{"Content-Type": {"application/json"}}
	for name, values := range s.header {
		header[name] = values
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}

func TestEmbedRetries(t *testing.T) {
	t.Parallel()
	down := []int{503, 503, 503, 503, 503, 503, 503, 503, 503, 503}
	tests := map[string]struct {
		purpose retrieve.Purpose
		script  scripted
		calls   int
		fails   bool
		longest time.Duration
	}{
		"works":                    {retrieve.ForPassage, scripted{}, 1, false, 0},
		"recovers":                 {retrieve.ForPassage, scripted{status: []int{429, 500, 503}}, 4, false, 10 * time.Second},
		"waits as told":            {retrieve.ForPassage, scripted{status: []int{429}, header: http.Header{"Retry-After": {"20"}}}, 2, false, 20 * time.Second},
		"gives up":                 {retrieve.ForPassage, scripted{status: down}, 8, true, 3 * time.Minute},
		"a question is asked once": {retrieve.ForQuery, scripted{status: down}, 2, true, retrieve.DefaultEmbedWait},
		"a question does not wait": {retrieve.ForQuery, scripted{status: []int{429}, header: http.Header{"Retry-After": {"20"}}}, 1, true, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if test.purpose == retrieve.ForQuery {
					limited, cancel := context.WithTimeout(ctx, retrieve.DefaultEmbedWait)
					defer cancel()
					ctx = limited
				}
				script := test.script
				e, err := openai.NewEmbedder(openai.EmbedderConfig{
					Endpoint: openai.Endpoint{BaseURL: "http://endpoint/v1", HTTP: &http.Client{Transport: &script}}, Model: "m", Dimensions: 2,
				})
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				got, err := e.Embed(ctx, test.purpose, []string{"x"})
				if took := time.Since(start); took > test.longest {
					t.Errorf("took %s, want at most %s", took, test.longest)
				}
				if script.calls != test.calls {
					t.Errorf("%d requests, want %d", script.calls, test.calls)
				}
				if test.fails {
					if err == nil || errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("error is %v, want what the endpoint said", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([][]float32{{0.6, 0.8}}, got); diff != "" {
					t.Errorf("vectors (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A stop ends the waiting at once.
func TestEmbedCanceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		script := scripted{status: []int{429}, header: http.Header{"Retry-After": {"50"}}}
		e, err := openai.NewEmbedder(openai.EmbedderConfig{
			Endpoint: openai.Endpoint{HTTP: &http.Client{Transport: &script}}, Model: "m", Dimensions: 2,
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(time.Second, cancel).Stop()
		start := time.Now()
		if _, err := e.Embed(ctx, retrieve.ForPassage, []string{"x"}); !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("took %s, want 1s", took)
		}
	})
}

func TestNewEmbedderRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		config openai.EmbedderConfig
		says   string
	}{
		"no model":       {openai.EmbedderConfig{}, "EMBEDDING_MODEL"},
		"unknown":        {openai.EmbedderConfig{Model: "house-model"}, "EMBEDDING_DIMENSIONS"},
		"cannot shorten": {openai.EmbedderConfig{Model: "nomic-embed-text", Dimensions: 100}, "has 768 dimensions, not 100"},
		"cannot grow":    {openai.EmbedderConfig{Model: "text-embedding-3-small", Dimensions: 3072}, "has 1536 dimensions"},
		"too many":       {openai.EmbedderConfig{Model: "house-model", Dimensions: 20_000}, "cannot be stored"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := openai.NewEmbedder(test.config)
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error is %v, want one that says %q", err, test.says)
			}
		})
	}
}

// Shortened vectors are another space than full ones.
func TestEmbedderModel(t *testing.T) {
	t.Parallel()
	names := map[int]string{0: "text-embedding-3-small", 1536: "text-embedding-3-small", 512: "text-embedding-3-small@512"}
	for dimensions, want := range names {
		e, err := openai.NewEmbedder(openai.EmbedderConfig{Model: "text-embedding-3-small", Dimensions: dimensions})
		if err != nil {
			t.Fatal(err)
		}
		if e.Model() != want {
			t.Errorf("model with %d dimensions is %q, want %q", dimensions, e.Model(), want)
		}
	}
}

func TestEmbedderReportsBilledTokens(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	e, err := openai.NewEmbedder(openai.EmbedderConfig{Endpoint: openai.Endpoint{BaseURL: server.URL()}, Model: "test", Dimensions: 64, Batch: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, tokens, err := e.EmbedCounted(t.Context(), retrieve.ForPassage, []string{"a b", "c", "d e f"}); tokens != 6 || err != nil {
		t.Errorf("%d tokens (%v)", tokens, err)
	}
	server.PushEmbeddings(openaitest.Reply{}, openaitest.Reply{Fault: openaitest.Unauthorized})
	if _, tokens, err := e.EmbedCounted(t.Context(), retrieve.ForPassage, []string{"a b", "c", "d e f"}); tokens != 3 || err == nil {
		t.Errorf("%d tokens of the batch that came back (%v)", tokens, err)
	}
}
