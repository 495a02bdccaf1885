package prompt_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite golden files")

type lookup struct{}

func (lookup) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: "internal_search", Description: "Searches.", Parameters: json.RawMessage(`{"type":"object"}`)}
}
func (lookup) Guide() string { return "Search first." }
func (lookup) Run(context.Context, tool.Call, *packet.Emitter) (tool.Result, error) {
	return tool.Result{}, nil
}

var native = llm.Info{Name: "m", Window: 100_000, NativeTools: true, Vision: true}

func user(turn int, text string, files ...message.File) message.Message {
	return message.Message{Turn: turn, Role: message.User, Text: text, Files: files}
}

func answer(turn int, text string) message.Message {
	return message.Message{Turn: turn, Role: message.Assistant, Text: text}
}

// called is a tool call with its result.
func called(turn int, id, result string) []message.Message {
	return []message.Message{
		{Turn: turn, Role: message.ToolCall, Calls: []message.Call{{ID: id, Name: "internal_search", Arguments: json.RawMessage(`{"queries":["q","expanded q"]}`)}}},
		{Turn: turn, Role: message.ToolResult, CallID: id, Text: result},
	}
}

func text(name, content string) message.File {
	return message.File{ID: message.FileID(name), Name: name, Media: "text/plain", Text: content}
}

func join(lists ...[]message.Message) []message.Message {
	var all []message.Message
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func one(m ...message.Message) []message.Message { return m }

// codes writes a prompt in the letters of the design: S, CA, P, F, U1, TC, TR, A1, R.
func codes(messages []llm.Message) string {
	var out []string
	for i, m := range messages {
		code := m.Text
		switch {
		case m.Role == llm.System:
			code = "S"
		case len(m.ToolCalls) > 0:
			code = "TC"
		case m.Role == llm.Tool:
			code = "TR"
		case strings.HasPrefix(m.Text, "File: "):
			code = "F"
		case strings.Contains(m.Text, `{"documents":[`):
			code = "P"
		case strings.HasPrefix(m.Text, "You are Bosun"):
			code = "CA"
		case strings.HasPrefix(m.Text, "Remember") && i == len(messages)-1:
			code = "R"
		}
		out = append(out, code)
	}
	return strings.Join(out, " ")
}

func build(t *testing.T, in prompt.Input) prompt.Prompt {
	t.Helper()
	p, err := prompt.NewBuilder(budgettest.NewWords()).Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The flows that the design gives, letter by letter.
func TestOrderOfTheContext(t *testing.T) {
	t.Parallel()
	agent := prompt.Agent{Name: "bosun", Instructions: "You are Bosun, and speak of ships."}
	project := []prompt.ProjectFile{{Number: 1, File: text("plan.md", "The plan.")}, {Number: 2, File: text("map.md", "The map.")}}
	turn1 := join(one(user(1, "U1")), called(1, "c1", "result"), one(answer(1, "A1")))
	turn2 := one(user(2, "U2"), answer(2, "A2"))
	for _, tc := range []struct {
		name string
		in   prompt.Input
		want string
	}{
		{"custom agent, second turn", prompt.Input{Agent: agent, History: turn1, Question: user(2, "U2")}, "S U1 TC TR A1 CA U2"},
		{
			"custom agent, third turn after a search", prompt.Input{Agent: agent, History: join(turn1, turn2), Question: user(3, "U3"), Steps: called(3, "c2", "docs"), Citable: true},
			"S U1 TC TR A1 U2 A2 CA U3 TC TR R",
		},
		{"project and file, first turn", prompt.Input{Agent: agent, Project: project, Question: user(1, "U1", text("a.txt", "file"))}, "S CA P F U1"},
		{
			"project and file, second turn", prompt.Input{Agent: agent, Project: project, History: one(user(1, "U1", text("a.txt", "file")), answer(1, "A1")), Question: user(2, "U2")},
			"S F U1 A1 CA P U2",
		},
		{
			"a question of the program in the history",
			prompt.Input{History: one(message.Message{Turn: 1, Role: message.Task, Text: "T1"}, answer(1, "A1")), Question: user(2, "U2")}, "S T1 A1 U2",
		},
		{"reminder after one call", prompt.Input{Question: user(1, "U1"), Steps: called(1, "c1", "r"), Citable: true}, "S U1 TC TR R"},
		{"reminder after two calls", prompt.Input{Question: user(1, "U1"), Steps: join(called(1, "c1", "r"), called(1, "c2", "r")), Citable: true}, "S U1 TC TR TC TR R"},
		{"reminder of the last step", prompt.Input{Question: user(1, "U1"), Steps: called(1, "c1", "r"), Citable: true, Last: true, Tools: []tool.Tool{lookup{}}}, "S U1 TC TR R"},
		{"no reminder without a search", prompt.Input{Question: user(1, "U1"), Steps: called(1, "c1", "r")}, "S U1 TC TR"},
		{
			"an agent that replaces the system prompt does not move",
			prompt.Input{Agent: prompt.Agent{Instructions: "You are Bosun.", ReplaceSystem: true}, History: turn2, Question: user(3, "U3")}, "S U2 A2 U3",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.in.Model = native
			if got := codes(build(t, tc.in).Messages); got != tc.want {
				t.Errorf("order is %s\n    want %s", got, tc.want)
			}
		})
	}
}

func TestLongMixedConversation(t *testing.T) {
	t.Parallel()
	history := join(
		one(message.Message{Turn: 1, Role: message.User, Author: "Ada", Text: "What is in the plan?", Files: []message.File{text("plan.md", "Ship on Friday.")}}),
		one(answer(1, "Shipping on Friday.")),
		one(message.Message{Turn: 2, Role: message.User, Author: "Bo: admin", Text: "How do we replicate?", Files: []message.File{
			{Name: "shot.png", Media: "image/png", Image: []byte{1}, Tokens: 50}, {Name: "big.pdf", Failed: "it has more than 40,000 tokens."},
		}}),
		called(2, "c1", "many documents"), called(2, "c2", "more documents"), one(answer(2, "With slots [7].")),
		one(message.Message{Turn: 3, Role: message.User, Author: "Ada", Text: "Stop!"}), // stopped before anything was written
	)
	charter := text("charter.md", "We sail.")
	charter.Metadata, charter.Document.UpdatedAt = map[string]string{"status": "final"}, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	in := prompt.Input{
		Agent: prompt.Agent{Instructions: "You are Bosun.", Reminder: "Be brief.", Grounding: prompt.Strict}, History: history,
		Now: time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC), Tools: []tool.Tool{lookup{}}, Citable: true,
		Project:  []prompt.ProjectFile{{Number: 3, File: charter}},
		Question: message.Message{Turn: 4, Role: message.User, Author: "Bo", Text: "And how do we monitor it?", Files: []message.File{text("err.log", "lag 5s"), {Name: "empty.txt"}}},
		Steps: join(one(message.Message{Role: message.ToolCall, Text: "Let me look.", Calls: []message.Call{{ID: "c9", Name: "internal_search", Arguments: json.RawMessage(`{"queries":["monitor replication"]}`)}}},
			message.Message{Role: message.ToolResult, CallID: "c9", Text: `{"documents":[]}`})),
		Model: llm.Info{Name: "blind", Window: 100_000, NativeTools: true},
	}
	for name, model := range map[string]llm.Info{"native": in.Model, "text": {Name: "plain", Window: 100_000, Vision: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := in
			in.Model = model
			p := build(t, in)
			var b strings.Builder
			for _, m := range p.Messages {
				fmt.Fprintf(&b, "=== %s", m.Role)
				for _, c := range m.ToolCalls {
					fmt.Fprintf(&b, " call %s %s %s", c.ID, c.Name, c.Arguments)
				}
				if m.ToolCallID != "" {
					fmt.Fprintf(&b, " answers %s", m.ToolCallID)
				}
				if len(m.Images) > 0 {
					fmt.Fprintf(&b, " with %d images", len(m.Images))
				}
				fmt.Fprintf(&b, "\n%s\n", m.Text)
			}
			fmt.Fprintf(&b, "=== tools: %d, notices: %q\n", len(p.Tools), p.Notices)
			golden(t, "mixed_"+name+".txt", b.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestSystemPromptParts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	for _, tc := range []struct {
		name     string
		in       prompt.Input
		has, not []string
	}{
		{"no date", prompt.Input{Now: now}, nil, []string{"Monday", "# Tools", "# Citations", "{{"}},
		{"the tools of the turn", prompt.Input{Tools: []tool.Tool{lookup{}}}, []string{"# Tools", "## internal_search", "Search first.", "# Citations"}, []string{"<tool_call>", "open_url"}},
		{"the same tools in the last step", prompt.Input{Last: true, Tools: []tool.Tool{lookup{}}}, []string{"## internal_search"}, []string{"No tool can be called any more"}},
		{"citations of a turn without tools", prompt.Input{Citable: true}, []string{"# Citations"}, nil},
		{"a stored prompt", prompt.Input{System: "Be a pirate on {{now}}. {{tools}} Arr.", Now: now, Tools: []tool.Tool{lookup{}}, Citable: true}, []string{"Be a pirate on Monday, 2 March 2026. # Tools", "Arr.", "# Citations"}, []string{"careful assistant"}},
		{"an agent's own system prompt", prompt.Input{Agent: prompt.Agent{Instructions: "Only I.", ReplaceSystem: true}, System: "stored", Now: now, Citable: true}, []string{"Only I.", "# Citations"}, []string{"stored", "Monday"}},
		{"strict grounding", prompt.Input{Agent: prompt.Agent{Grounding: prompt.Strict}}, []string{"# Grounding"}, nil},
		{"tools of a model without an interface for them", prompt.Input{Tools: []tool.Tool{lookup{}}, Model: llm.Info{Window: 50_000}}, []string{"<tool_call>", `{"type":"object"}`}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.in.Model.Window == 0 {
				tc.in.Model = native
			}
			tc.in.Question = user(1, "U1")
			s := build(t, tc.in).Messages[0].Text
			for _, part := range tc.has {
				if !strings.Contains(s, part) {
					t.Errorf("%q is missing in:\n%s", part, s)
				}
			}
			for _, part := range tc.not {
				if strings.Contains(s, part) {
					t.Errorf("%q stands in:\n%s", part, s)
				}
			}
		})
	}
}

func TestProjectThatDoesNotFitIsSignalled(t *testing.T) {
	t.Parallel()
	p := build(t, prompt.Input{
		Model: llm.Info{Window: 2000, NativeTools: true}, Question: user(1, "U1"),
		Project: []prompt.ProjectFile{{Number: 1, File: text("big.md", strings.Repeat("word ", 3000))}},
	})
	if !p.ProjectOverflow || codes(p.Messages) != "S U1" {
		t.Errorf("overflow %v, prompt %s", p.ProjectOverflow, codes(p.Messages))
	}
}

func TestCallsAndResultsStayTogether(t *testing.T) {
	t.Parallel()
	lost := called(1, "c1", "r")[:1] // the worker died before the result was stored
	p := build(t, prompt.Input{
		Model: native, Question: user(3, "U3"), History: join(one(user(1, "U1")), lost, one(answer(1, "A1"), user(2, "U2")), called(2, "c1", "r"), called(2, "gone", "r")[1:], one(answer(2, "A2"))),
	})
	if got := codes(p.Messages); got != "S U1 TC TR A1 U2 TC TR A2 U3" {
		t.Errorf("order is %s", got)
	}
}

// However long anything is, what is sent fits the window, in the order of the design, with
// everything that is never left out.
func TestPromptFitsAnyWindow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := func(name string, most int) string {
			return strings.TrimSpace(strings.Repeat("word ", rapid.IntRange(1, most).Draw(t, name)))
		}
		in := prompt.Input{
			Model:    llm.Info{Window: rapid.IntRange(1000, 20_000).Draw(t, "window"), NativeTools: rapid.Bool().Draw(t, "native")},
			Agent:    prompt.Agent{Instructions: "You are Bosun. " + words("agent", 2000), Reminder: "Remember. " + words("reminder", 200)},
			System:   words("system", 3000) + " {{tools}}",
			Question: user(9, words("question", 30_000), text("f.txt", words("file", 5000))),
			Citable:  rapid.Bool().Draw(t, "citable"), Now: time.Unix(0, 0),
		}
		if rapid.Bool().Draw(t, "tools") {
			in.Tools = []tool.Tool{lookup{}}
		}
		for turn := range rapid.IntRange(0, 6).Draw(t, "turns") {
			in.History = append(in.History, user(turn+1, words("earlier question", 2000), text("h.txt", words("earlier file", 2000))))
			in.History = append(in.History, called(turn+1, "c", words("earlier result", 100))...)
			in.History = append(in.History, answer(turn+1, words("earlier answer", 2000)))
		}
		for i := range rapid.IntRange(0, 4).Draw(t, "steps") {
			in.Steps = append(in.Steps, called(9, fmt.Sprint("s", i), words("result", 8000))...)
		}
		if rapid.Bool().Draw(t, "project") {
			in.Project = []prompt.ProjectFile{{Number: 1, File: text("p.md", words("project", 20_000))}}
		}
		in.Model.Reply = rapid.IntRange(0, in.Model.Window).Draw(t, "reply")
		counter := budgettest.NewWords()
		p, err := prompt.NewBuilder(counter).Build(in)
		if err != nil {
			t.Fatal(err)
		}
		// 3 tokens for each message and each tool, and 5, as budget.Fitter counts.
		total := 5 + 3*(len(p.Messages)+len(p.Tools))
		for _, m := range p.Messages {
			total += counter.Count(m.Text)
			for _, c := range m.ToolCalls {
				total += counter.Count(" " + c.Arguments)
			}
		}
		for _, s := range p.Tools {
			total += counter.Count(s.Name + s.Description + string(s.Parameters))
		}
		if total+min(in.Model.Reply, in.Model.Window/2) > in.Model.Window {
			t.Errorf("%d tokens and a reply of %d in a window of %d", total, in.Model.Reply, in.Model.Window)
		}
		open := 0
		for i, m := range p.Messages {
			if i > 0 && m.Role == llm.System {
				t.Error("a second system message")
			}
			if m.Role != llm.Tool && open != 0 {
				t.Errorf("message %d comes before the result of the call above it", i)
			}
			open += len(m.ToolCalls)
			if m.Role == llm.Tool {
				open--
			}
		}
		if p.Messages[0].Role != llm.System || p.Messages[len(p.Messages)-1].Role == llm.Assistant {
			t.Errorf("the prompt begins with %s and ends with %s", p.Messages[0].Role, p.Messages[len(p.Messages)-1].Role)
		}
	})
}

func TestAnswerSaysThatAFileWasCut(t *testing.T) {
	t.Parallel()
	cut := text("long.txt", "")
	cut.Cut("The beginning")
	in := prompt.Input{Model: native, Question: user(1, "What is in them?", text("short.txt", "A word."), cut)}
	built, err := prompt.NewBuilder(budgettest.NewWords()).Build(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(built.Notices) != 1 || !strings.Contains(built.Notices[0], `Only the beginning of the file "long.txt" was read`) {
		t.Errorf("notices %q", built.Notices)
	}
	if !slices.ContainsFunc(built.Messages, func(m llm.Message) bool {
		return strings.Contains(m.Text, "The beginning\n\n[Only the beginning of this file was read.]")
	}) {
		t.Error("the model does not read that the file was cut")
	}
}

func TestThePersonIsToldOfAFileThatDoesNotFit(t *testing.T) {
	t.Parallel()
	small := native
	small.Window = 2_000
	in := prompt.Input{Model: small, Question: user(1, "What is in them?", text("short.txt", "A word."), text("long.txt", strings.Repeat("word ", 5_000)))}
	built, err := prompt.NewBuilder(budgettest.NewWords()).Build(in)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`The file "long.txt" is too long for the model to read at once, so this answer may rest on parts of it.`}
	if diff := cmp.Diff(want, built.Notices); diff != "" {
		t.Error(diff)
	}
	in.Model = native
	if built, err = prompt.NewBuilder(budgettest.NewWords()).Build(in); err != nil || len(built.Notices) != 0 {
		t.Errorf("where all fits: notices %q, error %v", built.Notices, err)
	}
}

// The beginning of an answer is told to be one.
func TestStoppedAnswersAreMarked(t *testing.T) {
	t.Parallel()
	half := answer(1, "First you")
	half.Stopped = true
	p := build(t, prompt.Input{Model: native, Question: user(3, "go on"), History: join(one(user(1, "How?"), half), one(user(2, "And?"), answer(2, "So.")))})
	var marked []string
	for _, m := range p.Messages {
		if strings.Contains(m.Text, "stopped this answer") {
			marked = append(marked, m.Text)
		}
	}
	if len(marked) != 1 || !strings.HasPrefix(marked[0], "First you\n\n[A person stopped") {
		t.Errorf("marked: %q", marked)
	}
}
