package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/readfile"
	"github.com/footnotehq/footnote/core/turn"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSearchOnly(t *testing.T) {
	t.Parallel()
	model := llmtest.Native()
	s := ask("How do I replicate?", model)
	s.request.SearchOnly = true
	report, packets := s.run(t, t.Context())
	a := report.Best()
	if a.Ending.Outcome != session.Answered || a.Ending.Sentence != turn.SentenceListed || len(a.Ending.Closest) != 2 || len(a.References) != 2 || a.Text != "" || len(model.Requests()) != 0 {
		t.Errorf("answer %+v\n%s", a, show(packets))
	}
	s = ask("How do I replicate?", llmtest.Native())
	s.request.SearchOnly, s.index.evidence = true, false
	if report, _ := s.run(t, t.Context()); report.Outcome() != session.NoEvidence || len(report.Best().Ending.Closest) != 2 {
		t.Errorf("without evidence: %+v", report.Best().Ending)
	}
}

func TestToolIsForcedOnlyInFirstStep(t *testing.T) {
	t.Parallel()
	model := llmtest.Native(searching("1"), searching("2"), llmtest.Answer("So [1]."))
	s := ask("How?", model)
	s.tools = []tool.Tool{&probe{name: "other"}}
	s.request.ForceTool = "internal_search"
	s.config.MaxSteps = 3
	s.run(t, t.Context())
	var got []string
	for _, r := range model.Requests() {
		var names []string
		for _, spec := range r.Tools {
			names = append(names, spec.Name)
		}
		got = append(got, fmt.Sprint(r.Choice.Mode, r.Choice.Name, names))
	}
	want := []string{
		fmt.Sprint(llm.Required, "internal_search", []string{"internal_search", "other"}),
		fmt.Sprint(llm.Auto, "", []string{"internal_search", "other"}),
		fmt.Sprint(llm.None, "", []string{"internal_search", "other"}),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools of the steps (-want +got):\n%s", diff)
	}
	if last := model.Requests()[2].Messages; !strings.Contains(last[len(last)-1].Text, "No tool can be called any more") {
		t.Error("the last step does not read that no tool can be called")
	}
}

func TestForcedSearchRunsIfModelIgnoresIt(t *testing.T) {
	t.Parallel()
	for name, native := range map[string]bool{"with a tool interface": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ask("How do I replicate?", llmtest.New(llm.Info{NativeTools: native}, llmtest.Answer("Hm."), llmtest.Answer("So [1].")))
			s.request.ForceTool = "internal_search"
			_, packets := s.run(t, t.Context())
			if got := shown(packets, 0); got != "So [[1]](https://docs.example/replication#top)." {
				t.Errorf("shown %q", got)
			}
		})
	}
}

func TestProjectFilesAreCited(t *testing.T) {
	t.Parallel()
	model := llmtest.Native(llmtest.Answer("We sail on Friday [1]."))
	s := ask("When do we sail?", model)
	s.request.Project = []message.File{{ID: "f1", Name: "charter.md", Text: "We sail on Friday."}, {ID: "f2", Name: "x.bin", Failed: "it is not text."}}
	report, packets := s.run(t, t.Context())
	a := report.Best()
	if got := shown(packets, 0); got != "We sail on Friday [1]." || a.Ending.Grounding != packet.Cited || a.Citations[0].Document.Title != "charter.md" {
		t.Errorf("shown %q, ending %+v, citations %+v", got, a.Ending, a.Citations)
	}
	if diff := cmp.Diff([]string{`The file "x.bin" could not be included: it is not text.`}, a.Notices); diff != "" {
		t.Error(diff)
	}
	if len(a.References) != 1 || a.References[0].Chunk != nil {
		t.Errorf("a file that was read whole counts as a chunk: %+v", a.References)
	}
	stop := packets[len(packets)-1].Payload.(packet.Stop)
	if !cmp.Equal(stop.Notices, a.Notices) {
		t.Errorf("the stop carries %q", stop.Notices)
	}
}

func TestOversizedProjectIsSearched(t *testing.T) {
	t.Parallel()
	model := llmtest.Native(searching("1"), llmtest.Answer("So [2]."))
	s := ask("When?", model)
	s.request.Project = []message.File{{ID: "f1", Name: "big.md", Text: strings.Repeat("word ", 40_000)}}
	report, _ := s.run(t, t.Context())
	if a := report.Best(); a.Ending.Outcome != session.Answered || len(a.Notices) != 1 || len(a.References) != 2 {
		t.Errorf("notices %q, references %v", a.Notices, a.References)
	}
}

// What the model was not shown it cannot cite, whatever number it writes.
func TestOversizedProjectIsNotCited(t *testing.T) {
	t.Parallel()
	model := llmtest.Native(llmtest.Answer("So it is [1]."))
	s := ask("When?", model)
	s.request.Project = []message.File{{ID: "f1", Name: "big.md", Text: strings.Repeat("word ", 40_000)}}
	report, packets := s.run(t, t.Context())
	if a := report.Best(); shown(packets, 0) != "So it is [1]." || len(a.Citations) != 0 || a.Ending.Grounding == packet.Cited {
		t.Errorf("shown %q, ending %+v, citations %+v", shown(packets, 0), a.Ending, a.Citations)
	}
}

func TestProjectFileLinksToItsURL(t *testing.T) {
	t.Parallel()
	file := message.File{ID: "f1", Name: "charter.md", Text: "We sail on Friday.", Document: document.Ref{ID: "docs:charter", Title: "Charter", URL: "https://docs.example/charter"}}
	model := llmtest.Native(searching("1"), llmtest.Answer("On Friday [1]."))
	s := ask("When do we sail?", model)
	s.request.Project = []message.File{file}
	s.index.hits = append(s.index.hits, hit("charter", "We sail on Friday.")) // a section of it is found as well
	report, packets := s.run(t, t.Context())
	if got, want := shown(packets, 0), "On Friday [[1]](https://docs.example/charter)."; got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
	if c := report.Best().Citations; len(c) != 1 || c[0].Link != "https://docs.example/charter" || c[0].Document.ID != "docs:charter" {
		t.Errorf("citations %+v", c)
	}
}

// Where the project is in the index, the first search is forced and looks at nothing else; later
// ones look everywhere.
func TestOversizedProjectIsSearchedFirst(t *testing.T) {
	t.Parallel()
	model := llmtest.Native(searching("1"), searching("2"), llmtest.Answer("So [2]."))
	s := ask("When?", model)
	s.request.Agent.Sources = []document.SourceID{"elsewhere"}
	s.request.Project = []message.File{{ID: "f1", Name: "big.md", Text: strings.Repeat("word ", 40_000), Document: document.Ref{ID: "docs:big.md"}}}
	s.run(t, t.Context())
	if first := model.Requests()[0].Choice; first.Mode != llm.Required || first.Name != "internal_search" {
		t.Errorf("the first step's choice is %+v", first)
	}
	if second := model.Requests()[1].Choice; second.Mode != llm.Auto {
		t.Errorf("the second step's choice is %+v", second)
	}
	searches := s.index.searches
	if len(searches) != 2 || !cmp.Equal(searches[0].Documents, []document.ID{"docs:big.md"}) || searches[0].Sources != nil {
		t.Fatalf("searches %+v", searches)
	}
	if searches[1].Documents != nil || !cmp.Equal(searches[1].Sources, []document.SourceID{"elsewhere"}) {
		t.Errorf("the second search looks at %v of %v", searches[1].Documents, searches[1].Sources)
	}
}

func TestFilesCanBeReadAgain(t *testing.T) {
	t.Parallel()
	model := llmtest.Native(llmtest.Reply{llmtest.Call(0, "1", "read_file", `{"name":"a.log","start":4}`)}, llmtest.Answer("It says b."))
	s := ask("What does the log say?", model)
	s.tools = []tool.Tool{readfile.New(budgettest.NewWords())}
	s.request.History = []message.Message{{Turn: 1, Role: message.User, Text: "See.", Files: []message.File{{Name: "a.log", Text: "aaa bbb"}}}}
	report, packets := s.run(t, t.Context())
	if got := report.Best().Steps[1].Text; got != `{"file":"a.log","start":4,"end":7,"total":7,"text":"bbb"}` {
		t.Errorf("the tool returned %s\n%s", got, show(packets))
	}
	model = llmtest.Native(llmtest.Answer("Hi."))
	s = ask("Hello?", model)
	s.tools, s.request.ForceTool = []tool.Tool{readfile.New(budgettest.NewWords())}, "read_file"
	s.run(t, t.Context())
	if tools := model.Requests()[0].Tools; len(tools) != 1 || tools[0].Name != "internal_search" {
		t.Errorf("without files the tools are %v", tools)
	}
}

func TestParallelCallsAreMergedAndShareABlock(t *testing.T) {
	t.Parallel()
	model := llmtest.Native(llmtest.Reply{
		llmtest.Call(0, "a", "internal_search", `{"queries":["one"]}`), llmtest.Call(1, "b", "other", `{"x":"y"}`), llmtest.Call(2, "", "internal_search", `{"queries":["two"]}`),
	}, llmtest.Answer("So [1]."))
	s := ask("How?", model)
	s.tools = []tool.Tool{&probe{name: "other", run: func(_ context.Context, c tool.Call, _ *packet.Emitter) (tool.Result, error) {
		return tool.Result{Content: string(c.Arguments)}, nil
	}}}
	report, packets := s.run(t, t.Context())
	if first := packets[0]; first.Payload != (packet.Branching{Branches: 2}) || len(s.index.searches) != 1 {
		t.Errorf("%d searches\n%s", len(s.index.searches), show(packets))
	}
	steps := report.Best().Steps
	if len(steps) != 3 || len(steps[0].Calls) != 2 || steps[1].CallID != "a" || steps[2].CallID != "b" || steps[2].Text != `{"x":"y"}` {
		t.Errorf("steps = %+v", steps)
	}
	if got := string(steps[0].Calls[0].Arguments); !strings.Contains(got, "one") || !strings.Contains(got, "two") {
		t.Errorf("the merged call ran with %s", got)
	}
}

func TestModelWithoutToolInterface(t *testing.T) {
	t.Parallel()
	model := llmtest.New(llm.Info{Name: "plain"}, llmtest.Answer("Let me look.\n", "```json\n{\"name\": \"internal_search\", ", "\"arguments\": "+call+"}\n```"), llmtest.Answer("So [1]."))
	report, packets := ask("How?", model).run(t, t.Context())
	if got := shown(packets, 0); got != "So [[1]](https://docs.example/replication#top)." || report.Outcome() != session.Answered {
		t.Errorf("shown %q", got)
	}
	second := model.Requests()[1]
	if len(second.Tools) != 0 || !strings.Contains(second.Messages[3].Text, "<tool_call>") || !strings.HasPrefix(second.Messages[4].Text, "Result of the tool call") {
		t.Errorf("second prompt = %+v", second.Messages)
	}
}

func TestHugeQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	model := llmtest.Native(searching("1"), llmtest.Answer("So [1]."))
	s := ask(strings.Repeat("word ", 200_000), model)
	report, _ := s.run(t, t.Context())
	if report.Outcome() != session.Answered {
		t.Errorf("ending %+v, cause %v", report.Best().Ending, report.Best().Cause)
	}
	for _, r := range model.Requests() {
		total := 0
		for _, m := range r.Messages {
			total += len(strings.Fields(m.Text))
		}
		if total > model.Info().Window {
			t.Errorf("a prompt of %d words was sent to a window of %d", total, model.Info().Window)
		}
	}
}

func TestExtractiveModelWithoutQuotesIsNoEvidence(t *testing.T) {
	t.Parallel()
	model := llmtest.New(llm.Info{NativeTools: true, Extractive: true}, searching("1"), llmtest.Answer("Nothing fits."))
	report, packets := ask("How?", model).run(t, t.Context())
	if e := report.Best().Ending; e.Outcome != session.NoEvidence || len(e.Closest) != 2 || shown(packets, 0) != "Nothing fits." {
		t.Errorf("ending %+v, shown %q", e, shown(packets, 0))
	}
}

func TestResponseFormatReachesTheModel(t *testing.T) {
	t.Parallel()
	for _, native := range []bool{true, false} {
		model := llmtest.New(llm.Info{NativeTools: native}, llmtest.Answer(`{"queries":["looks like a call"]}`))
		s := ask("How?", model)
		s.request.ResponseFormat = json.RawMessage(`{"type":"object"}`)
		report, _ := s.run(t, t.Context())
		if got := model.Requests()[0].ResponseFormat; string(got) != `{"type":"object"}` || report.Best().Shown != `{"queries":["looks like a call"]}` {
			t.Errorf("native %v: format %s, shown %q", native, got, report.Best().Shown)
		}
	}
}

func TestMessagesBecomeNextHistory(t *testing.T) {
	t.Parallel()
	first := llmtest.Native(llmtest.Reply{llmtest.Text("I look."), llmtest.Call(0, "c", "internal_search", call)}, llmtest.Answer("Use slots [1]."))
	report, _ := ask("How do I set up streaming replication?", first).run(t, t.Context())
	history := append([]message.Message{{Turn: 1, Role: message.User, Text: "How do I set up streaming replication?"}}, report.Best().Messages(1, ask("x").request.Now)...)
	second := llmtest.Native(searching("c"), llmtest.Answer("Watch the lag [1]."))
	s := ask("and how do I monitor it?", second)
	s.request.History = history
	_, packets := s.run(t, t.Context())
	if got := s.index.searches[0].Queries[1].Text; got != "How do I set up streaming replication? and how do I monitor it?" {
		t.Errorf("the follow-up asks %q", got)
	}
	if got := shown(packets, 0); got != "Watch the lag [[1]](https://docs.example/replication#top)." {
		t.Errorf("shown %q", got)
	}
	var texts []string
	for _, m := range second.Requests()[0].Messages[1:] {
		texts = append(texts, string(m.Role)+": "+m.Text)
	}
	want := []string{
		"user: How do I set up streaming replication?", "assistant: ", "tool: " + prompt.RemovedResult() +
			"\nIt held:\n[1] REPLICATION, https://docs.example/replication#top\n[2] BACKUP, https://docs.example/backup#top",
		"assistant: Use slots [1].", "user: Date: Monday, 2 March 2026", "user: and how do I monitor it?",
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// library is documents with access lists, as an index would serve them.
type library []retrieve.Hit

func (l library) Search(_ context.Context, s retrieve.Search) (retrieve.Result, error) {
	var result retrieve.Result
	for _, h := range l {
		if s.Audience.MayRead(h.ACL) {
			result.Hits = append(result.Hits, h)
		}
	}
	result.Evidence = len(result.Hits) > 1
	return result, nil
}

func (l library) Chunks(_ context.Context, a access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error) {
	var out []retrieve.Passage
	for _, h := range l {
		for _, id := range ids {
			if h.Chunk == id && a.MayRead(h.ACL) {
				out = append(out, retrieve.Passage{Document: h.Document, ACL: h.ACL, ID: id, Chunk: document.Chunk{Text: h.Text}})
			}
		}
	}
	return out, nil
}

// No prompt ever holds what the present audience may not read, however often access changes from
// turn to turn.
func TestPromptExcludesUnreadableHistory(t *testing.T) {
	t.Parallel()
	principals := []access.Principal{access.Public, access.Members, access.Group("board")}
	rapid.Check(t, func(rt *rapid.T) {
		var docs library
		for i := range 5 {
			h := hit(fmt.Sprint("d", i), fmt.Sprintf("canary%d", i))
			h.Document.Title, h.Chunk = fmt.Sprintf("title%d", i), document.ChunkID(i+1)
			docs = append(docs, h)
		}
		var history []message.Message
		numbers, shown := make(map[int]cite.Passage), make(map[cite.Passage]int)
		for turn := 1; turn <= rapid.IntRange(1, 4).Draw(rt, "turns"); turn++ {
			for i := range docs { // access changes between turns
				docs[i].ACL = access.ACL{rapid.SampledFrom(principals).Draw(rt, "acl")}
			}
			audience := access.NewAudience(access.DefaultTenant, rapid.SampledFrom(principals).Draw(rt, "audience"))
			readable := make(map[document.ID]bool)
			for _, h := range docs {
				readable[h.Document.ID] = audience.MayRead(h.ACL)
			}
			said := fmt.Sprintf("Answer [%d]", rapid.IntRange(1, 12).Draw(rt, "cited"))
			for i, h := range docs { // the model repeats all that it was shown
				if readable[h.Document.ID] {
					said += fmt.Sprint(" canary", i)
				}
			}
			model := llmtest.Native(searching("c"), llmtest.Answer(said))
			s := ask("tell me more", model)
			s.library, s.request.Audience, s.request.Numbers = docs, audience, numbers
			s.request.Question.Turn = turn
			s.request.History = message.Readable(history, func(id document.ID) bool { return readable[id] })
			report, packets := s.run(t, t.Context())
			for _, r := range model.Requests() {
				for _, m := range r.Messages {
					for i, h := range docs {
						if !readable[h.Document.ID] && (strings.Contains(m.Text, fmt.Sprint("canary", i)) || strings.Contains(m.Text, fmt.Sprint("title", i))) {
							rt.Fatalf("turn %d: the prompt holds %s, which the audience may not read:\n%s", turn, h.Document.ID, m.Text)
						}
					}
				}
			}
			for _, p := range packets {
				line, _ := json.Marshal(p)
				for i, h := range docs {
					if !readable[h.Document.ID] && strings.Contains(string(line), fmt.Sprint("title", i)) {
						rt.Fatalf("turn %d: a packet names %s: %s", turn, h.Document.ID, line)
					}
				}
			}
			a := report.Best()
			for _, r := range a.References {
				p := cite.Passage{Document: r.Document.ID, Part: r.Part}
				if was, ok := shown[p]; ok && was != r.Number {
					rt.Fatalf("passage %v was %d and is %d now", p, was, r.Number)
				}
				numbers[r.Number], shown[p] = p, r.Number
			}
			history = append(history, message.Message{Turn: turn, Role: message.User, Text: "tell me more"})
			history = append(history, a.Messages(turn, s.request.Now)...)
		}
	})
}
