package turn_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/turn"
	"github.com/google/go-cmp/cmp"
)

func searching(id string) llmtest.Reply {
	return llmtest.Reply{llmtest.Call(0, id, "internal_search", call)}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	secret := errors.New("dial tcp 10.0.0.7: secret")
	strict := func(s *stage) { s.request.Agent.Grounding = prompt.Strict }
	nothing := func(s *stage) { s.index.evidence = false }
	none := func(s *stage) { s.index.evidence, s.index.hits = false, nil }
	for _, tc := range []struct {
		name      string
		replies   []llmtest.Reply
		set       func(*stage)
		outcome   session.Outcome
		grounding packet.Grounding
		shown     string
		says      string // part of the sentence
		retryable bool
		closest   int
	}{
		{name: "documents found, none cited", replies: []llmtest.Reply{searching("1"), llmtest.Answer("Just so.")}, outcome: session.Answered, grounding: packet.Uncited, shown: "Just so.", says: "not based on"},
		{name: "nothing close found, and the model says so", set: nothing, replies: []llmtest.Reply{searching("1"), llmtest.Answer("I found nothing.")}, outcome: session.NoEvidence, grounding: packet.Uncited, shown: "I found nothing."},
		{name: "nothing close found, and the model finds the answer in it", set: nothing, replies: []llmtest.Reply{searching("1"), llmtest.Answer("Create a replication slot [1].")}, outcome: session.Answered, grounding: packet.Cited, shown: "Create a replication slot [[1]](https://docs.example/replication#top)."},
		{name: "the same of a strict agent", set: func(s *stage) { strict(s); nothing(s) }, replies: []llmtest.Reply{searching("1"), llmtest.Answer("Create a replication slot [1].")}, outcome: session.Answered, grounding: packet.Cited, shown: "Create a replication slot [[1]](https://docs.example/replication#top)."},
		{name: "nothing close found, and the model knows it anyway", set: nothing, replies: []llmtest.Reply{searching("1"), llmtest.Answer("Paris is the capital.")}, outcome: session.Answered, grounding: packet.Uncited, shown: "Paris is the capital.", says: "not based on any of the documents"},
		{name: "no passage at all, and the model cites one", set: none, replies: []llmtest.Reply{searching("1"), llmtest.Answer("Paris is ", "the capital [1", "] of France [2][3].")}, outcome: session.Answered, grounding: packet.General, shown: "Paris is the capital of France.", says: "not based on any document"},
		{name: "no passage at all, and the model says so", set: none, replies: []llmtest.Reply{searching("1"), llmtest.Answer("Die Dokumente sagen dazu nichts.")}, outcome: session.NoEvidence, grounding: packet.General, shown: "Die Dokumente sagen dazu nichts."},
		{name: "no passage at all, and a strict agent writes anyway", set: func(s *stage) { strict(s); none(s) }, replies: []llmtest.Reply{searching("1"), llmtest.Answer("Paris [1].")}, outcome: session.NoEvidence, grounding: packet.General, says: "I found nothing about this"},
		{name: "documents found, and the model says that none answers", replies: []llmtest.Reply{searching("1"), llmtest.Answer("The documents do not say how.")}, outcome: session.NoEvidence, grounding: packet.Uncited, shown: "The documents do not say how."},
		{name: "documents found, and cited for what they do not say", replies: []llmtest.Reply{searching("1"), llmtest.Answer("Elephants sleep standing [2].")}, outcome: session.Answered, grounding: packet.Cited, shown: "Elephants sleep standing [[1]](https://docs.example/backup#top).", says: "I couldn't match this answer to its sources."},
		{name: "the same of a strict agent", set: strict, replies: []llmtest.Reply{searching("1"), llmtest.Answer("Elephants sleep standing [2].")}, outcome: session.Answered, grounding: packet.Cited, shown: "Elephants sleep standing [[1]](https://docs.example/backup#top).", says: "I couldn't match this answer to its sources."},
		{name: "a strict agent that says that none answers", set: strict, replies: []llmtest.Reply{searching("1"), llmtest.Answer("The documents do not say how.")}, outcome: session.NoEvidence, grounding: packet.Uncited, shown: "The documents do not say how."},
		{name: "a strict agent that says so and goes on", set: strict, replies: []llmtest.Reply{searching("1"), llmtest.Answer("The documents do not say how. " + strings.Repeat("Elephants sleep standing. ", 10))}, outcome: session.NoEvidence, grounding: packet.Uncited, says: "I found nothing about this", closest: 2},
		{name: "a greeting", set: func(s *stage) { s.request.SmallTalk = true }, replies: []llmtest.Reply{llmtest.Answer("Hello!")}, outcome: session.Answered, grounding: packet.General, shown: "Hello!"},
		{name: "a thank-you to a strict agent", set: func(s *stage) { strict(s); s.request.SmallTalk = true }, replies: []llmtest.Reply{llmtest.Answer("You are welcome.")}, outcome: session.Answered, grounding: packet.General, shown: "You are welcome."},
		{name: "nothing found and nothing said", set: nothing, replies: []llmtest.Reply{searching("1"), {}, {}}, outcome: session.NoEvidence, says: "I found nothing about this", closest: 2},
		{name: "a strict agent without citations shows nothing of its own", set: strict, replies: []llmtest.Reply{searching("1"), llmtest.Answer("I ", "believe so."), llmtest.Answer("I do.")}, outcome: session.NoEvidence, grounding: packet.Uncited, says: "I found nothing about this", closest: 2},
		{name: "a strict agent with citations shows all of its answer", set: strict, replies: []llmtest.Reply{searching("1"), llmtest.Answer("It is ", "so [1]", ". Yes.")}, outcome: session.Answered, grounding: packet.Cited, shown: "It is so [[1]](https://docs.example/replication#top). Yes."},
		{name: "an empty answer is asked for again", replies: []llmtest.Reply{{}, llmtest.Answer("Here.")}, outcome: session.Answered, grounding: packet.General, shown: "Here.", says: "not based on any"},
		{name: "two empty answers", replies: []llmtest.Reply{{}, {}}, outcome: session.Failed, says: "gave no answer", retryable: true},
		{name: "empty after a tool call", replies: []llmtest.Reply{searching("1"), {}, {llmtest.Reasoning("hm")}}, outcome: session.Failed, says: "gave no answer", retryable: true},
		{name: "the provider refuses", replies: []llmtest.Reply{{llmtest.Text("I can"), llmtest.Finish(llm.FinishRefusal)}}, outcome: session.Refused, shown: "I can", says: "declined"},
		{name: "the provider's filter is an error", replies: []llmtest.Reply{{llmtest.Fail(llm.ErrRefused)}}, outcome: session.Refused, says: "declined"},
		{name: "rate limited", replies: []llmtest.Reply{{llmtest.Fail(&llm.RateLimitError{RetryAfter: 200 * time.Second})}}, outcome: session.Limited, says: "in 4 minutes", retryable: true},
		{name: "wrong key", replies: []llmtest.Reply{{llmtest.Fail(llm.ErrAuth)}}, outcome: session.Failed, says: "set up"},
		{name: "down", replies: []llmtest.Reply{{llmtest.Fail(llm.ErrUnavailable)}}, outcome: session.Failed, says: "can't reach the language model", retryable: true},
		{name: "too long", replies: []llmtest.Reply{{llmtest.Fail(llm.ErrContextTooLong)}}, outcome: session.Failed, says: "too long"},
		{name: "cut in the middle keeps what was written", replies: []llmtest.Reply{{llmtest.Text("Half an ans"), llmtest.Cut()}}, outcome: session.Failed, shown: "Half an ans", says: "stopped in the middle", retryable: true},
		{name: "an unknown error", replies: []llmtest.Reply{{llmtest.Fail(secret)}}, outcome: session.Failed, says: "Something went wrong", retryable: true},
		{name: "a panic of the provider", replies: []llmtest.Reply{{llmtest.Text("Half"), llmtest.Panic("secret")}}, outcome: session.Failed, shown: "Half", says: "Something went wrong", retryable: true},
		{name: "a search that fails", set: func(s *stage) { s.index.err = secret }, replies: []llmtest.Reply{searching("1"), llmtest.Answer("I could not search.")}, outcome: session.Answered, grounding: packet.General, shown: "I could not search.", says: "could not be searched"},
		{name: "a strict agent whose search fails", set: func(s *stage) { strict(s); s.index.err = secret }, replies: []llmtest.Reply{searching("1"), llmtest.Answer("Nothing was found.")}, outcome: session.Failed, says: "cannot be searched at the moment", retryable: true},
		{name: "a search that fails and nothing said", set: func(s *stage) { s.index.err = secret }, replies: []llmtest.Reply{searching("1"), {}, {}}, outcome: session.Failed, says: "cannot be searched at the moment", retryable: true},
		{name: "a search that fails, and then one that does not", set: func(s *stage) { s.index.once = secret }, replies: []llmtest.Reply{searching("1"), searching("2"), llmtest.Answer("So [1].")}, outcome: session.Answered, grounding: packet.Cited, shown: "So [[1]](https://docs.example/replication#top)."},
		{name: "a call written as text", replies: []llmtest.Reply{llmtest.Answer("<tool_", "call>{\"name\":\"internal_search\",\"arguments\":"+call+"}", "</tool_call>"), llmtest.Answer("So [1].")}, outcome: session.Answered, grounding: packet.Cited, shown: "So [[1]](https://docs.example/replication#top)."},
		{name: "an endless tool loop ends with an answer", replies: []llmtest.Reply{searching("1"), searching("1"), searching("1"), searching("1"), searching("1"), llmtest.Answer("So [2].")}, outcome: session.Answered, grounding: packet.Cited, shown: "So [[1]](https://docs.example/backup#top)."},
		{name: "an endless tool loop without an answer", replies: []llmtest.Reply{searching("1"), searching("1"), searching("1"), searching("1"), searching("1"), searching("1"), searching("1")}, outcome: session.Failed, says: "gave no answer", retryable: true},
		{name: "an unknown tool", replies: []llmtest.Reply{{llmtest.Call(0, "1", "rm", `{}`)}, llmtest.Answer("Well.")}, outcome: session.Answered, grounding: packet.General, shown: "Well.", says: "not based on any"},
		{name: "malformed arguments", replies: []llmtest.Reply{{llmtest.Call(0, "1", "internal_search", `{"queries": [`)}, searching("2"), llmtest.Answer("So [1].")}, outcome: session.Answered, grounding: packet.Cited, shown: "So [[1]](https://docs.example/replication#top)."},
		{name: "an endless answer says so", replies: []llmtest.Reply{{llmtest.Text("So it"), llmtest.Finish(llm.FinishLimit)}}, outcome: session.Answered, grounding: packet.General, shown: "So it", says: "not based on any"},
		{name: "an endless answer that ends in calls makes none", replies: []llmtest.Reply{{llmtest.Text("So it"), llmtest.CallPart(0, "1", "internal_search", `{"q`), llmtest.Finish(llm.FinishLimit)}}, outcome: session.Answered, grounding: packet.General, shown: "So it", says: "not based on any"},
		{name: "an endless answer of which nothing is shown", replies: []llmtest.Reply{{llmtest.Fail(llm.ErrEndless)}}, outcome: session.Failed, says: "did not come to an end", retryable: true},
		{name: "an answer cut for length says so", replies: []llmtest.Reply{{llmtest.Text("So it"), llmtest.Finish(llm.FinishLength)}, {llmtest.Fail(llm.ErrBadRequest)}}, outcome: session.Answered, grounding: packet.General, shown: "So it", says: "not based on any"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			model := llmtest.Native(tc.replies...)
			s := ask("How?", model)
			if tc.set != nil {
				tc.set(s)
			}
			report, packets := s.run(t, t.Context())
			a := report.Best()
			e := a.Ending
			if e.Outcome != tc.outcome || e.Grounding != tc.grounding || e.Retryable != tc.retryable || len(e.Closest) != tc.closest {
				t.Errorf("ending = %+v (cause %v)\n%s", e, a.Cause, show(packets))
			}
			if !strings.Contains(string(e.Sentence), tc.says) || tc.says == "" && e.Sentence != "" {
				t.Errorf("sentence = %q, want something with %q", e.Sentence, tc.says)
			}
			if a.Shown != tc.shown || shown(packets, 0) != tc.shown {
				t.Errorf("shown %q, packets show %q, want %q", a.Shown, shown(packets, 0), tc.shown)
			}
			failed := tc.outcome == session.Failed || tc.outcome == session.Limited
			if (e.Reference != "") != failed || strings.Contains(show(packets), "secret") {
				t.Errorf("reference %q\n%s", e.Reference, show(packets))
			}
			if len(model.Requests()) != len(tc.replies) || model.Open() != 0 {
				t.Errorf("%d requests, %d streams open", len(model.Requests()), model.Open())
			}
		})
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	slow := &probe{name: "slow", run: func(ctx context.Context, _ tool.Call, _ *packet.Emitter) (tool.Result, error) {
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	}}
	for _, tc := range []struct {
		name    string
		replies []llmtest.Reply
		shown   string
	}{
		{"before the first word", []llmtest.Reply{{llmtest.Hang()}}, ""},
		{"in the middle of the answer", []llmtest.Reply{{llmtest.Text("Half an "), llmtest.Text("answer [1"), llmtest.Hang()}}, "Half an answer [1"},
		{"while reasoning", []llmtest.Reply{{llmtest.Reasoning("hm"), llmtest.Hang()}}, ""},
		{"inside a tool call", []llmtest.Reply{{llmtest.Text("I look."), llmtest.CallPart(0, "1", "slow", "{"), llmtest.Hang()}}, "I look."},
		{"while a tool runs", []llmtest.Reply{{llmtest.Text("I look."), llmtest.Call(0, "1", "slow", "{}")}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancelCause(t.Context())
				model := llmtest.Native(tc.replies...)
				s := ask("How?", model)
				s.tools = []tool.Tool{slow}
				time.AfterFunc(time.Second, func() { stop(turn.ErrStopped) })
				began := time.Now()
				report, packets := s.run(t, ctx)
				if took := time.Since(began); took != time.Second {
					t.Errorf("it took %s to stop", took-time.Second)
				}
				e := report.Best().Ending
				if e.Outcome != session.Stopped || e.Sentence == "" || shown(packets, 0) != tc.shown || report.Best().Shown != tc.shown {
					t.Errorf("ending %+v\n%s", e, show(packets))
				}
				if !errors.Is(report.Best().Cause, turn.ErrStopped) || model.Open() != 0 {
					t.Errorf("cause %v, %d streams open", report.Best().Cause, model.Open())
				}
			})
		})
	}
}

func TestStopBeforeTheStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(turn.ErrStopped)
	model := llmtest.Native(llmtest.Answer("never"))
	report, _ := ask("How?", model).run(t, ctx)
	if report.Outcome() != session.Stopped || len(model.Requests()) != 0 {
		t.Errorf("outcome %s after %d requests", report.Outcome(), len(model.Requests()))
	}
}

func TestOtherCancellationIsFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		report, _ := ask("How?", llmtest.Native(llmtest.Reply{llmtest.Hang()})).run(t, ctx)
		if e := report.Best().Ending; e.Outcome != session.Failed || !e.Retryable {
			t.Errorf("ending = %+v", e)
		}
	})
}

func TestHeartbeatsInSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("Late. ", 40)
		s := ask("How?", llmtest.Native(llmtest.Reply{llmtest.Sleep(40 * time.Second), llmtest.Text(long), llmtest.Sleep(20 * time.Second), llmtest.Text(" Yes.")}))
		beats, began := 0, time.Now()
		var status []string
		s.sink = func(p packet.Packet) {
			switch payload := p.Payload.(type) {
			case packet.Heartbeat:
				beats++
			case packet.Status:
				status = append(status, fmt.Sprint(time.Since(began), " ", payload.Text))
			}
		}
		s.run(t, t.Context())
		if beats != 3 {
			t.Errorf("%d heartbeats in 40 and 20 s of silence, want 3", beats)
		}
		if diff := cmp.Diff([]string{"15s The model is thinking."}, status); diff != "" { // not once there is text
			t.Error(diff)
		}
	})
}

func TestModelsAnswerIndependently(t *testing.T) {
	t.Parallel()
	good := llmtest.New(llm.Info{Name: "good", NativeTools: true}, searching("1"), llmtest.Answer("So [1]."))
	bad := llmtest.New(llm.Info{Name: "bad", NativeTools: true}, llmtest.Reply{llmtest.Text("Hm"), llmtest.Panic("boom")})
	down := llmtest.New(llm.Info{Name: "down", NativeTools: true}, llmtest.Reply{llmtest.Fail(llm.ErrUnavailable)})
	report, packets := ask("How?", bad, good, down).run(t, t.Context())
	if len(report.Answers) != 3 || report.Outcome() != session.Answered || report.Best().Model != "good" {
		t.Fatalf("report = %+v", report)
	}
	for i, want := range []session.Outcome{session.Failed, session.Answered, session.Failed} {
		if got := report.Answers[i].Ending.Outcome; got != want {
			t.Errorf("model %d ended %s, want %s", i, got, want)
		}
	}
	if shown(packets, 0) != "Hm" || shown(packets, 1) != "So [[1]](https://docs.example/replication#top)." {
		t.Errorf("packets:\n%s", show(packets))
	}
}

func TestInvalidRequests(t *testing.T) {
	t.Parallel()
	model := llmtest.Native()
	tools, _ := tool.NewSet()
	runner := turn.NewRunner(tools, nil, turn.Config{}, nil)
	for name, s := range map[string]*stage{
		"no model": ask("How?"), "four models": ask("How?", model, model, model, model), "an empty question": ask(" \n", model),
	} {
		_, err := runner.Run(t.Context(), s.request, packet.SinkFunc(func(packet.Packet) { t.Errorf("%s: a packet was sent", name) }))
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s := ask("How?", model)
	s.request.Agent.Tools = []string{"teleport"}
	if _, err := runner.Run(t.Context(), s.request, nil); err == nil || !strings.Contains(err.Error(), "teleport") {
		t.Errorf("an unknown tool gives %v", err)
	}
}

// toolless is a model behind an endpoint that takes no tools, which is learned from its first
// refusal.
type toolless struct {
	*llmtest.Model
	known atomic.Bool
}

func (m *toolless) Info() llm.Info {
	info := m.Model.Info()
	info.NativeTools = !m.known.Load()
	return info
}

func (m *toolless) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	if len(req.Tools) == 0 {
		return m.Model.Stream(ctx, req)
	}
	m.known.Store(true)
	return func(yield func(llm.Delta, error) bool) { yield(llm.Delta{}, fmt.Errorf("%w: 400", llm.ErrNoTools)) }
}

// An endpoint that takes no tools is talked to in text from its first refusal on, within the same
// answer and in the next one.
func TestEndpointWithoutToolsGetsTextCalls(t *testing.T) {
	t.Parallel()
	spelled := llmtest.Answer(`<tool_call>{"name":"internal_search","arguments":` + call + `}</tool_call>`)
	model := &toolless{Model: llmtest.New(llm.Info{Name: "m"}, spelled, llmtest.Answer("So [1]."), spelled, llmtest.Answer("So [2]."))}
	fallback := llmtest.Native(llmtest.Answer("I am not asked."))
	for i, want := range []string{"So [[1]](https://docs.example/replication#top).", "So [[1]](https://docs.example/backup#top)."} {
		report, packets := ask("How?", llm.NewChain(llm.Policy{Attempts: 1}, model, fallback)).run(t, t.Context())
		if a := report.Best(); a.Ending.Outcome != session.Answered || a.Shown != want || len(a.Notices) != 0 {
			t.Errorf("answer %d: %q, %+v (%v)\n%s", i, a.Shown, a.Ending, a.Cause, show(packets))
		}
	}
	if n := len(fallback.Requests()); n != 0 || len(model.Requests()) != 4 {
		t.Errorf("%d requests to the model, %d to its fallback", len(model.Requests()), n)
	}
}

// The person reads once that meanings were not compared, whoever searches. What only the order of
// passages depends on is for explanations.
func TestKeywordOnlySearchAddsNotice(t *testing.T) {
	t.Parallel()
	const sentence = "The embedding model did not answer, so the search went by keywords alone."
	for name, only := range map[string]bool{"answer": false, "search only": true} {
		s := ask("How do I set up replication?", llmtest.Native(searching("1"), searching("2"), llmtest.Answer("So [1].")))
		s.index.trace = retrieve.Trace{Notice: sentence + " The reranker took longer than 300 ms.", Notices: []string{sentence}}
		s.request.SearchOnly = only
		report, packets := s.run(t, t.Context())
		stop := packets[len(packets)-1].Payload.(packet.Stop)
		if diff := cmp.Diff([]string{sentence}, stop.Notices); diff != "" || !cmp.Equal(stop.Notices, report.Best().Notices) {
			t.Errorf("%s: notices of the stop (-want +got):\n%s", name, diff)
		}
	}
}
