package evaluate_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/tool"
)

func TestReadQueries(t *testing.T) {
	t.Parallel()
	got, err := evaluate.ReadQueries(strings.NewReader("id\tqueries\na1\tone\t two \r\n\nb\tthree\n"))
	if err != nil || len(got) != 2 || len(got["a1"]) != 2 || got["a1"][1] != "two" {
		t.Errorf("%q, %v", got, err)
	}
	for text, want := range map[string]string{"": "no queries", "a\tone\n": "line 1", "id\na\t \n": "no query"} {
		if _, err := evaluate.ReadQueries(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want something with %q", text, err, want)
		}
	}
}

// pagesTool shows a page for each query, in order.
type pagesTool struct{ tool.Tool }

func (pagesTool) Spec() llm.ToolSpec { return llm.ToolSpec{} }

func (pagesTool) Run(_ context.Context, call tool.Call, emit *packet.Emitter) (result tool.Result, err error) {
	emit.Emit(packet.SearchStart{})
	var asked struct{ Queries []string }
	if err := json.Unmarshal(call.Arguments, &asked); err != nil {
		return result, err
	}
	for n, q := range asked.Queries {
		result.References = append(result.References, message.Reference{Document: document.Ref{ID: document.ID("docs:" + q)}, Chunk: new(document.ChunkID(n))})
	}
	result.Content = strings.Join(asked.Queries, " ")
	return result, nil
}

func TestReplayRanksRightPage(t *testing.T) {
	t.Parallel()
	questions := []evaluate.Question{
		{ID: "a", Text: "A?", Pages: regexp.MustCompile("^right$")}, {ID: "b", Text: "B?", Pages: regexp.MustCompile("^right$")},
		{ID: "c", Text: "C?", Pages: regexp.MustCompile("^right$")}, {ID: "none", Text: "D?"},
	}
	results, err := evaluate.Replay{Search: pagesTool{}, Counter: budgettest.NewWords()}.Run(t.Context(), questions, map[string][]string{
		"a": {"right"}, "b": {"wrong", "right"}, "c": {"wrong"}, "none": {"wrong"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := evaluate.SummariseReplay(results)
	if s.Questions != 3 || s.First != 1 || s.Top5 != 2 || s.Shown != 2 || s.Tokens <= 0 {
		t.Errorf("%+v", s)
	}
	if _, err := (evaluate.Replay{Search: pagesTool{}, Counter: budgettest.NewWords()}).Run(t.Context(), questions, map[string][]string{"x": {"y"}}); err == nil {
		t.Error("queries of other questions are accepted")
	}
}
