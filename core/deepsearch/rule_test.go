package deepsearch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/google/go-cmp/cmp"
)

func TestDecompose(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"How many days of vacation are there?": "",
		"hello":                                "",
		"":                                     "",
		"What is the difference between the billing service and the search service?": "What is the billing service? | What is the search service?",
		"Was ist der Unterschied zwischen Alpha und Beta?":                           "Was ist Alpha? | Was ist Beta?",
		"Compare monthly and annual plans for teams":                                 "monthly plans for teams? | annual plans for teams?",
		"Which was released first, Alpha Centauri or Beta?":                          "Which was released first Alpha Centauri? | Which was released first Beta?",
		"Are Stefan Zweig and Karel Čapek both from Vienna?":                         "Are Stefan Zweig both from Vienna? | Are Karel Čapek both from Vienna?",
		"Postgres vs Redis": "Postgres | Redis", "compare git merge and git rebase": "git merge | git rebase",
		"What does it cost in Dublin, Frankfurt and Vienna?":                                                     "What does it cost in Dublin? | What does it cost in Frankfurt? | What does it cost in Vienna?",
		"How many days of vacation are there and who leads team Osprey?":                                         "How many days of vacation are there? | who leads team Osprey?",
		"Who owns billing? And where does it run?":                                                               "Who owns billing? | And where does it run? (owns billing) <1",
		"how do I orphan a package and how do I adopt one?":                                                      "how do I orphan a package? | how do I adopt a package?",
		"what is the difference between the hold queue and the deferred queue, and how do I flush each of them?": "what is the difference between the hold queue and the deferred queue? | how do I flush each of the hold queue and the deferred queue?",
		"Where is the office? Who leads it? And is there parking there for guests?":                              "Where is the office? | Who leads the office? | And is there parking there for guests? (the office) <2",
		"Who owns billing? Where does it run? How is it restarted?":                                              "Who owns billing? | Where does it run? (owns billing) <1 | How is it restarted? (owns billing) <2",
		"How do I add a disk, and is it possible to remove one disk again?":                                      "How do I add a disk? | is it possible to remove one disk again? (a disk) <1",
		"Is it? And what is it?":                                                         "Is it? | And what is it? <1",
		"Which team owns the billing service, and who leads it?":                         "Which team owns the billing service? | who leads it? (the billing service) <1",
		"What replaced the old printer and how do I reset it?":                           "What replaced the old printer? | how do I reset it? (the old printer) <1",
		"How many days of vacation are there and how many holidays are there?":           "How many days of vacation are there? | how many holidays are there?",
		"what is a backup, and how often is it taken, and how is the database restored?": "what is a backup? | how often is it taken? (a backup) <1 | how is the database restored?",
		"who is on call tonight and when does the shift end and where is the log kept?":  "who is on call tonight? | when does the shift end? | where is the log kept?",
		"how do I add one node and how do I set up the console?":                         "how do I add one node? | how do I set up the console?",
		"first find who owns the search service, then who leads it":                      "find who owns the search service | who leads it <1",
		"Tell me about:\n- vacation\n- sick leave":                                       "Tell me about: vacation | Tell me about: sick leave",
		"Who leads the team that owns the billing service?":                              "Who leads the team that owns the billing service?",
		"What position was held by the woman who portrayed Corliss Archer in the film?":  "What position was held by the woman who portrayed Corliss Archer in the film?",
	} {
		var got []string
		for _, q := range deepsearch.Decompose(question) {
			text := q.Text
			if q.After > 0 {
				text += fmt.Sprintf(" <%d", q.After)
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(want, strings.Join(got, " | ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", question, diff)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		question string
		texts    []string
		want     string
	}{
		{"Who leads the team that owns the billing service?", []string{"The billing service is owned by team Falcon. It runs in the Frankfurt region."}, "Falcon"},
		{"Which ticket blocks the release?", []string{"The release is blocked by OPS-42, says Mara Lindqvist."}, "OPS-42 | Mara Lindqvist"},
		{"Who is Falcon?", []string{"It is Falcon."}, ""},
		{"", nil, ""},
	} {
		if got := strings.Join(deepsearch.Names(test.question, test.texts), " | "); got != test.want {
			t.Errorf("%q: %q, want %q", test.question, got, test.want)
		}
	}
}

// Whatever is asked, the parts are few, none is empty, and none waits for itself or a later one.
func FuzzDecompose(f *testing.F) {
	for _, seed := range []string{"a and b or c?", "first x then y", "- a\n- b\n- c", "A, B, C and D", "what? and how? and why? and who is it and what is it and where is it", strings.Repeat("A and ", 3000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, question string) {
		parts := deepsearch.Decompose(question)
		if len(parts) > deepsearch.MaxQuestions {
			t.Errorf("%d parts", len(parts))
		}
		for i, p := range parts {
			if strings.TrimSpace(p.Text) == "" || p.After > i || p.After < 0 {
				t.Errorf("part %d is %+v", i, p)
			}
		}
		deepsearch.Names(question, []string{question})
	})
}
