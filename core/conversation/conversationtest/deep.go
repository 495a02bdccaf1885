package conversationtest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
)

var handbook = document.Ref{ID: "docs:handbook", Kind: "file", Title: "Handbook", URL: "https://docs.example/handbook"}

type pages struct{}

// Search implements [retrieve.Retriever].
func (pages) Search(context.Context, retrieve.Search) (retrieve.Result, error) {
	return retrieve.Result{Evidence: true, Hits: []retrieve.Hit{{
		Document: handbook, Chunk: 4711, Link: handbook.URL, Text: "The office is in Dublin. Ann leads it.", Scores: retrieve.Scores{Score: 0.5},
	}}}, nil
}

func deep(t testing.TB, plain deepsearch.Engine, kept *plans) answer.Engine {
	t.Helper()
	words := budgettest.NewWords()
	tools, err := tool.NewSet(search.New(pages{}, nil, words, search.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	runner, err := deepsearch.New(deepsearch.Deps{Plain: plain, Tools: tools, Counter: words, Journal: kept}, deepsearch.Config{Parallel: 1, Policy: llm.Policy{Attempts: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return cautious{runner}
}

// researched returns scripted replies of a model that plans two sub-questions and answers the
// first. The replies in then follow.
func researched(then ...llmtest.Reply) []llmtest.Reply {
	look := llmtest.Reply{llmtest.Call(0, "look", search.Name, `{"queries":["office"]}`)}
	return append([]llmtest.Reply{
		{llmtest.Call(0, "plan", "plan_search", `{"sub_questions":["Where is the office?","Who leads the office?"]}`)},
		look, llmtest.Answer("The office is in Dublin [1]."), look,
	}, then...)
}

const whereAndWho = "deep: where is the office, and who leads it?"

func deepSearches() []scenario {
	return []scenario{
		{"a deep search shows its plan, and its report as a message after it", func(t *testing.T, begin func(Setting) Stage) {
			hold := make(chan struct{})
			s := begin(Setting{Replies: researched(
				llmtest.Reply{llmtest.Wait(hold), llmtest.Text("Ann leads it [1].")},
				llmtest.Reply{llmtest.Call(0, "judge", "judge_findings", `{"answer":"","enough":true,"sub_questions":[]}`)},
				llmtest.Answer("It is the Dublin office [1], which Ann leads [1]."),
			)})
			question := s.Mention(Ann, Place{}, whereAndWho)
			at := inThread(question)
			s.Until("a row has its finding while the other one is searched for", func() bool {
				shown := s.Shown(at)
				return len(shown) == 1 && strings.Contains(shown[0].Text, "Who leads the office?") && strings.Contains(shown[0].Text, "The office is in Dublin") && strings.Contains(shown[0].Text, "1 of 2")
			})
			close(hold)
			settled(s, question)
			shown := s.Shown(at)
			if len(shown) != 2 || !strings.Contains(shown[0].Text, "Ann leads it") || !strings.Contains(shown[0].Text, "2 of 2") || !strings.HasPrefix(shown[1].Text, "It is the Dublin office") {
				t.Errorf("the thread shows %+v", shown)
			}
			checkModelCalls(t, s, 7)
		}},
		{"a deep search that is stopped shows what was found", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: researched(llmtest.Reply{llmtest.Hang()})})
			question := s.Mention(Ann, Place{}, whereAndWho)
			at := inThread(question)
			s.Until("a row has its finding, and the model is asked for the other", func() bool {
				shown := s.Shown(at)
				return len(shown) == 1 && strings.Contains(shown[0].Text, "The office is in Dublin") && len(s.Model().Requests()) == 5
			})
			s.Say(Ann, at, "stop")
			settled(s, question)
			shown := s.Shown(at)
			if len(shown) != 2 || !strings.Contains(shown[1].Text, "The office is in Dublin") || !strings.Contains(shown[1].Text, "Stopped") || s.Model().Open() != 0 {
				t.Errorf("the thread shows %+v", shown)
			}
			checkModelCalls(t, s, 5)
		}},
		{"a deep search whose question is edited is done with", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: append(researched(llmtest.Reply{llmtest.Hang()}), answers("It is in Dublin.")...)})
			question := s.Mention(Ann, Place{}, whereAndWho)
			at := inThread(question)
			s.Until("a row has its finding, and the model is asked for the other", func() bool {
				shown := s.Shown(at)
				return len(shown) == 1 && strings.Contains(shown[0].Text, "The office is in Dublin") && len(s.Model().Requests()) == 5
			})
			s.Edit(Ann, question, "Where is the office?")
			s.Until("the answer stands where the plan stood", func() bool {
				shown := s.Shown(at)
				return len(shown) == 1 && shown[0].Done && strings.HasPrefix(shown[0].Text, "It is in Dublin.")
			})
			if s.Model().Open() != 0 {
				t.Error("the model still writes")
			}
			checkModelCalls(t, s, 6)
		}},
		{"a deep search whose question is deleted ends", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: researched(llmtest.Reply{llmtest.Hang()})})
			question := s.Mention(Ann, Place{}, whereAndWho)
			at := inThread(question)
			s.Until("a row has its finding, and the model is asked for the other", func() bool {
				shown := s.Shown(at)
				return len(shown) == 1 && strings.Contains(shown[0].Text, "The office is in Dublin") && len(s.Model().Requests()) == 5
			})
			s.Delete(Ann, question)
			s.Until("the model is let go of", func() bool { return s.Model().Open() == 0 })
			s.Until("what was written is marked", func() bool {
				return slices.ContainsFunc(s.Shown(at), func(m Shown) bool { return strings.Contains(m.Text, "The question was deleted.") })
			})
			checkModelCalls(t, s, 5)
		}},
		{"a deep search is stopped by the button of its plan", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: researched(llmtest.Reply{llmtest.Hang()})})
			question := s.Mention(Ann, Place{}, whereAndWho)
			at := inThread(question)
			s.Until("a row has its finding", func() bool {
				shown := s.Shown(at)
				return len(shown) == 1 && strings.Contains(shown[0].Text, "The office is in Dublin")
			})
			s.Press(Ann, s.Shown(at)[0].ID, thread.ActionStop)
			settled(s, question)
			if shown := s.Shown(at); len(shown) != 2 || !strings.Contains(shown[1].Text, "Stopped") {
				t.Errorf("the thread shows %+v", shown)
			}
		}},
		{"what a plain answer leaves open is looked into", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: append(answers("The office is in Dublin."), researched(llmtest.Answer("Ann leads it [1]."),
				llmtest.Reply{llmtest.Call(0, "judge", "judge_findings", `{"answer":"","enough":true,"sub_questions":[]}`)},
				llmtest.Answer("It is the Dublin office [1], which Ann leads [1]."))...)})
			at := inThread(s.Mention(Ann, Place{}, "Where is the office, and who leads the team?"))
			shown := answered(s, at, 1)
			s.Press(Ann, shown[0].ID, thread.ActionDeeper)
			s.Until("the report stands there", func() bool {
				shown = s.Shown(at)
				return len(shown) == 2 && shown[1].Done && strings.HasPrefix(shown[1].Text, "It is the Dublin office")
			})
			if !strings.Contains(shown[0].Text, "2 of 2") {
				t.Errorf("the thread shows %+v", shown)
			}
		}},
		{"a deep search that waits to be started delays no question", func(t *testing.T, begin func(Setting) Stage) {
			waiting(t, begin, func(s Stage) (thread.MessageID, Place) {
				question := s.Mention(Ann, Place{}, askFirst)
				return question, inThread(question)
			})
		}},
		{"nor does one in a direct message", func(t *testing.T, begin func(Setting) Stage) {
			waiting(t, begin, func(s Stage) (thread.MessageID, Place) {
				return s.Say(Ann, Place{Direct: true}, askFirst), Place{Direct: true}
			})
		}},
		{"a deep search in a direct message", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: researched(llmtest.Answer("Ann leads it [1]."),
				llmtest.Reply{llmtest.Call(0, "judge", "judge_findings", `{"answer":"","enough":true,"sub_questions":[]}`)},
				llmtest.Answer("It is the Dublin office [1], which Ann leads [1]."))})
			question := s.Say(Ann, Place{Direct: true}, whereAndWho)
			settled(s, question)
			waitUntilReads(s, Ann, "It is the Dublin office")
		}},
	}
}

const askFirst = "deep: ask me first: where is the office, and who leads it?"

func waiting(t *testing.T, begin func(Setting) Stage, ask func(Stage) (thread.MessageID, Place)) {
	t.Helper()
	replies := researched(llmtest.Answer("Ann leads it [1]."), llmtest.Reply{llmtest.Call(0, "judge", "judge_findings", `{"answer":"","enough":true,"sub_questions":[]}`)},
		llmtest.Answer("It is the Dublin office [1], which Ann leads [1]."))
	s := begin(Setting{Replies: slices.Insert(replies, 1, llmtest.Answer("It opens at nine."))})
	search, at := ask(s)
	waitUntilReads(s, Ann, "Who leads the office?")
	other := s.Say(Ann, at, "When does the office open?")
	waitUntilReads(s, Ann, "It opens at nine.")
	s.Until("the other question is done with", func() bool { return s.Settled(other) })
	if s.Settled(search) {
		t.Error("the search has not waited")
	}
	s.Say(Ann, at, "start")
	settled(s, search)
	waitUntilReads(s, Ann, "It is the Dublin office")
	checkModelCalls(t, s, 8)
}
