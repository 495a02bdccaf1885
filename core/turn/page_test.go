package turn_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
)

// found is a library over real search, which counts its searches.
type found struct {
	*retrievetest.Memory
	hybrid   *retrieve.Hybrid
	searches int
}

func (f *found) Search(ctx context.Context, s retrieve.Search) (retrieve.Result, error) {
	f.searches++
	return f.hybrid.Search(ctx, s)
}

// A model that wants more of a search gets the next page of what it found, under numbers that go
// on, without another search.
func TestModelAsksForTheNextPage(t *testing.T) {
	t.Parallel()
	f := &found{Memory: retrievetest.NewMemory()}
	for i := range 9 {
		if err := f.Put(t.Context(), access.DefaultTenant, retrievetest.One(fmt.Sprintf("d%d", i), "", "replication "+strings.Repeat("more ", i))); err != nil {
			t.Fatal(err)
		}
	}
	cfg := retrieve.DefaultConfig()
	cfg.MaxChunks, cfg.Above, cfg.Below = 3, 0, 0
	var err error
	if f.hybrid, err = retrieve.NewHybrid(f, nil, cfg); err != nil {
		t.Fatal(err)
	}
	model := llmtest.New(llm.Info{NativeTools: true},
		llmtest.Reply{llmtest.Call(0, "1", "internal_search", `{"queries":["replication"]}`)},
		llmtest.Reply{llmtest.Call(0, "2", "internal_search", `{"queries":["replication"],"page":2}`)},
		llmtest.Answer("All of it [5]."))
	s := ask("replication", model)
	s.library = f
	report, _ := s.run(t, t.Context())
	if a := report.Answers[0]; f.searches != 1 || len(a.References) != 6 || a.Searches[1].Page != 2 || len(a.Citations) != 1 || a.Citations[0].Document.ID != "d4" {
		t.Errorf("%d searches, %d passages, citations %+v", f.searches, len(a.References), a.Citations)
	}
	requests := model.Requests()
	if last := requests[2].Messages; !strings.Contains(last[len(last)-2].Text+last[len(last)-1].Text, `"document":4`) {
		t.Errorf("the second page as the model sees it: %+v", last[len(last)-2:])
	}
}
