package command_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
)

// An explanation names the best documents of a search, each once, and tells no share of the
// question that was never computed.
func TestExplanationNamesTheBestDocuments(t *testing.T) {
	t.Parallel()
	var found []retrieve.Found
	for i := range 25 {
		f := retrieve.Found{Document: document.ID(fmt.Sprint("d", i/2)), Title: fmt.Sprint("Title ", i/2), Chunk: document.ChunkID(i)}
		if i < 4 {
			f.Coverage = 0.5
		}
		found = append(found, f)
	}
	e := command.Explanation{Turn: &session.Turn{Outcome: session.Answered}, Saved: session.Saved{Outcome: session.Answered,
		Runs: []session.Run{{Searches: []retrieve.Account{{Evidence: true, Found: found, Trace: retrieve.Trace{Synonyms: []string{"k8s: kubernetes", "PTO: vacation"}}}}}}}}
	said := strings.Join(e.Sentences(func(id document.ID) bool { return id != "d1" }), "\n")
	for i, title := range []string{"Title 0", "Title 2", "Title 3", "Title 4", "Title 5"} {
		if strings.Count(said, fmt.Sprintf("- %d. %s:", i+1, title)) != 1 {
			t.Errorf("%s is not told once as number %d:\n%s", title, i+1, said)
		}
	}
	if !strings.Contains(said, "Synonyms that were looked for too: k8s: kubernetes; PTO: vacation.") {
		t.Errorf("the synonyms are not told:\n%s", said)
	}
	if strings.Count(said, "\n- ") != 5 || strings.Contains(said, "Title 1:") || strings.Contains(said, "matches 0 %") || strings.Count(said, "matches 50 %") != 1 {
		t.Errorf("told:\n%s", said)
	}
}

// An explanation shows what the web was searched for, also where nothing came back.
func TestExplanationShowsWebQueries(t *testing.T) {
	t.Parallel()
	e := command.Explanation{Turn: &session.Turn{Outcome: session.Answered}, Saved: session.Saved{Outcome: session.Answered, Runs: []session.Run{{Searches: []retrieve.Account{
		{Trace: retrieve.Trace{Queries: []string{"tides", "moon"}, Web: true}, Evidence: true, Found: []retrieve.Found{{Document: "open_url:a", Title: "Tide tables"}, {Document: "d", Title: "Hidden"}}},
		{Trace: retrieve.Trace{Queries: []string{"eclipse"}, Web: true}},
	}}}}}
	said := strings.Join(e.Sentences(func(id document.ID) bool { return id != "d" }), "\n")
	if !strings.Contains(said, "Web search: \"tides\", \"moon\"; 2 pages.\n- 1. Tide tables\nWeb search: \"eclipse\"; 0 pages.") || strings.Contains(said, "Hidden") {
		t.Errorf("told:\n%s", said)
	}
}

// Of a deep search each sub-question is told with what it brought; what was asked further only
// where all that was found may be named.
func TestExplanationOfADeepSearch(t *testing.T) {
	t.Parallel()
	cites := func(id document.ID) []message.Citation { return []message.Citation{{Document: document.Ref{ID: id}}} }
	e := command.Explanation{Turn: &session.Turn{Outcome: session.Answered}, Saved: session.Saved{Outcome: session.Answered, Plan: []session.PlanRow{
		{Number: 2, Question: "Where?", State: "missing", Searches: 2}, {Number: 1, Question: "Who?", State: "found", Shown: "Falcon. [1]", Citations: cites("d1"), Searches: 1},
		{Number: 3, Round: 1, Question: "Who leads Falcon?"},
	}}}
	said := strings.Join(e.Sentences(func(document.ID) bool { return true }), "\n")
	for _, want := range []string{
		"taken apart into 3 sub-questions.\n- 1. Who?: found, searches: 1. Falcon. [1]\n- 2. Where?: not in the documents, searches: 2\n- 3. Who leads Falcon? (asked further, round 1): not looked into",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not told:\n%s", want, said)
		}
	}
	if said := strings.Join(e.Sentences(func(document.ID) bool { return false }), "\n"); strings.Contains(said, "Falcon") || !strings.Contains(said, "1. Who?: found") {
		t.Errorf("told:\n%s", said)
	}
}
