package deepsearch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/google/go-cmp/cmp"
)

const twoServices = "How do the billing service and the lookup service differ?"

var twoParts = []string{"Where does the billing service run?", "Where does the lookup service run?"}

// The whole way: a plan, two sub-questions at once, a judgment that asks further, and a report
// whose numbers are those of the rows.
func TestPlanFindingsRefinementReport(t *testing.T) {
	t.Parallel()
	model := planner(twoParts,
		form("judge_findings", map[string]any{"answer": "They differ [1][2].", "enough": false, "missing": []string{"who directs Falcon"},
			"contradictions": []string{"two regions"}, "sub_questions": []string{"Who directs team Falcon?", "where does the BILLING service run"}}),
		enough,
		llmtest.Answer("Billing runs in Frankfurt [", "1] and lookup in Dublin [2]. Falcon is directed by Mara Lindqvist [3]."),
	)
	s := ask(twoServices, model, &worker{})
	s.config.Parallel = 1
	r := s.run(t.Context(), t)
	want := `0.0 deep_search_plan_delta {"text":"1. Where does the billing service run?\n"}
0.0 deep_search_plan_delta {"text":"2. Where does the lookup service run?\n"}
1.0 sub_question {"question":"Where does the billing service run?"}
1.1 sub_question {"question":"Where does the lookup service run?"}
1.0 sub_answer_delta {"text":"The billing service is owned by team Falcon and runs in Frankfurt. [1]"}
1.0 finding {"state":"found","text":"The billing service is owned by team Falcon and runs in Frankfurt."}
1.1 sub_answer_delta {"text":"The lookup service is owned by team Osprey and runs in Dublin. [2]"}
1.1 finding {"state":"found","text":"The lookup service is owned by team Osprey and runs in Dublin."}
2.0 refinement {"round":1,"answer":"They differ [1][2].","missing":["who directs Falcon"],"contradictions":["two regions"]}
3.0 sub_question {"question":"Who directs team Falcon?"}
3.0 sub_answer_delta {"text":"Mara Lindqvist directs team Falcon. [3]"}
3.0 finding {"state":"found","text":"Mara Lindqvist directs team Falcon."}
4.0 refinement {"round":2,"answer":"All known [1]."}
6.0 citation_info {"number":1,"document_id":"docs:billing","title":"BILLING","url":"https://docs.example/billing","source":"file"}
6.0 citation_info {"number":2,"document_id":"docs:lookup","title":"LOOKUP","url":"https://docs.example/lookup","source":"file"}
6.0 citation_info {"number":3,"document_id":"docs:falcon","title":"FALCON","url":"https://docs.example/falcon","source":"file"}
7.0 stop {"reason":"answered","grounding":"cited"}
`
	if diff := cmp.Diff(want, r.said()); diff != "" {
		t.Errorf("packets (-want +got):\n%s", diff)
	}
	if want := "Billing runs in Frankfurt [[1]](https://docs.example/billing) and lookup in Dublin [[2]](https://docs.example/lookup). Falcon is directed by Mara Lindqvist [[3]](https://docs.example/falcon)."; r.Shown != want {
		t.Errorf("shown = %q", r.Shown)
	}
	if len(r.Citations) != 3 || r.Citations[2].Number != 3 || r.Citations[2].Document.ID != "docs:falcon" || len(r.Searches) != 3 || r.Unsupported != 0 {
		t.Errorf("citations %+v, %d searches, %d unsupported", r.Citations, len(r.Searches), r.Unsupported)
	}
	if r.Usage.Input != 3*10+3*20 || r.Usage.Output != 3*5+3*10 {
		t.Errorf("usage = %+v", r.Usage)
	}
	report := model.Requests()[3]
	text := ""
	for _, m := range report.Messages {
		text += m.Text + "\n"
	}
	if len(report.Tools) != 0 || !strings.Contains(text, "who directs Falcon") && !strings.Contains(text, "two regions") || !strings.Contains(text, "Mara Lindqvist directs") {
		t.Errorf("the report was asked for with %d tools and:\n%s", len(report.Tools), text)
	}
}

func TestPlainTurnPassesThrough(t *testing.T) {
	t.Parallel()
	s := ask("Where does the billing service run?", &worker{}, nil)
	s.request.Depth = nil
	if r := s.run(t.Context(), t); strings.Contains(r.said(), "plan") || r.Ending.Outcome != session.Answered || len(r.Notices) != 0 {
		t.Errorf("answer = %+v\n%s", r.Answer, r.said())
	}
}

func TestSimpleQuestionIsAnsweredPlainly(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string][]string{"no parts": {}, "the question itself": {"where does the billing service RUN"}} {
		model := planner(plan, llmtest.Reply{llmtest.Call(0, "c", "internal_search", `{"queries":["billing service"]}`)}, llmtest.Answer("In Frankfurt [1]."))
		r := ask("Where does the billing service run?", model, &worker{}).run(t.Context(), t)
		if r.Ending.Outcome != session.Answered || !strings.HasPrefix(r.Shown, "In Frankfurt [[1]]") || len(r.Notices) != 1 || !strings.Contains(r.said(), "One search answers this") {
			t.Errorf("%s: answer = %+v\n%s", name, r.Answer, r.said())
		}
	}
}

// A model that takes no tools is asked in text, and one that writes its form into a sentence is
// understood.
func TestModelWithoutTools(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]string{
		"in the form it is told": `<tool_call>{"name": "plan_search", "arguments": {"sub_questions": ["Where does the billing service run?", "Where does the lookup service run?"]}}</tool_call>`,
		"as an object":           "Here is my plan: {\"sub_questions\": [\"Where does the billing service run?\", \"Where does the lookup service run?\"]}",
	} {
		model := llmtest.New(llm.Info{}, llmtest.Answer(reply), llmtest.Answer(`{"answer": "x", "enough": true, "sub_questions": []}`), llmtest.Answer("Frankfurt [1], Dublin [2]."))
		r := ask(twoServices, model, &worker{}).run(t.Context(), t)
		if r.findings() != "1.0 found, 1.1 found" || r.Ending.Outcome != session.Answered {
			t.Errorf("%s: %s\n%s", name, r.findings(), r.said())
		}
		if request := model.Requests()[0]; len(request.Tools) != 0 || !strings.Contains(request.Messages[0].Text, "<tool_call>") {
			t.Errorf("%s: the plan was asked for with %+v", name, request)
		}
	}
}

func TestExtractiveModel(t *testing.T) {
	t.Parallel()
	r := ask("Who directs the team that owns the billing service?", quoter(), nil).run(t.Context(), t)
	if r.Ending.Outcome != session.Answered || !strings.Contains(r.Shown, "Mara Lindqvist") || !strings.Contains(r.Shown, "owned by team Falcon") || strings.Contains(r.Shown, "No language model") {
		t.Errorf("%s\n%s", r.Shown, r.said())
	}
	if got := ask(twoServices, quoter(), nil).run(t.Context(), t); got.findings() != "1.0 found, 1.1 found" || !strings.Contains(got.Shown, "Dublin") || !strings.Contains(got.Shown, "Frankfurt") {
		t.Errorf("%s: %s\n%s", got.findings(), got.Shown, got.said())
	}
}

func TestUnansweredQuestion(t *testing.T) {
	t.Parallel()
	for name, model := range map[string]llm.Model{
		"without a model": quoter(),
		"with one": planner([]string{"Where is the moonbase?", "Who built the pyramid?"},
			form("judge_findings", map[string]any{"answer": "", "enough": true, "sub_questions": []string{}})),
	} {
		r := ask("Where is the moonbase and who built the pyramid?", model, &worker{}).run(t.Context(), t)
		if r.findings() != "1.0 missing, 1.1 missing" || r.Ending.Outcome != session.NoEvidence || r.Shown != "" || strings.Count(string(r.Ending.Sentence), ".") != 3 {
			t.Errorf("%s: %s, %+v\n%s", name, r.findings(), r.Ending, r.said())
		}
	}
}

// Forty parts are cut to six, a plan that cannot be read is made by rule, and one that repeats
// itself is asked once.
func TestInvalidPlans(t *testing.T) {
	t.Parallel()
	var forty []string
	for i := range 40 {
		forty = append(forty, fmt.Sprintf("What of the billing service, part %d?", i))
	}
	for name, test := range map[string]struct {
		first llmtest.Reply
		rows  int
	}{
		"forty":      {form("plan_search", map[string]any{"sub_questions": forty}), 6},
		"no JSON":    {llmtest.Answer("I would rather not."), 2},
		"cut":        {llmtest.Reply{llmtest.Cut()}, 2},
		"an error":   {llmtest.Reply{llmtest.Fail(llm.ErrUnavailable)}, 2},
		"the same":   {form("plan_search", map[string]any{"sub_questions": []string{"Where is billing?", "1. where is BILLING", "- Where is lookup?"}}), 2},
		"not a list": {form("plan_search", map[string]any{"sub_questions": "billing"}), 2},
	} {
		model := llmtest.Native(test.first, enough, llmtest.Answer("It runs in Frankfurt [1]."))
		r := ask(twoServices, model, &worker{}).run(t.Context(), t)
		if n := strings.Count(r.said(), " finding "); n != test.rows || r.Ending.Outcome != session.Answered {
			t.Errorf("%s: %d findings, %+v\n%s", name, n, r.Ending, r.said())
		}
	}
}

// A model that always asks further is asked so many times and no more, and never the same again.
func TestRefinementIsLimited(t *testing.T) {
	t.Parallel()
	var replies []llmtest.Reply
	for i := range 5 {
		replies = append(replies, form("judge_findings", map[string]any{"answer": "Not yet.", "enough": false,
			"sub_questions": []string{fmt.Sprintf("What else of the billing service, try %d?", i), twoParts[0]}}))
	}
	replies = append(replies[:2], llmtest.Answer("Enough of it [1]."))
	r := ask(twoServices, planner(twoParts, replies...), &worker{}).run(t.Context(), t)
	if n := strings.Count(r.said(), " refinement "); n != 2 || r.findings() != "1.0 found, 1.1 found, 3.0 found, 5.0 found" || !strings.HasPrefix(r.Shown, "Enough") {
		t.Errorf("%d rounds, %s: %q\n%s", n, r.findings(), r.Shown, r.said())
	}
}

// A worker that searches again and again is told that its searches are used up.
func TestPartSearchesAreLimited(t *testing.T) {
	t.Parallel()
	var loop []llmtest.Reply
	for i := range 40 {
		loop = append(loop, llmtest.Reply{llmtest.Call(0, "c", "internal_search", fmt.Sprintf(`{"queries":["billing service %d"]}`, i))})
	}
	s := ask(twoServices, planner(twoParts[:1], enough, llmtest.Answer("x")), llmtest.Native(loop...))
	r := s.run(t.Context(), t)
	if n := len(s.shelf.asked()); n > 9 || r.findings() != "1.0 failed" && r.findings() != "1.0 missing" {
		t.Errorf("%d searches, %s\n%s", n, r.findings(), r.said())
	}
}

// A sub-question is looked into with what searches: the documents, the graph of who owns what, and
// pages that are named.
func TestPartTools(t *testing.T) {
	t.Parallel()
	fast := llmtest.Native(llmtest.Reply{llmtest.Call(0, "c", "internal_search", `{"queries":["billing service"]}`)}, llmtest.Answer("Frankfurt [1]."))
	s := ask(twoServices, planner(twoParts[:1], enough, llmtest.Answer("Frankfurt [1].")), fast)
	s.more = []tool.Tool{offeredTool{name: "knowledge"}, offeredTool{name: "open_url"}, offeredTool{name: "read_file"}}
	if r := s.run(t.Context(), t); r.findings() != "1.0 found" {
		t.Errorf("%s\n%s", r.findings(), r.said())
	}
	var offered []string
	for _, spec := range fast.Requests()[1].Tools { // the first must search
		offered = append(offered, spec.Name)
	}
	if slices.Sort(offered); !slices.Equal(offered, []string{"internal_search", "knowledge", "open_url"}) {
		t.Errorf("it is offered %q", offered)
	}
}

func TestFailedPart(t *testing.T) {
	t.Parallel()
	fast := &worker{fails: func(q string) error {
		if strings.Contains(q, "lookup") {
			return llm.ErrUnavailable
		}
		return nil
	}}
	model := planner(twoParts, enough, llmtest.Answer("Frankfurt [1]. The lookup service could not be looked into."))
	r := ask(twoServices, model, fast).run(t.Context(), t)
	if r.findings() != "1.0 found, 1.1 failed" || r.Ending.Outcome != session.Answered {
		t.Errorf("%s, %+v\n%s", r.findings(), r.Ending, r.said())
	}
	var told string
	for _, m := range model.Requests()[2].Messages {
		told += m.Text
	}
	if !strings.Contains(told, "This could not be looked into: I can't reach the language model") {
		t.Errorf("the report was not told:\n%s", told)
	}
}

// Where nothing was found, and not everything was looked into, the report does not say that the
// documents hold nothing.
func TestNothingFoundAndFailedPart(t *testing.T) {
	t.Parallel()
	fast := &worker{fails: func(q string) error {
		if strings.Contains(q, "lookup") {
			return llm.ErrUnavailable
		}
		return nil
	}}
	r := ask(twoServices, planner([]string{"Where is the zebra?", "Where does the lookup service run?"}, enough), fast).run(t.Context(), t)
	if r.findings() != "1.0 missing, 1.1 failed" || r.Ending.Outcome != session.NoEvidence || !strings.Contains(string(r.Ending.Sentence), "about 1 of the 2 parts of the question; the rest could not") {
		t.Errorf("%s, %+v\n%s", r.findings(), r.Ending, r.said())
	}
}

// A search that does not work is no proof that there is nothing.
func TestBrokenSearch(t *testing.T) {
	t.Parallel()
	s := ask(twoServices, quoter(), nil)
	s.shelf.failing = true
	r := s.run(t.Context(), t)
	if r.findings() != "1.0 failed, 1.1 failed" || r.Ending.Outcome != session.Failed || !r.Ending.Retryable {
		t.Errorf("%s, %+v\n%s", r.findings(), r.Ending, r.said())
	}
}

// Once there is no budget, what is left is quoted, planned and judged without a model, and the
// reader is told.
func TestCapReachedDuringSearch(t *testing.T) {
	t.Parallel()
	full := &spend.CapError{Setting: "COST_CAP_DAILY", Period: "daily"}
	model := planner(twoParts, llmtest.Reply{llmtest.Fail(full)}, llmtest.Reply{llmtest.Fail(full)})
	fast := &worker{fails: func(q string) error {
		if strings.Contains(q, "lookup") {
			return full
		}
		return nil
	}}
	s := ask(twoServices, model, fast)
	s.request.StandIn = quoter()
	r := s.run(t.Context(), t)
	if r.findings() != "1.0 found, 1.1 found" || r.Ending.Outcome != session.Answered || !strings.Contains(r.Shown, "Frankfurt") || !strings.Contains(r.Shown, "Dublin") {
		t.Errorf("%s: %+v\n%s\n%s", r.findings(), r.Ending, r.Shown, r.said())
	}
	if !strings.Contains(strings.Join(r.Notices, " "), "The budget for today is used up") {
		t.Errorf("notices = %q", r.Notices)
	}
}

// Wherever a process ends, another one goes on with what is missing, asks nothing again that was
// found, and comes to the same rows.
func TestAnotherProcessResumes(t *testing.T) {
	t.Parallel()
	kept := newJournal()
	dies := errors.New("the process ends")
	refined := form("judge_findings", map[string]any{"answer": "More.", "enough": false, "sub_questions": []string{"Who directs team Falcon?"}})
	run := func(model llm.Model, until func(packet.Packet) bool) (outcome, *stage) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		s := ask(twoServices, model, &worker{})
		s.config.Parallel = 1
		s.deps.Journal, s.deps.Library = kept, lent{}
		s.sink = func(p packet.Packet) {
			if until(p) {
				cancel(dies)
			}
		}
		return s.run(ctx, t), s
	}
	first, one := run(planner(twoParts), func(p packet.Packet) bool { return p.Payload.Kind() == "finding" })
	_, two := run(llmtest.Native(refined), func(p packet.Packet) bool { return p.Payload.Kind() == "refinement" })
	_, three := run(llmtest.Native(), func(p packet.Packet) bool {
		return p.Payload.Kind() == "search_tool_queries_delta"
	})
	last, four := run(llmtest.Native(enough, llmtest.Answer("Frankfurt [1], Dublin [2], Mara Lindqvist [3].")), func(packet.Packet) bool { return false })
	// The third process may have died before or after its search came back: what was kept is not
	// searched for again.
	if n := len(three.shelf.asked()) + len(four.shelf.asked()); len(one.shelf.asked()) != 1 || len(two.shelf.asked()) != 1 || n < 1 || n > 2 {
		t.Errorf("searches = %q %q %q %q", one.shelf.asked(), two.shelf.asked(), three.shelf.asked(), four.shelf.asked())
	}
	if last.findings() != "1.0 found, 1.1 found, 3.0 found" || last.Ending.Outcome != session.Answered || len(last.Citations) != 3 {
		t.Errorf("%s, %+v, %+v\n%s", last.findings(), last.Ending, last.Citations, last.said())
	}
	row := func(r outcome) string {
		_, after, _ := strings.Cut(r.said(), "1.0 finding ")
		line, _, _ := strings.Cut(after, "\n")
		return line
	}
	if row(first) == "" || row(first) != row(last) {
		t.Errorf("the first row was %s and is %s", row(first), row(last))
	}
	if fmt.Sprint(kept.found) != "[1 2 3]" {
		t.Errorf("kept = %v", kept.found)
	}
}

// An edited question begins anew, and so does one that others hear: a plan may hold names that only
// those could read for whom it was made.
func TestChangedQuestionIsPlannedAgain(t *testing.T) {
	t.Parallel()
	kept := newJournal()
	first := ask(twoServices, quoter(), nil)
	first.deps.Journal = kept
	first.run(t.Context(), t)
	second := ask("How many days of holiday are there, and where does the lookup service run?", quoter(), nil)
	second.deps.Journal = kept
	r := second.run(t.Context(), t)
	if !strings.Contains(r.Shown, "28 days") || strings.Contains(r.Shown, "Frankfurt") {
		t.Errorf("shown = %q\n%s", r.Shown, r.said())
	}
	third := ask("How many days of holiday are there, and where does the lookup service run?", quoter(), nil)
	third.deps.Journal, third.deps.Library = kept, lent{}
	third.request.Audience = access.NewAudience(access.DefaultTenant)
	if r := third.run(t.Context(), t); len(third.shelf.asked()) != 2 || !strings.Contains(r.Shown, "28 days") {
		t.Errorf("%v\n%s", third.shelf.asked(), r.said())
	}
}

// A panic below costs one sub-question.
func TestPanicFailsOnePart(t *testing.T) {
	t.Parallel()
	fast := &worker{fails: func(q string) error {
		if strings.Contains(q, "lookup") {
			panic("at the worst moment")
		}
		return nil
	}}
	r := ask(twoServices, planner(twoParts, enough, llmtest.Answer("Frankfurt [1].")), fast).run(t.Context(), t)
	if r.findings() != "1.0 found, 1.1 failed" || r.Ending.Outcome != session.Answered {
		t.Errorf("%s, %+v\n%s", r.findings(), r.Ending, r.said())
	}
}

func TestSearchOnlyListsDocuments(t *testing.T) {
	t.Parallel()
	s := ask(twoServices, quoter(), nil)
	s.request.SearchOnly = true
	r := s.run(t.Context(), t)
	if r.Ending.Outcome != session.Answered || r.Shown != "" || r.findings() != "1.0 found, 1.1 found" || len(r.References) == 0 {
		t.Errorf("%s, %+v\n%s", r.findings(), r.Ending, r.said())
	}
}

func TestNewRequiresEngine(t *testing.T) {
	t.Parallel()
	if _, err := deepsearch.New(deepsearch.Deps{}, deepsearch.Config{}); err == nil {
		t.Error("it was set up with nothing")
	}
}

// Under a plain answer that speaks of a part of the question alone, it is offered to look deeper.
func TestPartialAnswerOffersDeeper(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		question, answer string
		offered          bool
	}{
		"of one part":          {twoServices, "The billing service runs in Frankfurt [1].", true},
		"of both":              {twoServices, "The billing service and the lookup service differ in their place [1].", false},
		"a question of a part": {"Where does the billing service run?", "Yes [1].", false},
	} {
		s := ask(test.question, llmtest.Native(llmtest.Reply{llmtest.Call(0, "c", "internal_search", `{"queries":["billing service"]}`)}, llmtest.Answer(test.answer)), nil)
		s.request.Depth = nil
		var deeper bool
		_, err := s.runner(t).Plain.Run(t.Context(), s.request, deepsearch.OfferDeeper(s.request, packet.SinkFunc(func(p packet.Packet) {
			if stop, last := p.Payload.(packet.Stop); last {
				deeper = stop.Deeper
			}
		})))
		if err != nil || deeper != test.offered {
			t.Errorf("%s: offered is %v, error %v", name, deeper, err)
		}
	}
}

// How far a search is, what it may still take, and what it has cost is told with each finding.
func TestProgressTellsTheCost(t *testing.T) {
	t.Parallel()
	s := ask(twoServices, planner(twoParts, enough, llmtest.Answer("Frankfurt [1], Dublin [2].")), &worker{})
	price := spend.Price{Input: spend.Unit, Output: 2 * spend.Unit} // for a million tokens
	s.deps.Prices = func() spend.Prices {
		return spend.Prices{Currency: "USD", Models: map[string]spend.Price{"scripted": price, "worker": price}}
	}
	s.deps.RemainingBudget = func(context.Context, access.TenantID) (spend.Amount, bool, error) { return spend.Unit / 2, true, nil }
	var told []packet.Progress
	for _, p := range s.run(t.Context(), t).packets {
		if one, ok := p.Payload.(packet.Progress); ok {
			told = append(told, one)
		}
	}
	last := told[len(told)-1]
	if len(told) < 4 || told[0].Most != 16 || told[0].Searches != 0 || told[2].Searches != 2 || told[2].Most != 0 || told[2].Documents != 2 || told[2].Cost != "0.0001 USD" ||
		told[0].More != 40 || told[0].MoreCost == "" || told[0].Left != "0.5000 USD" || told[2].More != 20 || last.More != 0 || last.MoreCost != "" || last.Cost == "" {
		t.Errorf("told = %+v", told)
	}
}
