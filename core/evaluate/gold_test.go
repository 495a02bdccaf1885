package evaluate_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/google/go-cmp/cmp"
)

// Of a collection that says what its answers rest on, it is measured how much of that a prompt
// holds.
func TestGoldInThePrompt(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("nothing of interest ", 700) // more than 2,000 tokens
	files := fstest.MapFS{
		"corpus.jsonl": {Data: []byte(`{"id":"a","title":"Ada","text":"Ada met Babbage in 1833. ` + filler + `"}
{"id":"b","title":"Babbage","text":"Babbage was born in London."}
{"id":"c","title":"Cooking","text":"Knead the dough."}
`)},
		"queries.jsonl": {Data: []byte(`{"id":"q1","text":"where was Babbage born"}
{"id":"q2","text":"dough"}
{"id":"q3","text":"Ada"}
`)},
		"qrels.tsv": {Data: []byte("query-id\tcorpus-id\tscore\nq1\tb\t1\nq2\tc\t1\nq3\ta\t1\n")},
		"steps.jsonl": {Data: []byte(`{"id":"q1","pages":[["a"],["b"],[]],"evidence":[[{"page":"a","text":"Ada met  Babbage in 1833."}],[{"page":"b","text":"born in London"}]]}
{"id":"q2","pages":[["c"],["b"]]}
`)},
	}
	c, err := evaluate.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]evaluate.Quote{"q1": {{"a", "Ada met Babbage in 1833."}, {"b", "born in London"}}, "q2": {{Document: "c"}, {Document: "b"}}}
	if diff := cmp.Diff(want, c.Gold); diff != "" {
		t.Errorf("gold (-want +got):\n%s", diff)
	}
	runner := evaluate.Runner{Index: indexed(t, &c), Config: retrieve.DefaultConfig(), Tenant: access.DefaultTenant}
	result, err := runner.Run(t.Context(), &c, evaluate.Keyword, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	// q1: both sentences. q2: the page on cooking, and not the other one.
	gold := []evaluate.Gold{{Tokens: 2000, Queries: 2, Found: 0.75, Whole: 1}, {Tokens: 6000, Queries: 2, Found: 0.75, Whole: 1}}
	if diff := cmp.Diff(gold, result.Gold); diff != "" {
		t.Errorf("measured (-want +got):\n%s", diff)
	}
	files["steps.jsonl"] = &fstest.MapFile{Data: []byte("{\"id\":\"q1\"}\nno json\n")}
	if _, err := evaluate.Read(files); err == nil || !strings.Contains(err.Error(), "steps.jsonl") || !strings.Contains(err.Error(), "2") {
		t.Errorf("a wrong line: %v", err)
	}
	delete(files, "steps.jsonl")
	if c, err := evaluate.Read(files); err != nil || c.Gold != nil {
		t.Errorf("without steps: %v, %v", c.Gold, err)
	}
}
