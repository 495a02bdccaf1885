package extractive_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnotehq/footnote/adapters/extractive"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
)

// The likeness of a command that is not shown does not make another text an answer.
func TestGateJudgesWhatIsQuoted(t *testing.T) {
	t.Parallel()
	pump := tool.Document{Number: 3, Title: "Pump", Contents: "To clean it, run this:\n\n```\npkill pump; pump clean\n```"}
	hall := tool.Document{Number: 4, Title: "Hall", Contents: "The pump of the hall is orange."}
	oil := tool.Document{Number: 5, Title: "Oil", Contents: "Clean the pump with an oiled cloth."}
	for name, test := range map[string]struct {
		phrases []phrase
		docs    []tool.Document
		want    string
	}{
		"harm alone":        {[]phrase{{"pkill", 0.8}, {"orange", 0.3}}, []tool.Document{pump, hall}, "These may help:\n\n- Pump [3]\n- Hall [4]"},
		"harm, far better":  {[]phrase{{"pkill", 0.8}, {"orange", 0.45}}, []tool.Document{pump, hall}, "These may help:\n\n- Pump [3]\n- Hall [4]"},
		"harm, and another": {[]phrase{{"pkill", 0.8}, {"oiled", 0.7}}, []tool.Document{pump, oil}, heading + "**Oil** [5]\n\nClean the pump with an oiled cloth.\n\nThese may help:\n\n- Pump [3]"},
		"second page":       {[]phrase{{"oiled", 0.45}, {"orange", 0.38}}, []tool.Document{oil, hall}, heading + "**Oil** [5]\n\nClean the pump with an oiled cloth.\n\nThese may help:\n\n- Hall [4]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := extractive.New().WithSentences(&meaning{phrases: test.phrases}, retrieve.Gate{Links: 0.2, Quotes: 0.4})
			if got := chosenBy(t, model, asked(question, test.docs...)); got != test.want {
				t.Errorf("answer is\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// Code that shares only the name of its page with a question does not answer it.
func TestCodeHoldsMoreThanTheTitle(t *testing.T) {
	t.Parallel()
	goose := tool.Document{Number: 3, Title: "goose", Contents: "```\n$ goose up-to 2017\n$ OK enterprise\n```"}
	usage := tool.Document{Number: 3, Title: "goose", Contents: "```\n$ goose up-to 2017\n```"}
	model := extractive.New().WithSentences(&similar{cosine: 0.6}, retrieve.Gate{Links: 0.2, Quotes: 0.4})
	v := tool.Vocabulary{Chunks: 900, Terms: map[string]int{"goos": 9, "enterpris": 90, "edit": 300, "cost": 90}}
	for _, test := range []struct {
		question string
		doc      tool.Document
		quoted   bool
	}{{"how much does the enterprise edition of goose cost?", usage, false}, {"how much does the enterprise edition of goose cost?", goose, true}, {"what is goose?", usage, true}} {
		if got := chosenBy(t, model, weighed(test.question, v, test.doc)); strings.Contains(got, "up-to") != test.quoted {
			t.Errorf("%q is answered with\n%s", test.question, got)
		}
	}
}

// A question in another language is not answered because of one word that languages share.
func TestForeignQuestionsNeedMostOfTheirWords(t *testing.T) {
	t.Parallel()
	support := tool.Document{Number: 3, Title: "Support", Contents: "The support desk of the office is open from nine to five, and it is on the second floor."}
	model := extractive.New().WithSentences(&similar{cosine: 0.6}, retrieve.Gate{Links: 0.2, Quotes: 0.4})
	for question, quoted := range map[string]bool{
		"Was kostet der Support?": false, "Wie lange gilt der Code für den Support?": false, "comment installer le support sur mac ?": false,
		"wo ist der support desk?": true, "when is the support desk open?": true,
	} {
		if got := chosenBy(t, model, asked(question, support)); strings.Contains(got, "second floor") != quoted {
			t.Errorf("%q is answered with\n%s", question, got)
		}
	}
}

// What is said of another version is not an answer.
func TestVersionsOfTheQuestion(t *testing.T) {
	t.Parallel()
	changes := tool.Document{Number: 3, Title: "Changes", Heading: "Changes › 4.2.0", Contents: "# Changes\n\n## 4.1.0\n\n### Changed\n\nThe default timeout of a call is 30 s.\n\n## 4.3.1\n\n### Changed\n\nThe default timeout is 60 s.\n\nIt was on port 8080."}
	for question, want := range map[string]string{
		"what is the default timeout in 4.1.0":   "**Changes › 4.1.0 › Changed** [3]\n\nThe default timeout of a call is 30 s.",
		"what is the default timeout in v4.3?":   "**Changes › 4.3.1 › Changed** [3]\n\nThe default timeout is 60 s.",
		"what is the default timeout in 4.2.0":   "- Changes",
		"is 30 s the default timeout of 2 calls": "**Changes › 4.1.0 › Changed** [3]\n\nThe default timeout of a call is 30 s.",
		"what is the default timeout":            "**Changes › 4.1.0 › Changed** [3]\n\nThe default timeout of a call is 30 s.",
	} {
		if got, _, _ := run(t, asked(question, changes)); !strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(got, heading), "These may help:\n\n"), want) {
			t.Errorf("%q is answered with\n%s\nnot\n%s", question, got, want)
		}
	}
}

// An answer says which sections it cites.
func TestAnswerNamesItsSections(t *testing.T) {
	t.Parallel()
	machine := tool.Document{Number: 3, Title: "Coffee machine", Heading: "Coffee machine", Contents: "# Coffee machine\n\n## Clean\n\nClean the machine every evening.\n\n## Refill\n\nUse this:\n\n- Beans are refilled from the top."}
	hosts := tool.Document{Number: 4, Title: "Hosts", Heading: "Hosts › Beans", Contents: "Name | Use\nh1 | beans of the machine\nh2 | mail"}
	for question, want := range map[string][]llm.Quoted{
		"how are beans refilled?":     {{Number: 3, Section: "Refill", Text: "- Beans are refilled from the top."}},
		"which host is used for mail": {{Number: 4, Section: "Beans", Text: "h2 | mail"}},
	} {
		var got []llm.Quoted
		for d, err := range extractive.New().Stream(t.Context(), asked(question, machine, hosts)) {
			if err != nil {
				t.Fatal(err)
			}
			if d.Quoted != nil {
				got = append(got, *d.Quoted)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", question, diff)
		}
	}
}

// A list of rows that is cut says so.
func TestCutRowsAreMarked(t *testing.T) {
	t.Parallel()
	rows := "Host | Use\nh1 | mail\nh2 | mail\nh3 | mail\nh4 | mail\nh5 | mail"
	for more, want := range map[string]string{"": "- h5 | mail", "\nh6 | mail": "- h5 | mail\n- …", "\nh6 | files": "- h5 | mail"} {
		if got, _, _ := run(t, asked("which host is used for mail?", tool.Document{Number: 3, Title: "Hosts", Contents: rows + more})); !strings.HasSuffix(got, want) {
			t.Errorf("answer is\n%s", got)
		}
	}
}
