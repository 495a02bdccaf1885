package evaluate_test

import (
	"errors"
	"testing"
	"testing/fstest"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/google/go-cmp/cmp"
)

// A document that the question does not name is found by the name that the first one holds, and by
// the step before it, never by its own.
func TestDeep(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"corpus.jsonl": {Data: []byte(`{"_id":"billing","title":"Billing","text":"The billing service is owned by team Falcon."}
{"_id":"people","title":"People","text":"Falcon has Mara Lindqvist at its head."}
{"_id":"lunch","title":"Lunch","text":"Soup at noon."}
`)},
		"queries.jsonl": {Data: []byte(`{"_id":"q","text":"who directs owners of the billing service"}` + "\n")},
		"qrels.tsv":     {Data: []byte("query-id\tcorpus-id\tscore\nq\tbilling\t1\nq\tpeople\t1\n")},
		"steps.jsonl":   {Data: []byte(`{"id":"q","steps":["The billing service is owned by Falcon.","Mara Lindqvist directs Falcon."],"pages":[["billing"],["people"]]}` + "\n")},
	}
	c, err := evaluate.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	run := evaluate.Runner{Index: indexed(t, &c), Config: retrieve.DefaultConfig(), Tenant: access.DefaultTenant}
	got, err := run.Deep(t.Context(), &c, evaluate.Keyword, func(int) { calls++ })
	if err != nil {
		t.Fatal(err)
	}
	want := evaluate.Deep{
		Queries: 1,
		Results: []evaluate.DeepResult{
			{Way: evaluate.Once, AllTen: 0, Recall5: 0.5, Searches: 1}, {Way: evaluate.ByRule, AllTen: 0, Recall5: 0.5, Searches: 1},
			{Way: evaluate.ByName, AllTen: 1, Recall5: 1, Searches: 2}, {Way: evaluate.RuleNames, AllTen: 1, Recall5: 1, Searches: 2},
		},
		Ordered: []evaluate.Ordered{{Depth: 3, Found: 1}, {Depth: 5, Found: 1}, {Depth: 10, Found: 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" || calls != 1 {
		t.Errorf("%d calls (-want +got):\n%s", calls, diff)
	}
	// A step that rests on a page which only its own sentence names is not in order.
	files["steps.jsonl"] = &fstest.MapFile{Data: []byte(`{"id":"q","steps":["Mara Lindqvist directs Falcon."],"pages":[["people"]]}` + "\n")}
	if c, err = evaluate.Read(files); err != nil {
		t.Fatal(err)
	}
	if got, err = run.Deep(t.Context(), &c, evaluate.Keyword, func(int) {}); err != nil || got.Ordered[2].Found != 0 {
		t.Errorf("in order = %+v, %v", got.Ordered, err)
	}
	if _, err := run.Deep(t.Context(), &c, evaluate.Semantic, func(int) {}); !errors.Is(err, evaluate.ErrNoEmbedder) {
		t.Errorf("without an embedder: %v", err)
	}
}
