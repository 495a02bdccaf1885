package extractive_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/tool"
)

// What the operator says means the same is the same when a passage is chosen and when it is decided
// whether there is an answer, not just in the search.
func TestOperatorsSynonyms(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		question string
		synonyms []string
		docs     []tool.Document
		want     string
	}{
		"a name that no document holds": {"how many PTO may we carry over?", []string{"PTO: vacation, annual leave"},
			[]tool.Document{access, portal}, "Up to five unused days move to the next year."},
		"a phrase for a word": {"what does the WRS do?", []string{"WRS: work order system"}, []tool.Document{
			{Number: 1, Title: "Orders", Contents: "# Orders\n\nAn order needs a number. Systems work at night."},
			{Number: 2, Title: "Repairs", Contents: "# Repairs\n\nThe work order system tells the fitters what is broken."},
		}, "The work order system tells the fitters what is broken."},
	}
	for name, test := range tests {
		terms := map[string]int{"pto": 0, "carri": 0, "vacat": 3, "annual": 0, "leav": 2, "wrs": 0, "work": 5, "order": 5, "system": 5}
		with, _, _ := run(t, weighed(test.question, tool.Vocabulary{Chunks: 20, Terms: terms, Synonyms: test.synonyms}, test.docs...))
		without, _, _ := run(t, weighed(test.question, tool.Vocabulary{Chunks: 20, Terms: terms}, test.docs...))
		if !strings.Contains(with, test.want) || strings.Contains(without, test.want) {
			t.Errorf("%s: with synonyms the answer is\n%s\nwithout\n%s\nwant %q only with them", name, with, without, test.want)
		}
	}
}
