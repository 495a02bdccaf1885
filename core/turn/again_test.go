package turn_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/session"
)

// An endpoint that ignores that no tool may be called is asked once more, without tools. The call
// is not run.
func TestLastStepRunsNoCall(t *testing.T) {
	t.Parallel()
	for name, native := range map[string]bool{"with a tool interface": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			called := searching("1")
			if !native {
				called = llmtest.Answer(`<tool_call>{"name":"internal_search","arguments":` + call + `}</tool_call>`)
			}
			model := llmtest.New(llm.Info{NativeTools: native}, called, called, llmtest.Answer("So [1]."))
			s := ask("How?", model)
			s.config.MaxSteps = 2
			report, _ := s.run(t, t.Context())
			if a := report.Best(); a.Ending.Outcome != session.Answered || a.Shown != "So [[1]](https://docs.example/replication#top)." {
				t.Errorf("ending %+v, shown %q", a.Ending, a.Shown)
			}
			requests := model.Requests()
			if len(s.index.searches) != 1 || len(requests) != 3 || requests[1].Choice.Mode != llm.None {
				t.Fatalf("%d searches, %d requests", len(s.index.searches), len(requests))
			}
			if native && (len(requests[1].Tools) != 1 || len(requests[2].Tools) != 0) {
				t.Errorf("the last step offers %d tools, and once more %d", len(requests[1].Tools), len(requests[2].Tools))
			}
		})
	}
}

// A model that never stops searching is asked once without tools. If it calls even then, the turn
// fails with a sentence.
func TestEndlessSearchingEndsAtMaxSteps(t *testing.T) {
	t.Parallel()
	var replies []llmtest.Reply
	for n := range 9 {
		replies = append(replies, searching(strconv.Itoa(n)))
	}
	model := llmtest.Native(replies...)
	s := ask("How?", model)
	report, packets := s.run(t, t.Context())
	if a := report.Best(); a.Ending.Outcome != session.Failed || !a.Ending.Retryable || a.Ending.Sentence == "" || shown(packets, 0) != "" {
		t.Errorf("ending %+v, shown %q", a.Ending, shown(packets, 0))
	}
	if requests := model.Requests(); len(s.index.searches) != 5 || len(requests) != 7 || len(requests[6].Tools) != 0 {
		t.Errorf("%d searches, %d requests", len(s.index.searches), len(requests))
	}
}

// last is the last message of a request.
func last(r llm.Request) string { return r.Messages[len(r.Messages)-1].Text }

func TestEmptyReplyIsRetriedOnce(t *testing.T) {
	t.Parallel()
	for name, empty := range map[string]llmtest.Reply{
		"nothing": {}, "white space": llmtest.Answer("\n"), "thoughts that never end": {llmtest.Reasoning("hm")},
	} {
		for _, steps := range []int{1, 6} { // also where the step is the last one
			model := llmtest.Native(empty, llmtest.Answer("Hello."))
			s := ask("Hi", model)
			s.config.MaxSteps = steps
			report, _ := s.run(t, t.Context())
			if a := report.Best(); a.Ending.Outcome != session.Answered || a.Shown != "Hello." {
				t.Errorf("%s: ending %+v, shown %q", name, a.Ending, a.Shown)
			}
			requests := model.Requests()
			if len(requests) != 2 || !strings.Contains(last(requests[1]), "empty") {
				t.Errorf("%s: %d requests, the last ends with %q", name, len(requests), last(requests[len(requests)-1]))
			}
		}
	}
}

func TestCutAnswerIsContinuedOnce(t *testing.T) {
	t.Parallel()
	cut := func(text string) llmtest.Reply {
		return llmtest.Reply{llmtest.Text(text), llmtest.Finish(llm.FinishLength)}
	}
	const first = "It is so [1] and"
	const shownFirst = "It is so [[1]](https://docs.example/replication#top) and"
	for _, tc := range []struct {
		name  string
		reply llmtest.Reply
		shown string
		cut   bool // the person reads that the answer was cut
	}{
		{"whole", llmtest.Answer(" not other [2", "]."), shownFirst + " not other [[2]](https://docs.example/backup#top).", false},
		{"cut again", cut(" not other"), shownFirst + " not other", true},
		{"refused", llmtest.Reply{llmtest.Fail(llm.ErrBadRequest)}, shownFirst, true},
		{"empty", llmtest.Reply{}, shownFirst, true},
		{"broken", llmtest.Reply{llmtest.Text(" not"), llmtest.Cut()}, shownFirst + " not", true},
		{"a call", searching("2"), shownFirst, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			model := llmtest.Native(searching("1"), cut(first), tc.reply)
			s := ask("How?", model)
			report, packets := s.run(t, t.Context())
			a := report.Best()
			if a.Ending.Outcome != session.Answered || a.Shown != tc.shown || shown(packets, 0) != tc.shown {
				t.Errorf("ending %+v, shown %q, want %q", a.Ending, shown(packets, 0), tc.shown)
			}
			said := slices.ContainsFunc(a.Notices, func(n string) bool { return strings.Contains(n, "cut off") })
			if said != tc.cut || len(s.index.searches) != 1 {
				t.Errorf("notices %q after %d searches", a.Notices, len(s.index.searches))
			}
			requests := model.Requests()
			if len(requests) != 3 {
				t.Fatalf("%d requests", len(requests))
			}
			messages := requests[2].Messages // the partial answer is a message of its own, and not the last
			if partial := messages[len(messages)-2]; partial.Role != llm.Assistant || partial.Text != first || !strings.Contains(last(requests[2]), "Continue exactly") {
				t.Errorf("the request ends with %+v", messages[len(messages)-2:])
			}
		})
	}
}

func TestTooLongPromptIsRetriedWithHalfThePassages(t *testing.T) {
	t.Parallel()
	long := llmtest.Reply{llmtest.Fail(fmt.Errorf("%w: 400", llm.ErrContextTooLong))}
	model := llmtest.Native(searching("1"), long, searching("2"), llmtest.Answer("So [1]."))
	s := ask("How?", model)
	report, _ := s.run(t, t.Context())
	if a := report.Best(); a.Ending.Outcome != session.Answered || a.Shown != "So [[1]](https://docs.example/replication#top)." {
		t.Errorf("ending %+v (%v), shown %q", a.Ending, a.Cause, a.Shown)
	}
	passages := func(r llm.Request) (n int) {
		for _, m := range r.Messages {
			if m.Role == llm.Tool {
				n += strings.Count(m.Text, `{"document":`)
			}
		}
		return n
	}
	if requests := model.Requests(); passages(requests[1]) != 2 || passages(requests[2]) != 1 {
		t.Errorf("%d passages, and then %d", passages(requests[1]), passages(requests[2]))
	}
	// Twice is enough, and a prompt without passages cannot be halved.
	for _, replies := range [][]llmtest.Reply{{searching("1"), long, long}, {long}} {
		model := llmtest.Native(replies...)
		report, _ := ask("How?", model).run(t, t.Context())
		if e := report.Best().Ending; e.Outcome != session.Failed || !strings.Contains(string(e.Sentence), "too long") || len(model.Requests()) != len(replies) {
			t.Errorf("ending %+v after %d requests", e, len(model.Requests()))
		}
	}
}

func TestStrictAgentAsksForMissingNumbersOnce(t *testing.T) {
	t.Parallel()
	const uncited = "Create a replication slot."
	for _, tc := range []struct {
		name    string
		reply   llmtest.Reply
		shown   string
		outcome session.Outcome
	}{
		{"given", llmtest.Answer("Create a replication slot [1]."), "Create a replication slot [[1]](https://docs.example/replication#top).", session.Answered},
		{"not given", llmtest.Answer(uncited), "", session.NoEvidence},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			model := llmtest.Native(searching("1"), llmtest.Answer(uncited), tc.reply)
			s := ask("How?", model)
			s.request.Agent.Grounding = prompt.Strict
			report, packets := s.run(t, t.Context())
			if a := report.Best(); a.Ending.Outcome != tc.outcome || a.Shown != tc.shown || shown(packets, 0) != tc.shown {
				t.Errorf("ending %+v, shown %q", a.Ending, a.Shown)
			}
			again := model.Requests()[2]
			if messages := again.Messages; again.Choice.Mode != llm.None || messages[len(messages)-2].Text != uncited || !strings.Contains(last(again), "names no document") {
				t.Errorf("the request ends with %+v", messages[len(messages)-2:])
			}
		})
	}
	// An answer that says that nothing was found needs no number.
	model := llmtest.Native(searching("1"), llmtest.Answer("The documents do not say how."))
	s := ask("How?", model)
	s.request.Agent.Grounding = prompt.Strict
	if report, _ := s.run(t, t.Context()); report.Outcome() != session.NoEvidence || len(model.Requests()) != 2 {
		t.Errorf("%s after %d requests", report.Outcome(), len(model.Requests()))
	}
}

// A small model is asked once, after a search with the question itself, with five passages and
// without tools.
func TestSmallModel(t *testing.T) {
	t.Parallel()
	model := llmtest.New(llm.Info{NativeTools: true, Small: true}, llmtest.Answer("So [5]."))
	s := ask("How do I replicate?", model)
	s.index.hits = nil
	for _, name := range []string{"a", "bb", "ccc", "dddd", "eeeee", "ffffff", "ggggggg"} {
		s.index.hits = append(s.index.hits, hit(name, "Text of "+name+"."))
	}
	report, _ := s.run(t, t.Context())
	if a := report.Best(); a.Ending.Outcome != session.Answered || a.Shown != "So [[1]](https://docs.example/eeeee#top)." || len(a.References) != 5 {
		t.Errorf("ending %+v, shown %q, %d references", a.Ending, a.Shown, len(a.References))
	}
	requests := model.Requests()
	if len(requests) != 1 || len(requests[0].Tools) != 0 || requests[0].Choice.Mode != llm.None || strings.Contains(requests[0].Messages[0].Text, "# Tools") {
		t.Fatalf("%d requests: %+v", len(requests), requests)
	}
	if q := s.index.searches[0].Queries; q[0].Text != "How do I replicate?" || len(s.index.searches) != 1 {
		t.Errorf("searched for %+v", q)
	}
	thanked := llmtest.New(llm.Info{Small: true}, llmtest.Answer("You are welcome."))
	s = ask("Thanks!", thanked)
	s.request.SmallTalk = true
	if s.run(t, t.Context()); len(s.index.searches) != 0 {
		t.Error("searched for a thank-you")
	}
}
