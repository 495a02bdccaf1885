package search_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
)

// What a result has shown once is not repeated: paragraphs, the address of a page, its title in the
// heading path, and the heading with which a passage begins.
func TestResultDropsRepeats(t *testing.T) {
	t.Parallel()
	shared := "Connections are refused while the primary is being promoted, so clients must retry for up to thirty seconds."
	first := hit("a", 1, "## Failover\n\n"+shared+"\n\nThe old primary stays down.")
	first.Heading = []string{"Title a (manual page)", "Operations", "Failover"}
	second := hit("b", 2, "Of the other page.\n\n"+shared+"\n\n"+shared+"\n\nshort\n\nshort")
	third := hit("a", 3, "Another passage of the first page.")
	x := &index{result: retrieve.Result{Evidence: true, Hits: []retrieve.Hit{first, second, third}}}
	for _, quotes := range []bool{false, true} {
		sc := scope("q")
		sc.WeighsWords = quotes
		sc.Catalogue = []tool.Source{{ID: first.Document.Source, Name: "Handbook"}}
		result, _, err := run(t, search.New(x, nil, budgettest.NewWords(), search.Config{}), `{"queries":["q"]}`, sc)
		if err != nil || len(result.References) != 3 || result.References[1].Text != second.Text || result.References[2].Anchor != "s" {
			t.Fatalf("%+v, %v", result.References, err)
		}
		for text, want := range map[string][2]int{ // for models, and for those that quote
			shared: {1, 3}, "(as in document 1)": {1, 0}, "/a#s": {1, 2}, "(manual page)": {0, 1}, "Failover": {1, 2}, `"heading":"Operations"`: {1, 0}, "short": {2, 2}, "Handbook": {0, 0},
		} {
			n := want[0]
			if quotes {
				n = want[1]
			}
			if got := strings.Count(result.Content, text); got != n {
				t.Errorf("quotes %t: %d times %q, want %d, in\n%s", quotes, got, text, n, result.Content)
			}
		}
	}
}

// A copy that differs in blank lines and spaces is shown by what differs, and rows of tables stay.
func TestCopiesWithOtherSpacesAreNotRepeated(t *testing.T) {
	t.Parallel()
	one := "Connections are refused while the primary is being promoted, so clients must retry for up to thirty seconds."
	two := "The old primary stays down until an operator has compared the positions of both logs by hand."
	header := "| Setting of the service that a reader may change at any time | Value in seconds that it begins with |"
	first := hit("a", 1, one+"\n\n"+two+"\n\n"+header)
	second := hit("b", 2, "  "+one+"\n  "+two+"\n\n\nOnly here.\n\n"+header+"\n| timeout | 30 |")
	x := &index{result: retrieve.Result{Evidence: true, Hits: []retrieve.Hit{first, second}}}
	result, _, err := run(t, search.New(x, nil, budgettest.NewWords(), search.Config{}), `{"queries":["q"]}`, scope("q"))
	if err != nil {
		t.Fatal(err)
	}
	if want := `"contents":"(as in document 1)\nOnly here.\n\n` + header + `\n| timeout | 30 |"`; !strings.Contains(result.Content, want) {
		t.Errorf("%s is not in\n%s", want, result.Content)
	}
}
