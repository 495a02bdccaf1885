package extractive_test

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnotehq/footnote/adapters/extractive"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
)

// run puts a stream together.
func run(t interface{ Fatalf(string, ...any) }, req llm.Request) (text string, calls []llm.CallDelta, finish llm.Finish) {
	for delta, err := range extractive.New().Stream(context.Background(), req) {
		if err != nil {
			t.Fatalf("stream: %v", err)
		}
		text += delta.Text
		if delta.Call != nil {
			calls = append(calls, *delta.Call)
		}
		if delta.Finish != "" {
			finish = delta.Finish
		}
	}
	return text, calls, finish
}

func user(text string) llm.Message { return llm.Message{Role: llm.User, Text: text} }

// found is the exchange by which documents come into a turn.
func found(docs ...tool.Document) []llm.Message {
	return []llm.Message{
		{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "a", Name: extractive.SearchTool, Arguments: `{"queries":["q"]}`}}},
		{Role: llm.Tool, ToolCallID: "a", Text: tool.DocumentsJSON(docs, "")},
	}
}

func asked(question string, docs ...tool.Document) llm.Request {
	return llm.Request{Messages: append([]llm.Message{{Role: llm.System, Text: "Be brief."}, user(question)}, found(docs...)...)}
}

var search = llm.ToolSpec{Name: extractive.SearchTool, Parameters: json.RawMessage(`{"type":"object"}`)}

func TestSearches(t *testing.T) {
	t.Parallel()
	leave := tool.Document{Number: 1, Title: "Leave", Contents: "Everybody gets thirty days of paid leave a year."}
	earlier := append([]llm.Message{user("How much leave do I get?")}, found(leave)...)
	earlier = append(earlier, llm.Message{Role: llm.Assistant, Text: "Thirty days. [1]"})
	project := user("Documents of the project:\n" + tool.DocumentsJSON([]tool.Document{leave}, ""))
	tests := map[string]struct {
		messages []llm.Message
		tools    []llm.ToolSpec
		choice   llm.ToolChoice
		query    string // empty: it answers instead
	}{
		"first step":              {[]llm.Message{user("How much leave do I get?")}, []llm.ToolSpec{search}, llm.ToolChoice{}, "How much leave do I get?"},
		"a new turn":              {append(earlier[:len(earlier):len(earlier)], user("And sick leave?")), []llm.ToolSpec{search}, llm.ToolChoice{}, "And sick leave?"},
		"beside a project":        {[]llm.Message{project, user("How much leave?")}, []llm.ToolSpec{search}, llm.ToolChoice{}, "How much leave?"},
		"forced":                  {[]llm.Message{user("q")}, []llm.ToolSpec{search}, llm.ToolChoice{Mode: llm.Required, Name: extractive.SearchTool}, "q"},
		"after a result":          {append([]llm.Message{user("How much leave?")}, found(leave)...), []llm.ToolSpec{search}, llm.ToolChoice{}, ""},
		"no tools":                {[]llm.Message{user("How much leave?")}, nil, llm.ToolChoice{}, ""},
		"other tools":             {[]llm.Message{user("How much leave?")}, []llm.ToolSpec{{Name: "open_url"}}, llm.ToolChoice{}, ""},
		"must not":                {[]llm.Message{user("How much leave?")}, []llm.ToolSpec{search}, llm.ToolChoice{Mode: llm.None}, ""},
		"nothing was asked":       {[]llm.Message{user(" ")}, []llm.ToolSpec{search}, llm.ToolChoice{}, ""},
		"a reminder stands below": {append(append([]llm.Message{user("How much leave?")}, found(leave)...), user("Cite.")), []llm.ToolSpec{search}, llm.ToolChoice{}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, calls, finish := run(t, llm.Request{Messages: test.messages, Tools: test.tools, Choice: test.choice})
			if test.query == "" {
				if text == "" || len(calls) != 0 || finish != llm.FinishStop {
					t.Errorf("text %q, calls %v, finish %q; want an answer", text, calls, finish)
				}
				return
			}
			if text != "" || len(calls) != 1 || finish != llm.FinishToolCalls {
				t.Fatalf("text %q, calls %v, finish %q; want one call", text, calls, finish)
			}
			var arguments struct{ Queries []string }
			if err := json.Unmarshal([]byte(calls[0].Arguments), &arguments); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{test.query}, arguments.Queries); diff != "" || calls[0].ID == "" || calls[0].Name != extractive.SearchTool {
				t.Errorf("call %+v (-want +got):\n%s", calls[0], diff)
			}
		})
	}
}

const heading = "No language model is configured, so these passages match best:\n\n"

var titleLine = regexp.MustCompile(`(?m)^(?:\*\*.*\*\* \[\d+\]|From \[\d+\]:)\n\n`)

// below returns what an answer quotes below the titles of pages.
func below(answer string) string {
	return titleLine.ReplaceAllString(strings.TrimPrefix(answer, heading), "")
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	boiler := tool.Document{Number: 4, Title: "Boiler handbook", Contents: "# Boiler handbook\n\nHome | Contents | Next\n\n## What it is\n\n" +
		"The boiler stands in the cellar and was serviced in spring. A pressure vessel is a closed container that takes up the water which expands on heating. " +
		"It has a red cap.\n\n## Bleeding the radiators\n\nTo bleed a radiator, do this:\n\n1. Turn the pump off and wait ten minutes.\n" +
		"2. Open the valve with the square key.\n3. Close it when water comes.\n\nRead the pressure afterwards. The vessel is [2] bar at most."}
	deploy := tool.Document{Number: 7, Title: "Deployments", Contents: "Deployments run on Mondays and Thursdays.\n\n" +
		"To roll a release back, run this command:\n\nrollout undo \\\n    --release previous \\\n    --wait\n\nTell the channel afterwards what went wrong."}
	canteen := tool.Document{Number: 9, Title: "Canteen", Contents: "The canteen serves lunch from noon until two. Guests of the house pay in cash at the counter.\n\n" +
		"| Day | Soup |\n|---|---|\n| Monday soup | Lentil and carrot with bread |\n| Tuesday soup | Potato and leek with cream |"}
	tests := map[string]struct {
		question string
		docs     []tool.Document
		want     []string
		not      []string
	}{
		"a list is kept whole": {"How do I bleed a radiator?", []tool.Document{boiler, canteen},
			[]string{"To bleed a radiator, do this:\n\n1. Turn the pump off and wait ten minutes.\n2. Open the valve with the square key.\n3. Close it when water comes."}, nil},
		"code behind its sentence": {"How do I roll back a release?", []tool.Document{deploy},
			[]string{"To roll a release back, run this command:\n\n```\nrollout undo \\\n    --release previous \\\n    --wait\n```"}, nil},
		"an item is written once": {"How do I bleed a radiator, and do I open the valve with the square key?", []tool.Document{boiler},
			[]string{"2. Open the valve with the square key."}, []string{"- Open the valve"}},
		"a document's own numbers":   {"How much pressure may the vessel have, in bar?", []tool.Document{boiler}, []string{`The vessel is \[2] bar at most.`}, nil},
		"a row of a table":           {"Which soup is there on Tuesday?", []tool.Document{canteen}, []string{"Day | Soup:\n\n- Tuesday soup | Potato and leek with cream"}, []string{"Monday"}},
		"nothing fits":               {"Who won the chess tournament?", []tool.Document{canteen, deploy}, []string{"I found nothing about this"}, []string{"[7]", "[9]", "canteen"}},
		"I found nothing about this": {"Who won?", nil, []string{"I found nothing about this"}, []string{":\n"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, finish := run(t, asked(test.question, test.docs...))
			if finish != llm.FinishStop {
				t.Errorf("finish is %q", finish)
			}
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("answer\n%s\nlacks\n%s", got, want)
				}
			}
			for _, not := range test.not {
				if strings.Contains(got, not) {
					t.Errorf("answer\n%s\nholds\n%s", got, not)
				}
			}
		})
	}
}

// A follow-up is understood by the question before it.
func TestFollowUp(t *testing.T) {
	t.Parallel()
	docs := []tool.Document{
		{Number: 1, Title: "Lift", Contents: "Check the rope of the lift once a month. The lift has its own telephone."},
		{Number: 2, Title: "Boiler", Contents: "Check the pressure of the boiler once a week. The boiler stands in the cellar."},
	}
	req := llm.Request{Messages: append([]llm.Message{user("Where is the boiler?"), {Role: llm.Assistant, Text: "In the cellar. [2]"}, user("And how often do I check it?")}, found(docs...)...)}
	got, _, _ := run(t, req)
	if !strings.HasPrefix(below(got), "Check the pressure of the boiler once a week.") {
		t.Errorf("answer is\n%s", got)
	}
}

// A result that was shortened in the middle is still read as far as its documents are whole.
func TestShortenedResult(t *testing.T) {
	t.Parallel()
	docs := []tool.Document{
		{Number: 1, Title: "Lift", Contents: "Check the rope of the lift once a month."},
		{Number: 2, Title: "Boiler", Contents: "Check the pressure of the boiler once a week."},
		{Number: 3, Title: "Roof", Contents: "Check the tiles of the roof once a year."},
	}
	req := asked("How often is the roof checked?", docs...)
	last := &req.Messages[len(req.Messages)-1]
	at := strings.Index(last.Text, "pressure")
	last.Text = last.Text[:at] + " … " + last.Text[at+20:]
	last.Text = strings.Replace(last.Text, `once a week."}`, "once", 1)
	if got, _, _ := run(t, req); !strings.Contains(got, "Check the tiles of the roof once a year.") {
		t.Errorf("answer is\n%s", got)
	}
}

func TestStreamsInPieces(t *testing.T) {
	t.Parallel()
	n := 0
	for delta, err := range extractive.New().Stream(t.Context(), asked("How often is the roof checked?", tool.Document{Number: 3, Contents: "Check the tiles of the roof once a year."})) {
		if err != nil {
			t.Fatal(err)
		}
		if words := len(strings.Fields(delta.Text)); words > 4 {
			t.Errorf("a delta has %d words", words)
		}
		n++
	}
	if n < 5 {
		t.Errorf("%d deltas", n)
	}
}

func TestStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var last error
	for delta, err := range extractive.New().Stream(ctx, asked("How often is the roof checked?", tool.Document{Number: 3, Contents: "Check the tiles of the roof once a year."})) {
		last = err
		if delta.Text != "" {
			cancel()
		}
	}
	cancel()
	if !errors.Is(last, context.Canceled) {
		t.Errorf("error is %v, want context.Canceled", last)
	}
}

func TestRefusesFormats(t *testing.T) {
	t.Parallel()
	req := asked("q")
	req.ResponseFormat = json.RawMessage(`{"type":"object"}`)
	for _, err := range extractive.New().Stream(t.Context(), req) {
		if !errors.Is(err, llm.ErrBadRequest) {
			t.Errorf("error is %v, want ErrBadRequest", err)
		}
	}
}

func BenchmarkAnswer(b *testing.B) {
	var docs []tool.Document
	for i := range 40 {
		docs = append(docs, tool.Document{Number: i + 1, Title: "Boiler", Contents: strings.Repeat("The boiler heats the water of the house, and its pressure is checked by the porter. ", 30)})
	}
	req := asked("How do I check the pressure of the boiler?", docs...)
	for b.Loop() {
		run(b, req)
	}
}

// Whatever a model may be shown, nothing is quoted that matches the question by chance.
func TestChanceMatchesAreNotQuoted(t *testing.T) {
	t.Parallel()
	leave := tool.Document{Number: 1, Title: "Leave", Contents: "Everybody gets thirty days of paid leave a year."}
	byChance := tool.Document{Number: 2, Title: "Parking", Match: tool.Loose, Contents: "Leave the car in the yard, where everybody gets a space for days."}
	if text, _, _ := run(t, asked("How many days of paid parental leave do mothers get after a birth?", byChance)); strings.Contains(text, "yard") || !strings.Contains(text, "I found nothing about this") {
		t.Errorf("answered %q", text)
	}
	if text, _, _ := run(t, asked("How many days of leave do I get?", leave, byChance)); !strings.Contains(text, "thirty days of paid leave a year.") {
		t.Errorf("answered %q", text)
	}
}

// A follow-up that leans on the question before it is about that question's subject, whatever its
// own words fit better.
func TestFollowUpIsAboutTheOpener(t *testing.T) {
	t.Parallel()
	docs := []tool.Document{
		{Number: 1, Title: "Coffee machine", Contents: "Switch the coffee machine off again before you leave, and switch it on in the morning."},
		{Number: 2, Title: "Night mode", Contents: "The night mode of the heating is left with the red button."},
	}
	req := llm.Request{Messages: append([]llm.Message{user("what's the night mode of the heating?"), {Role: llm.Assistant, Text: "A mode. [2]"},
		user("and how do I switch it off again?")}, found(docs...)...)}
	got, _, _ := run(t, req)
	if quoted, _, _ := strings.Cut(got, retrieve.MayHelp); !strings.Contains(quoted, "The night mode of the heating is left with the red button.") || strings.Contains(quoted, "Coffee") {
		t.Errorf("answer is\n%s", got)
	}
}

// What could not be searched is not said to hold nothing.
func TestAFailedSearchIsNotCalledEmpty(t *testing.T) {
	t.Parallel()
	req := asked("Where is the boiler?")
	req.Messages[len(req.Messages)-1].Text = tool.Failed + "the index is away."
	if got, _, _ := run(t, req); got != "" {
		t.Errorf("answered %q", got)
	}
}

// Passages of one page have a number each and one page id: what is quoted has the number of its
// passage, and the page counts once.
func TestPassagesOfAPageHaveNumbers(t *testing.T) {
	t.Parallel()
	text, _, _ := run(t, asked("How long are backups kept?",
		tool.Document{Number: 1, Page: "p1", Title: "Backups", Heading: "Schedule", Contents: "Backups run every night at two."},
		tool.Document{Number: 2, Page: "p2", Title: "Printers", Contents: "The printer is on the second floor."},
		tool.Document{Number: 3, Page: "p1", Title: "Backups", Heading: "Retention", Contents: "Backups are kept for thirty days."},
	))
	if !strings.Contains(text, "Backups are kept for thirty days.") || strings.Contains(text, "[2]") || strings.Contains(text, "on other pages") {
		t.Errorf("answer %q", text)
	}
}
