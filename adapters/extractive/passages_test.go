package extractive_test

import (
	"context"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/extractive"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
)

// meaning is an embedder whose cosine of a text with the question is that of the first of its
// phrases that the text holds, else .1.
type meaning struct {
	phrases []phrase
	texts   int // embedded so far
	most    int // from which on it takes too long; 0: never
}

const question = "How do I clean the pump?"

type phrase struct {
	text   string
	cosine float64
}

func (*meaning) Model() string   { return "meaning" }
func (*meaning) Dimensions() int { return 2 }

func (m *meaning) Embed(_ context.Context, _ retrieve.Purpose, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		cosine := 0.1
		for _, p := range m.phrases {
			if strings.Contains(text, p.text) {
				cosine = p.cosine
				break
			}
		}
		if text == question {
			cosine = 1
		}
		out[i] = []float32{float32(cosine), float32(math.Sqrt(1 - cosine*cosine))}
	}
	m.texts += len(texts)
	if m.most > 0 && m.texts > m.most {
		return nil, context.DeadlineExceeded
	}
	return out, nil
}

func chosenBy(t *testing.T, model *extractive.Model, req llm.Request) string {
	t.Helper()
	var text strings.Builder
	for d, err := range model.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(d.Text)
	}
	return text.String()
}

func TestSentenceModelChoosesPassages(t *testing.T) {
	t.Parallel()
	roof := "We clean the pump on the roof in winter, since it is old."
	long := "Parts of the pump:"
	for i := range 20 {
		long += "\n- Part " + strconv.Itoa(i) + " of the pump is one that a fitter can take out of it by hand."
	}
	procedure := "To clean the pump:"
	for i := range 16 {
		procedure += "\n" + strconv.Itoa(i+1) + ". Open valve " + strconv.Itoa(i) + " of the pump with the long key. It hangs on the wall of the hall, and has to be hung there again."
	}
	for name, tt := range map[string]struct {
		phrases []phrase
		docs    []tool.Document
		want    string
		not     string
	}{
		"another paragraph than words would": {
			[]phrase{{"Rinse it", 0.8}},
			[]tool.Document{{Number: 3, Title: "Pump", Contents: "Clean the pump hall. The pump is where we clean.\n\nRinse it with water, and let the pump dry."}},
			"Rinse it with water, and let the pump dry.", "hall",
		},
		"another page, first and alone": {
			[]phrase{{"Rinse", 0.8}, {"roof", 0.4}},
			[]tool.Document{{Number: 3, Title: "Roof", Contents: roof}, {Number: 4, Title: "Hall", Contents: "Rinse the pump with water."}},
			"Rinse the pump with water.", "roof",
		},
		"two pages where none leads": {
			[]phrase{{"Rinse", 0.8}, {"roof", 0.78}},
			[]tool.Document{{Number: 3, Title: "Roof", Contents: roof}, {Number: 4, Title: "Hall", Contents: "Rinse the pump with water."}},
			"it is old.", "may help",
		},
		"a page that leads by less than others may lack, alone": {
			[]phrase{{"Rinse", 0.8}, {"roof", 0.61}},
			[]tool.Document{{Number: 3, Title: "Roof", Contents: roof}, {Number: 4, Title: "Hall", Contents: "Rinse the pump with water."}},
			"Rinse the pump with water.", "roof",
		},
		"a page that two sources have, once": {
			[]phrase{{"Rinse", 0.8}},
			[]tool.Document{{Number: 3, Title: "Pump", Contents: "Rinse the pump with water."}, {Number: 4, Title: "Pump", Contents: "Rinse the pump with water. \n\n## More"}},
			"Rinse the pump with water.", "water.\n\nRinse",
		},
		"a list with its introduction": {
			[]phrase{{"Open the valve", 0.8}},
			[]tool.Document{{Number: 3, Title: "Pump", Contents: "To clean the pump, do this:\n\n1. Open the valve.\n2. Rinse the pump."}},
			"To clean the pump, do this:\n\n1. Open the valve.\n2. Rinse the pump.", "",
		},
		"one item of a long list, marked": {
			[]phrase{{"Part 7 ", 0.8}},
			[]tool.Document{{Number: 3, Title: "Pump", Contents: long}},
			"Parts of the pump:\n\n- …\n- Part 7 of the pump is one that a fitter can take out of it by hand.\n- …", "Part 8",
		},
		"the first steps of a long procedure, marked": {
			[]phrase{{"valve", 0.8}},
			[]tool.Document{{Number: 3, Title: "Pump", Contents: procedure}},
			"To clean the pump:\n\n1. Open valve 0 of the pump with the long key. It hangs", "valve 15",
		},
		"an introduction at the end of a passage": {
			[]phrase{{"Rinse", 0.8}},
			[]tool.Document{{Number: 3, Title: "Pump", Contents: "Rinse the pump with water.\n\nTo clean the pump, do this:"}},
			"Rinse the pump with water.", "",
		},
		"one item of a list without introduction, marked": {
			[]phrase{{"Part 7 ", 0.8}},
			[]tool.Document{{Number: 3, Title: "Pump", Contents: strings.TrimPrefix(long, "Parts of the pump:\n")}},
			"- …\n- Part 7 of the pump is one that a fitter can take out of it by hand.\n- …", "Part 8",
		},
		"rows with their header": {
			[]phrase{{"Pump", 0.8}},
			[]tool.Document{{Number: 3, Title: "Care", Contents: "Part | Clean it with | Every\nPump | water | week\nValve | oil | month"}},
			"Part | Clean it with | Every:\n\n- Pump | water | week", "Valve",
		},
		"a command with its warning": {
			[]phrase{{"clean it", 0.8}},
			[]tool.Document{{Number: 3, Title: "Pump", Contents: "To clean it, run this:\n\n```\npump clean\n```\n\nWarning: the pump must be empty."}},
			"```\npump clean\n```\n\nWarning: the pump must be empty.", "",
		},
		"a command with the whole of a long warning": {
			[]phrase{{"clean it", 0.8}},
			[]tool.Document{{Number: 3, Title: "Pump", Contents: "To clean it, run this:\n\n```\npump clean\n```\n\nWarning: the pump must be empty." + strings.Repeat(" Look into each of its valves before that.", 20) + " Wear gloves."}},
			"Wear gloves.", "…",
		},
		"code that only repeats the question, with what follows": {
			[]phrase{{"clean", 0.8}},
			[]tool.Document{{Number: 3, Title: "Pump", Contents: "```\nHow do I clean it?\n```\n\nOnly the maker can."}},
			"```\nHow do I clean it?\n```\n\nOnly the maker can.", "",
		},
		"no command whose introduction says that it does harm": {
			[]phrase{{"run it", 0.8}, {"Cleaning", 0.6}},
			[]tool.Document{{Number: 3, Title: "Pump", Contents: "Mind the valve. To clean it and shut down the mill, run it:\n\n```\npump clean\n```\n\nCleaning takes an hour."}},
			"Cleaning takes an hour.", "pump clean",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := extractive.New().WithSentences(&meaning{phrases: tt.phrases}, retrieve.Gate{Links: 0.2, Quotes: 0.4})
			got, _, _ := strings.Cut(below(chosenBy(t, model, asked(question, tt.docs...))), retrieve.MayHelp)
			if !strings.Contains(got, tt.want) || tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("quotes %q, not %q without %q", got, tt.want, tt.not)
			}
		})
	}
}

func TestVectorsOfPassagesAreCached(t *testing.T) {
	t.Parallel()
	embedder := &meaning{phrases: []phrase{{"Rinse", 0.8}}}
	model := extractive.New().WithSentences(embedder, retrieve.Gate{Links: 0.2, Quotes: 0.4})
	req := asked(question, tool.Document{Number: 3, Title: "Pump", Contents: "Rinse the pump with water."})
	first := chosenBy(t, model, req)
	embedded := embedder.texts
	if again := chosenBy(t, model, req); again != first || embedder.texts != embedded {
		t.Errorf("%d texts embedded, then %d more; %q, then %q", embedded, embedder.texts-embedded, first, again)
	}
}

// What was compared before the time was up decides.
func TestSlowModelChoosesAmongComparedPassages(t *testing.T) {
	t.Parallel()
	embedder := &meaning{phrases: []phrase{{"Rinse", 0.8}}, most: 5}
	doc := tool.Document{Number: 3, Title: "Pump", Contents: "Clean the pump: rinse it. Rinse it with water to clean the pump.\n\n" + strings.Repeat("The pump is green, not grey.\n\n", 8)}
	got := chosenBy(t, extractive.New().WithSentences(embedder, retrieve.Gate{Links: 0.2, Quotes: 0.4}), asked(question, doc))
	if embedder.texts <= embedder.most || !strings.Contains(got, "Rinse it with water to clean the pump.") {
		t.Errorf("after %d texts it answers %q", embedder.texts, got)
	}
}

// Half a script is not shown as if it were whole.
func TestCutCodeIsMarked(t *testing.T) {
	t.Parallel()
	script := "```sh\npump --open\n" + strings.Repeat("pump --turn\n", 30) + "\n" + strings.Repeat("pump --rest\n", 30) + "```"
	got, _, _ := run(t, asked("how do I open the pump?", tool.Document{Number: 1, Title: "Pump", Contents: "To open the pump:\n\n" + script}))
	if !strings.Contains(got, "pump --open") || strings.Contains(got, "--rest") || !strings.Contains(got, "```\n\n…") {
		t.Errorf("answer is\n%s", got)
	}
}
