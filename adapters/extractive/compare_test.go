package extractive_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/tool"
)

func TestComparisons(t *testing.T) {
	t.Parallel()
	boilers := tool.Document{Number: 1, Title: "Boilers", Heading: "Boilers", Contents: "# Boilers\n\nBoth the gas boiler and the heat pump have a display that shows the boiler's settings, and the heat pump's.\n\n" +
		"See the page of prices for how a gas boiler differs from a heat pump.\n\n" +
		"A gas boiler is cheap to buy, whereas a heat pump is cheap to run.\n\n## Options\n\nboiler.display\n: Switches the display of the gas boiler and the heat pump on and off.\n"}
	filters := tool.Document{Number: 2, Title: "Filters", Heading: "Filters", Contents: "# Filters\n\nMost people clean coarse filters and fine filters in spring.\n\n" +
		"Coarse filters are nets that hold back leaves.\n\nFine filters are sheets of paper that hold back dust."}
	pumps := tool.Document{Number: 3, Title: "Pumps", Heading: "Pumps", Contents: "# Pumps\n\nHeat pumps are machines that bring warmth from outside into a house."}
	tests := map[string]struct {
		question string
		docs     []tool.Document
		want     []string // the beginnings of what is quoted
		not      string
	}{
		"or, which":                {"gas boiler or heat pump, which should I take?", []tool.Document{boilers}, []string{"A gas boiler is cheap to buy, whereas"}, "display"},
		"versus":                   {"gas boiler vs. heat pump", []tool.Document{boilers}, []string{"A gas boiler is cheap to buy, whereas"}, "See the page"},
		"the difference":           {"what is the difference between a heat pump and a gas boiler?", []tool.Document{boilers}, []string{"A gas boiler is cheap to buy, whereas"}, "display"},
		"better than":              {"is a heat pump better than a gas boiler?", []tool.Document{boilers}, []string{"A gas boiler is cheap to buy, whereas"}, ""},
		"one sentence for each":    {"coarse or fine filters?", []tool.Document{filters}, []string{"Coarse filters are nets", "Fine filters are sheets"}, "in spring"},
		"each on a page":           {"heat pumps versus fine filters", []tool.Document{pumps, filters}, []string{"Fine filters are sheets", "Heat pumps are machines"}, ""},
		"or that compares nothing": {"how do I clean coarse or fine filters?", []tool.Document{filters}, []string{"Most people clean"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			quoted, _, _ := run(t, asked(test.question, test.docs...))
			for _, want := range test.want {
				if !strings.Contains(quoted, want) {
					t.Errorf("%q is answered by\n%s\nwithout %q", test.question, quoted, want)
				}
			}
			if test.not != "" && strings.Contains(quoted, test.not) {
				t.Errorf("%q is answered by\n%s\nwith %q", test.question, quoted, test.not)
			}
		})
	}
}

func TestAnAnswerIsOfTheKindThatIsAskedFor(t *testing.T) {
	t.Parallel()
	doc := tool.Document{Number: 1, Title: "Maintenance window", Heading: "Maintenance window", Contents: "# Maintenance window\n\nThe maintenance window of the servers has a plan with all names."}
	timed := tool.Document{Number: 1, Title: "Maintenance window", Heading: "Maintenance window", Contents: "# Maintenance window\n\nThe maintenance window of the servers begins on Sunday."}
	lamp := tool.Document{Number: 1, Title: "Lighthouse", Heading: "Lighthouse", Contents: "# Lighthouse\n\nThe lamp of the lighthouse is lit at dusk by the keeper."}
	owned := tool.Document{Number: 1, Title: "Servers", Heading: "Servers", Contents: "# Servers\n\nServers are ordered by the department and approved by Ines."}
	history := tool.Document{Number: 1, Title: "Walrus", Heading: "Walrus", Contents: "# Walrus\n\nWalrus keeps a second copy of each index. Whoever uses the author field of Walrus is authorized by its first release, unless the release is older."}
	dated := tool.Document{Number: 1, Title: "Walrus", Heading: "Walrus", Contents: "# Walrus\n\nThe first release of Walrus came out in 1998, and was kept by Ines."}
	tests := map[string]struct {
		question string
		doc      tool.Document
		answers  bool
	}{
		"when something was":                    {"when was the first release of Walrus?", dated, true},
		"when something was, in words":          {"when was the lamp of the lighthouse changed?", tool.Document{Number: 1, Title: "Lighthouse", Contents: "# Lighthouse\n\nThe lamp of the lighthouse was changed last spring."}, true},
		"when something was, and no time":       {"when was the first release of Walrus?", history, false},
		"what the thing does itself":            {"who keeps Walrus?", history, false},
		"what is done with it":                  {"who kept Walrus?", dated, true},
		"another word of the same stem":         {"who authors Walrus?", tool.Document{Number: 1, Title: "Walrus", Contents: "# Walrus\n\nWalrus lets authorized clients in."}, false},
		"a time where a time is asked for":      {"when is the maintenance window of the servers?", timed, true},
		"a time in words of its own":            {"when is the lamp lit?", lamp, true},
		"no time":                               {"when is the next freeze and maintenance of the servers?", doc, false},
		"what somebody does":                    {"who approves servers?", owned, true},
		"what somebody in a place does":         {"who in our department approves servers?", owned, true},
		"something else that is done with it":   {"who owns servers of the department?", owned, false},
		"who, with no word that says what does": {"who is it that approves servers?", owned, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if quoted, _, _ := run(t, asked(test.question, test.doc)); answered(quoted) != test.answers {
				t.Errorf("%q is answered by\n%s", test.question, quoted)
			}
		})
	}
}
