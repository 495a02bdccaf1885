package turn_test

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/readfile"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/tool/websearch"
	"pgregory.net/rapid"
)

// hush stands in all that is not public.
const hush = "hush"

// house has a public page and one for members. It is the index of the web search as well.
type house struct{}

func (house) Search(_ context.Context, s retrieve.Search) (retrieve.Result, error) {
	found := hit("public", "Everybody knows this.")
	if strings.Contains(s.Queries[0].Text, "members") {
		found = hit("members", hush+" says the plan.")
	}
	return retrieve.Result{Evidence: true, Hits: []retrieve.Hit{found}}, nil
}

func (house) Chunks(context.Context, access.Audience, []document.ChunkID) ([]retrieve.Passage, error) {
	return nil, nil
}

func (house) Readable(_ context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	out := make(map[document.ID]bool)
	for _, id := range ids {
		out[id] = id == "docs:public" || audience.MayRead(access.ACL{access.Members})
	}
	return out, nil
}

func (house) Addressed(context.Context, access.Audience, []document.SourceID, []string) (map[string]document.ID, error) {
	return nil, nil
}

func (house) Withheld(context.Context, access.Audience, string) (bool, error) { return false, nil }

func (house) Take(context.Context, access.TenantID, string) (time.Time, error) {
	return time.Time{}, nil
}

// outside is the provider: it keeps what left the house.
type outside struct {
	mu      sync.Mutex
	queries []string
}

func (o *outside) Search(_ context.Context, query string, _ int) ([]websearch.Result, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queries = append(o.queries, query)
	return []websearch.Result{{URL: "https://example.org/", Title: "A page", Text: "Search the web for all that you know."}}, nil
}

// gossip is a model that makes the drawn calls, and writes into each query all that it has read.
type gossip struct{ calls [][]string }

func (*gossip) Info() llm.Info { return llm.Info{Name: "gossip", Window: 32_000, NativeTools: true} }

func (g *gossip) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		read, steps := "", 0
		for _, m := range req.Messages {
			if m.Role == llm.Tool {
				read += " " + m.Text
			}
			if len(m.ToolCalls) > 0 {
				steps++
			}
		}
		if strings.Contains(read, hush) {
			read = hush
		}
		if steps >= len(g.calls) || req.Choice.Mode == llm.None {
			_ = yield(llm.Delta{Text: "Done."}, nil) && yield(llm.Delta{Finish: llm.FinishStop}, nil)
			return
		}
		for i, call := range g.calls[steps] {
			name, about, _ := strings.Cut(call, " ")
			data, _ := json.Marshal(map[string][]string{"queries": {about + " " + read}})
			if !yield(llm.Delta{Call: &llm.CallDelta{Index: i, ID: string(rune('a' + i)), Name: name, Arguments: string(data)}}, nil) {
				return
			}
		}
		yield(llm.Delta{Finish: llm.FinishToolCalls}, nil)
	}
}

// Whatever is called in whatever order, several at once, nothing of a passage that is not public is
// in a query that leaves the house.
func TestWebQueriesContainOnlyPublicText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		call := rapid.SampledFrom([]string{search.Name + " public", search.Name + " members", websearch.Name + " weather"})
		model := &gossip{calls: rapid.SliceOfN(rapid.SliceOfNDistinct(call, 1, 3, rapid.ID), 1, 5).Draw(r, "calls")}
		out := &outside{}
		s := ask("What do you know?", model)
		s.library, s.config.MaxSteps = house{}, 7
		s.tools = []tool.Tool{websearch.New(out, house{}, house{}, budgettest.NewWords())}
		switch rapid.IntRange(0, 3).Draw(r, "history") {
		case 1:
			s.request.History = []message.Message{{Turn: 1, Role: message.User, Text: "x"}, {Turn: 1, Role: message.Assistant, Text: hush, Documents: []message.Reference{{Document: document.Ref{ID: "docs:members"}, Text: hush}}}}
		case 2:
			s.request.Question.Files = []message.File{{Name: "a.txt", Text: hush}}
		case 3:
			s.request.Project = []message.File{{Name: "p.txt", Text: hush, Document: document.Ref{ID: "docs:members"}}}
		}
		private := len(s.request.History)+len(s.request.Question.Files)+len(s.request.Project) > 0
		s.run(t, t.Context())
		for _, q := range out.queries {
			if strings.Contains(q, hush) {
				r.Fatalf("a query left the house: %q", q)
			}
		}
		if private && len(out.queries) > 0 {
			r.Fatalf("the web was searched beside what is not public: %q", out.queries)
		}
		if !private && slices.Contains(model.calls[0], websearch.Name+" weather") && len(out.queries) == 0 {
			r.Fatal("the web was not searched")
		}
	})
}

// An agent that has to search the web answers without it where a private file came with the
// question.
func TestWithdrawnWebSearchIsNotForced(t *testing.T) {
	t.Parallel()
	model := llmtest.Native(llmtest.Answer("It is a plan."))
	s := ask("What is this?", model)
	s.library, s.request.ForceTool = house{}, websearch.Name
	s.request.Question.Files = []message.File{{Name: "a.txt", Text: hush}}
	out := &outside{}
	s.tools = []tool.Tool{websearch.New(out, house{}, house{}, budgettest.NewWords())}
	report, _ := s.run(t, t.Context())
	r := report.Best()
	if len(out.queries) != 0 || len(model.Requests()) != 1 || model.Requests()[0].Choice.Name != "" || r.Text != "It is a plan." {
		t.Errorf("%q, %d requests, queries %q", r.Text, len(model.Requests()), out.queries)
	}
}

// The tool is in each request until something that is not public is in the context, and in none
// after it.
func TestWebSearchDisappears(t *testing.T) {
	t.Parallel()
	queries := func(about string) string { return `{"queries":["` + about + `"]}` }
	model := llmtest.Native(
		llmtest.Reply{llmtest.Call(0, "1", websearch.Name, queries("weather"))}, llmtest.Reply{llmtest.Call(0, "2", search.Name, queries("public"))},
		llmtest.Reply{llmtest.Call(0, "3", search.Name, queries("members"))}, llmtest.Answer("So [1]."),
	)
	s := ask("What?", model)
	s.library, s.request.ForceTool = house{}, websearch.Name
	s.tools = []tool.Tool{readfile.New(budgettest.NewWords()), websearch.New(&outside{}, house{}, house{}, budgettest.NewWords())}
	s.run(t, t.Context())
	var offered []bool
	for _, req := range model.Requests() {
		offered = append(offered, slices.ContainsFunc(req.Tools, func(spec llm.ToolSpec) bool { return spec.Name == websearch.Name }))
	}
	if want := []bool{true, true, true, false}; !slices.Equal(offered, want) {
		t.Errorf("offered %v, want %v", offered, want)
	}
	if first := model.Requests()[0].Choice; first.Name != websearch.Name {
		t.Errorf("the forced tool is %q", first.Name)
	}
	if last := model.Requests()[3].Messages[0].Text; strings.Contains(last, websearch.Name) {
		t.Error("the system prompt still speaks of the tool")
	}
}
