package evaluate_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/footnotehq/footnote/core/evaluate"
)

// The questions about everyday matters have an answer in no manual.
// deploy/decisions/0065-sentences.md was measured with them.
func TestOffTopicQuestionsHaveNoAnswer(t *testing.T) {
	t.Parallel()
	f, err := os.Open(filepath.Join("testdata", "off-topic.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	questions, err := evaluate.ReadQuestions(f)
	if err != nil || len(questions) < 60 {
		t.Errorf("%d questions (%v)", len(questions), err)
	}
	for _, q := range questions {
		if q.Answerable() {
			t.Errorf("%s has an answer", q.ID)
		}
	}
}

func TestSummarySeparatesLinksAndQuotations(t *testing.T) {
	t.Parallel()
	results := []evaluate.Judged{
		{ID: "quoted", Answerable: true, Cited: []string{"a"}, Right: true, Quoted: true, Asserted: true},
		{ID: "linked", Answerable: true, Cited: []string{"a"}, Right: true, Asserted: true, Linked: true},
		{ID: "false", Cited: []string{"a"}, Asserted: true},
		{ID: "links", Cited: []string{"a"}, Asserted: true, Linked: true},
		{ID: "silent"},
	}
	s := evaluate.Summarise(results, nil)
	if s[0].Cited.Count != 2 || s[0].Quoted.Count != 1 {
		t.Errorf("openers: %d cited, %d quoted", s[0].Cited.Count, s[0].Quoted.Count)
	}
	if s[1].False.Count != 1 || s[1].Linked.Count != 1 || s[1].False.Of != 3 {
		t.Errorf("without an answer: %+v", s[1])
	}
	if v := results[3].Verdict(); v != "links alone" {
		t.Errorf("links alone are %q", v)
	}
	if c := evaluate.Changes(results[3:4], []evaluate.Judged{{ID: "links", Cited: []string{"a"}, Asserted: true}}); len(c) != 1 || !c[0].Better {
		t.Errorf("links instead of a false answer: %+v", c)
	}
}
