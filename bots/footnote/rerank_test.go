package main_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// judged is what search --json tells of a reranker.
type judged struct {
	Hits []struct {
		Title  string
		Scores struct {
			Rerank    float64
			RerankPos int `json:"rerank_pos"`
		}
	}
	Trace struct {
		Reranker string
		Notice   string
	}
}

// A reranker behind the program's own settings decides what comes first, is measured and looked at
// by the doctor; when it is away nothing is lost.
func TestRerankerOfTheProgram(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model, Query string
			Documents    []string
		}
		if json.NewDecoder(r.Body).Decode(&q) != nil || q.Model != "judge" || r.Header.Get("Authorization") != "Bearer key" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		list := []map[string]any{}
		for i, text := range q.Documents {
			score := 0.1
			if strings.Contains(text, "canteen") {
				score = 0.9
			}
			list = append(list, map[string]any{"index": i, "relevance_score": score})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"results": list}) // the program says what came
	}))
	t.Cleanup(server.Close)
	p := newProgram(t)
	p.run(t, "index", folder(t, map[string]string{
		"meals.md":   "# Meals\n\nLunch is served at noon, lunch vouchers are handed out on Monday, and lunch is free for guests.",
		"canteen.md": "# Where to eat\n\nThe canteen serves lunch.",
	}))
	const question = "When is lunch?"
	if plain := jsonOf[judged](t, p.run(t, "search", question, "--json")); plain.Hits[0].Title != "Meals" || plain.Trace.Reranker != "" {
		t.Fatalf("without a reranker: %+v", plain)
	}
	with := p.with("RERANK_URL="+server.URL, "RERANK_MODEL=judge", "RERANK_API_KEY=key", "RERANK_TIMEOUT=30s")
	got := jsonOf[judged](t, with.run(t, "search", question, "--json"))
	if got.Hits[0].Title != "Where to eat" || got.Hits[0].Scores.RerankPos != 1 || got.Hits[0].Scores.Rerank != 0.9 || got.Trace.Reranker != "judge" || got.Trace.Notice != "" {
		t.Errorf("with a reranker: %+v", got)
	}
	if r := with.try(t, "", "doctor"); !strings.Contains(r.stdout, "judge, two passages in") {
		t.Errorf("the doctor says:\n%s", r.stdout)
	}
	if e := jsonOf[evaluated](t, with.with("FOOTNOTE_DATA="+t.TempDir()).run(t, "eval", labelled, "--mode", "rerank", "--json")); e.modes() != "rerank" || e.Results[0].Queries != 11 {
		t.Errorf("the evaluation is %+v", e)
	}
	if r := p.try(t, "", "eval", labelled, "--mode", "rerank"); r.code != 1 || !strings.Contains(r.stderr, "RERANK_URL") {
		t.Errorf("an evaluation without a reranker: exit code %d\n%s", r.code, r.stderr)
	}
	wrong := p.with("RERANK_URL="+server.URL, "RERANK_MODEL=other")
	if got := jsonOf[judged](t, wrong.run(t, "search", question, "--json")); got.Hits[0].Title != "Meals" || !strings.Contains(got.Trace.Notice, "did not answer as it should") {
		t.Errorf("a reranker that refuses: %+v", got)
	}
	if r := wrong.try(t, "", "doctor"); r.code == 0 || !strings.Contains(r.stdout+r.stderr, "RERANK_API_KEY") {
		t.Errorf("the doctor says of one that refuses:\n%s\n%s", r.stdout, r.stderr)
	}
}
