package retrieve_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
)

func TestAccountHasScoresAndNoText(t *testing.T) {
	t.Parallel()
	result := retrieve.Result{Evidence: true, Trace: retrieve.Trace{Queries: []string{"q"}, Alpha: 0.2, Embedder: "e"}}
	for i := range 40 {
		result.Hits = append(result.Hits, retrieve.Hit{
			Document: document.Ref{ID: "d", Title: "Title"}, Chunk: document.ChunkID(i), Text: "secret words",
			Scores: retrieve.Scores{Score: 0.9, Title: 0.25, KeywordPos: i + 1, Coverage: float64(i%7) / 10},
		})
	}
	a := result.Account()
	if len(a.Found) != 25 || a.Found[3].KeywordPos != 4 || !a.Evidence || a.Queries[0] != "q" {
		t.Errorf("account %+v", a)
	}
	data, err := json.Marshal(a)
	if err != nil || strings.Contains(string(data), "secret") {
		t.Errorf("it is kept as %s, %v", data, err)
	}
	for _, name := range []string{`"queries":["q"]`, `"alpha":0.2`, `"embedder":"e"`, `"evidence":true`, `"keyword_pos":4`, `"document_title":"Title"`, `"title":0.25`, `"score":0.9`} {
		if !strings.Contains(string(data), name) {
			t.Errorf("%s is missing from %s", name, data)
		}
	}
	if best := result.Best(); best != 0.6 {
		t.Errorf("the best passage matches %g, want 0.6", best)
	}
}
