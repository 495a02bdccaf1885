package reranker_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/reranker"
	"github.com/google/go-cmp/cmp"
)

// maxClientBatch is the default of text-embeddings-inference's --max-client-batch-size: "Control
// the maximum number of inputs that a client can send in a single request".
const maxClientBatch = 32

// newServer answers in one of the dialects, and refuses the other one as the vendors' servers do.
// It judges a text by its length.
func newServer(t *testing.T, dialect string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var q struct {
			Model     string
			Query     string
			Documents []string
			Texts     []string
		}
		if err = errors.Join(err, json.Unmarshal(body, &q)); err != nil || r.URL.Path != "/v1/rerank" {
			http.Error(w, "unknown", http.StatusNotFound)
			return
		}
		var list []map[string]any
		score := "relevance_score"
		texts := q.Documents
		if dialect == "tei" {
			// POST /rerank {"query", "texts", "raw_scores", "return_text", "truncate",
			// "truncation_direction"} → [{"index": 0, "score": 1.0}]
			texts, score = q.Texts, "score"
			if len(texts) > maxClientBatch {
				http.Error(w, `{"error":"batch size 100 > maximum allowed batch size 32","error_type":"Validation"}`, http.StatusUnprocessableEntity)
				return
			}
		}
		if len(texts) == 0 || dialect != "tei" && q.Model == "" {
			http.Error(w, `{"message":"invalid request"}`, http.StatusUnprocessableEntity)
			return
		}
		for i, text := range texts {
			list = append(list, map[string]any{"index": i, score: float64(len(text))})
		}
		slices.Reverse(list) // the best first, not in the order of the request
		var out any = list
		switch dialect {
		case "cohere": // {"results": [{"index", "relevance_score"}], "id", "meta": {"billed_units": {"search_units"}}}
			out = map[string]any{"results": list, "id": "x", "meta": map[string]any{"billed_units": map[string]any{"search_units": 1}}}
		case "jina": // {"model", "usage": {"total_tokens"}, "results": [{"index", "relevance_score"}]}
			out = map[string]any{"results": list, "usage": map[string]any{"total_tokens": 42}}
		case "voyage": // {"object": "list", "data": [{"index", "relevance_score"}], "model", "usage": {"total_tokens"}}
			out = map[string]any{"object": "list", "data": list, "usage": map[string]any{"total_tokens": 42}}
		}
		_ = json.NewEncoder(w).Encode(out) // the client's side says what came
	}))
	t.Cleanup(s.Close)
	return s
}

func client(t *testing.T, url, model string) *reranker.Client {
	t.Helper()
	c, err := reranker.New(reranker.Config{URL: url, Model: model, Key: "k", HTTP: http.DefaultClient})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDialects(t *testing.T) {
	t.Parallel()
	for dialect, model := range map[string]string{"cohere": "rerank-v3.5", "jina": "jina-reranker", "voyage": "rerank-2.5", "tei": ""} {
		s := newServer(t, dialect)
		for _, url := range []string{s.URL + "/v1/", s.URL + "/v1/rerank"} {
			scores, tokens, err := client(t, url, model).RerankCounted(t.Context(), "q", []string{"a", "ccc", "bb"})
			if diff := cmp.Diff(map[int]float64{0: 1, 1: 3, 2: 2}, scores); err != nil || diff != "" {
				t.Errorf("%s at %s: %v\n%s", dialect, url, err, diff)
			}
			if want := map[string]int{"jina": 42, "voyage": 42}[dialect]; tokens != want {
				t.Errorf("%s: %d tokens, want %d", dialect, tokens, want)
			}
		}
	}
}

// A server of text-embeddings-inference refuses more than 32 texts at once: they are sent in parts.
func TestManyTextsAreSentInParts(t *testing.T) {
	t.Parallel()
	texts := make([]string, 100)
	want := make(map[int]float64)
	for i := range texts {
		texts[i] = strings.Repeat("x", i+1)
		want[i] = float64(i + 1)
	}
	scores, err := client(t, newServer(t, "tei").URL+"/v1", "").Rerank(t.Context(), "q", texts)
	if diff := cmp.Diff(want, scores); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	scores, err := client(t, newServer(t, "jina").URL+"/v1", "m").Rerank(t.Context(), "q", []string{strings.Repeat("ä", 1<<20)})
	if err != nil || scores[0] > 8<<10 || scores[0] < 8<<10-2 {
		t.Errorf("a text of %v bytes was sent (%v)", scores[0], err)
	}
}

func TestRepliesThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"no JSON":        {200, "<html>", "no scores in a form that is known"},
		"other object":   {200, `{"embedding": [1]}`, "no scores in a form that is known"},
		"no results":     {200, `{"results": []}`, "no scores in a form that is known"},
		"no index":       {200, `[{"score": 1}]`, "no scores in a form that is known"},
		"no score":       {200, `[{"index": 1}]`, "no scores in a form that is known"},
		"a NaN":          {200, `[{"index": 0, "score": NaN}]`, "no scores in a form that is known"},
		"too many":       {200, `[{"index": 0, "score": 1}, {"index": 2, "score": 1}]`, "judged text 2 of 2"},
		"twice":          {200, `[{"index": 0, "score": 1}, {"index": 0, "score": 1}]`, "judged it twice"},
		"negative":       {200, `{"results": [{"index": -1, "relevance_score": 1}]}`, "judged text -1"},
		"a huge reply":   {200, strings.Repeat(" ", 5<<20), "exceeds a limit"},
		"a million":      {200, `{"results":[` + strings.Repeat("{},", 1<<20) + `{}]}`, "exceeds a limit"},
		"a wrong key":    {401, "", "RERANK_API_KEY"},
		"not there":      {404, "", "RERANK_URL"},
		"other dialect":  {422, "", "RERANK_MODEL"},
		"overloaded":     {503, "", "status 503"},
		"moved away":     {302, "", "status 302"},
		"secret in body": {500, "k", "status 500"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://192.0.2.1/")
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.body) // the client's side says what came
		}))
		_, err := client(t, s.URL, "m").Rerank(t.Context(), "q", []string{"a", "b"})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		s.Close()
	}
	// Fewer than were asked is an answer: the others keep their places.
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"results": [{"index": 1, "relevance_score": -0.5}]}`)
	}))
	defer s.Close()
	scores, err := client(t, s.URL, "m").Rerank(t.Context(), "q", []string{"a", "b"})
	if diff := cmp.Diff(map[int]float64{1: -0.5}, scores); err != nil || diff != "" {
		t.Errorf("fewer: %v\n%s", err, diff)
	}
}

func TestAddressesAndEnds(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "rerank.example", "ftp://rerank.example/"} {
		if _, err := reranker.New(reranker.Config{URL: url, HTTP: http.DefaultClient}); err == nil || !strings.Contains(err.Error(), "RERANK_URL") {
			t.Errorf("the address %q: %v", url, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := client(t, newServer(t, "jina").URL+"/v1", "m").Rerank(ctx, "q", []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped search: %v", err)
	}
	s := httptest.NewServer(nil)
	s.Close()
	if _, err := client(t, s.URL, "m").Rerank(t.Context(), "q", []string{"a"}); err == nil || strings.Contains(err.Error(), s.URL) {
		t.Errorf("a server that is away: %v", err)
	}
}
