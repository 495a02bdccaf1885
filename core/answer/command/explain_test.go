package command_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
)

// An explanation names the best documents of a search, each once, and tells no share of the question that was never computed.
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
