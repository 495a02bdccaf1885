package main_test

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/core/packet"
)

const twoMatters = "How many vacation days per year are there, and who is an unanswered page escalated to?"

// packetsOf reads what ask --packets prints.
func packetsOf(t *testing.T, out string) []packet.Packet {
	t.Helper()
	var all []packet.Packet
	lines := bufio.NewScanner(strings.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p packet.Packet
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		all = append(all, p)
	}
	return all
}

// Without any model, a question is taken apart by rule, and each part is quoted under its own heading with numbers that are the same in all of them.
func TestDeepSearchWithoutAModel(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example")
	got := jsonOf[answered](t, p.run(t, "ask", "--deep", twoMatters, "--json"))
	if got.Outcome != "answered" || len(got.Citations) != 2 || !strings.Contains(got.Answer, "thirty vacation days") || !strings.Contains(got.Answer, "engineering manager") ||
		strings.Contains(got.Answer, "No language model") {
		t.Errorf("answer = %+v", got)
	}
	kinds := map[string]int{}
	for _, one := range packetsOf(t, p.run(t, "ask", "deep: "+twoMatters, "--packets").stdout) {
		kinds[one.Payload.Kind()]++
	}
	for kind, want := range map[string]int{"deep_search_plan_start": 1, "sub_question": 2, "finding": 2, "sub_answer_delta": 2, "stop": 1} {
		if kinds[kind] != want {
			t.Errorf("%d packets %s, want %d", kinds[kind], kind, want)
		}
	}
	if r := p.run(t, "ask", "--deep", "How many vacation days per year are there?"); !strings.Contains(r.stdout, "no deep search was made") {
		t.Errorf("answer:\n%s", r.stdout)
	}
}

// With a model it plans, two are asked at once what it planned, it judges, and it reports.
func TestDeepSearchWithAModel(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	server.Otherwise(func(r openaitest.Request) openaitest.Reply {
		switch {
		case r.Offers("plan_search"):
			return openaitest.Reply{Calls: []openaitest.Call{{Name: "plan_search", Arguments: `{"sub_questions":["How many vacation days per year does an employee have?","Who is an unanswered page escalated to?"]}`}}}
		case r.Offers("judge_findings"):
			return openaitest.Reply{Calls: []openaitest.Call{{Name: "judge_findings", Arguments: `{"answer":"Thirty, and the manager.","enough":true,"sub_questions":[]}`}}}
		case r.Offers("internal_search"):
			return openaitest.Librarian(r)
		}
		for _, m := range r.Messages {
			if strings.Contains(m.Text(), "Write a report") {
				return openaitest.Reply{Text: "Thirty days of vacation [1], and the engineering manager is paged [2]."}
			}
		}
		return openaitest.Librarian(r)
	})
	p := withModel(t, server)
	out := packetsOf(t, p.run(t, "ask", "--deep", twoMatters, "--packets").stdout)
	var rows, text []string
	for _, one := range out {
		switch said := one.Payload.(type) {
		case packet.Finding:
			rows = append(rows, said.State)
		case packet.MessageDelta:
			text = append(text, said.Text)
		}
	}
	report := strings.Join(text, "")
	if strings.Join(rows, " ") != "found found" || !strings.Contains(report, "](https://docs.example/vacation.md#days-per-year), and") ||
		!strings.Contains(report, "[[1]](https://docs.example/") || !strings.Contains(report, "[[2]](https://docs.example/") {
		t.Errorf("rows %v, report %q", rows, report)
	}
}

// The switches stand in the configuration file under their names.
func TestDeepSearchPerAgent(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example")
	file := folder(t, map[string]string{"footnote.yaml": "agents:\n  researcher:\n    use_agentic_search: true\n    allow_refinement: false\n    perform_initial_search_decomposition: false\n    using_tool_calling_llm: false\n"}) + "/footnote.yaml"
	plans := func(args ...string) int {
		n := 0
		for _, one := range packetsOf(t, p.run(t, append(args, "--packets", "--config", file)...).stdout) {
			if _, plan := one.Payload.(packet.DeepSearchPlanStart); plan {
				n++
			}
		}
		return n
	}
	if n := plans("ask", twoMatters, "--agent", "researcher"); n != 1 {
		t.Errorf("%d plans", n)
	}
	if n := plans("ask", twoMatters); n != 0 {
		t.Errorf("%d plans by the built-in agent", n)
	}
}

// A process that is killed in the middle of a deep search loses nothing: the next one asks what is missing, and nothing that was found.
func TestDeepSearchOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	const vacation, pages = "How many vacation days per year does an employee have?", "Who is an unanswered page escalated to?"
	server, hold := openaitest.New(t), make(chan struct{})
	server.Otherwise(func(r openaitest.Request) openaitest.Reply {
		switch {
		case r.Offers("plan_search"):
			return openaitest.Reply{Calls: []openaitest.Call{{Name: "plan_search", Arguments: `{"sub_questions":["` + vacation + `","` + pages + `"]}`}}}
		case r.Offers("judge_findings"):
			return openaitest.Reply{Calls: []openaitest.Call{{Name: "judge_findings", Arguments: `{"answer":"","enough":true,"sub_questions":[]}`}}}
		}
		reply := openaitest.Librarian(r)
		if asksFor(r, pages) {
			reply.Gate = hold
		}
		return reply
	})
	p := withModel(t, server)
	db := database(t, p)
	first := p.command(t.Context(), "ask", "--deep", twoMatters, "--packets", "--thread", "long")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	kept := func() int {
		n := 0
		for _, one := range server.ChatRequests() {
			if one.Chat != nil && asksFor(*one.Chat, vacation) {
				n++
			}
		}
		return n
	}
	count := func(query string) (n string) {
		t.Helper()
		if err := db.Pool.QueryRow(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	end := time.After(limit)
	for again := time.NewTicker(20 * time.Millisecond); count(`select count(*)::text from deep_question where state = 'found'`) != "1"; {
		select {
		case <-again.C:
		case <-end:
			t.Fatal("nothing was found")
		}
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed
	asked := kept()
	close(hold)
	p.run(t, "ask", "How many vacation days are there?", "--thread", "long")
	if n := kept(); n != asked {
		t.Errorf("what was found was asked for %d times more", n-asked)
	}
	if got := count(`select coalesce(string_agg(state, ' '), '') from deep_question`); got != "found found" {
		t.Errorf("the rows are %q", got)
	}
	if got := count(`select string_agg(outcome || ' ' || takeovers, ', ' order by sequence) from turn where session_id = (select session_id from turn t join deep_search d on d.turn_id = t.id)`); got != "answered 1, answered 0" {
		t.Errorf("the turns ended as %q", got)
	}
}

// asksFor reports whether a request works on a sub-question.
func asksFor(r openaitest.Request, question string) bool {
	for _, m := range r.Messages {
		if m.Role == "user" && m.Text() == question {
			return true
		}
	}
	return false
}
