package main_test

import (
	"bufio"
	"encoding/json"
	"slices"
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

// Without any model, a question is taken apart by rule, and each part is quoted under its own
// heading with numbers that are the same in all of them.
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
		strings.Count(report, "](https://docs.example/") != 2 {
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

// A process that is killed at any stage of a deep search loses nothing: the next one asks what is
// missing and nothing that was found, and there is one report.
func TestDeepSearchOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	reports := func(r openaitest.Request) bool {
		return slices.ContainsFunc(r.Messages, func(m openaitest.Message) bool { return strings.Contains(m.Text(), "Write a report") })
	}
	server := openaitest.New(t)
	answers := researcher(nil)
	p := withModel(t, server)
	db := database(t, p)
	for _, stage := range []struct {
		name  string
		at    func(openaitest.Request) bool
		rows  string // of the plan as it is killed
		again int    // calls for the first finding after that
	}{
		{"planning", func(r openaitest.Request) bool { return r.Offers("plan_search") }, "", 2},
		{"finding", func(r openaitest.Request) bool { return asksFor(r, whoIsPaged) }, "found -", 0},
		{"judging", func(r openaitest.Request) bool { return r.Offers("judge_findings") }, "found found", 0},
		{"reporting", reports, "found found", 0},
	} {
		hold, reached := make(chan struct{}), make(chan struct{}, 8)
		server.Otherwise(func(r openaitest.Request) openaitest.Reply {
			reply := answers(r)
			if stage.at(r) {
				reply.Gate = hold
				reached <- struct{}{}
			}
			return reply
		})
		first := p.command(t.Context(), "ask", "--deep", twoMatters, "--packets", "--thread", stage.name)
		if err := first.Start(); err != nil {
			t.Fatal(err)
		}
		row := func(query string) (n string) {
			t.Helper()
			if err := db.Pool.QueryRow(t.Context(), query, stage.name).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		const rows = `select coalesce(string_agg(coalesce(q.state, '-'), ' ' order by q.number), '') from deep_question q join turn t on t.id = q.turn_id join session s on s.id = t.session_id where s.thread = $1`
		end := time.After(limit)
		select {
		case <-reached:
		case <-end:
			t.Fatalf("%s: it was not reached", stage.name)
		}
		for again := time.NewTicker(20 * time.Millisecond); row(rows) != stage.rows; {
			select {
			case <-again.C:
			case <-end:
				t.Fatalf("%s: the rows are %q", stage.name, row(rows))
			}
		}
		if err := first.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = first.Wait() // it was killed
		asked := func() (n int) {
			for _, one := range server.ChatRequests() {
				if one.Chat != nil && asksFor(*one.Chat, vacationDays) {
					n++
				}
			}
			return n
		}
		before := asked()
		close(hold)
		p.run(t, "ask", "What is a question that waits?", "--thread", stage.name)
		if n := asked() - before; n != stage.again {
			t.Errorf("%s: the first part was asked for %d times more, want %d", stage.name, n, stage.again)
		}
		if got := row(rows); got != "found found" {
			t.Errorf("%s: the rows are %q", stage.name, got)
		}
		const turns = `select string_agg(t.outcome || ' ' || t.takeovers || ' ' || (select count(*) from run r where r.turn_id = t.id), ', ' order by t.sequence) from turn t join session s on s.id = t.session_id where s.thread = $1`
		if got := row(turns); got != "answered 1 1, answered 0 1" {
			t.Errorf("%s: the turns ended as %q", stage.name, got)
		}
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

// Questions of a file are asked deeply, and a model judges what is answered where the file says
// what is right.
func TestEvalAsksDeeply(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	answers := researcher(nil)
	server.Otherwise(func(r openaitest.Request) openaitest.Reply {
		if len(r.Tools) == 0 && strings.Contains(r.Messages[0].Text(), "You compare an answer") {
			return openaitest.Reply{Text: "Partly."}
		}
		return answers(r)
	})
	p := withModel(t, server)
	file := folder(t, map[string]string{"q.tsv": "id\tquestion\tpages_regex\tanswer\nv1\t" + twoMatters + "\t^vacation\\.md$\tThirty, and to the engineering manager.\n"}) + "/q.tsv"
	out := p.run(t, "eval", "--questions", file, "--deep").stdout
	if !strings.Contains(out, "Of 1 answer whose right one is known, test-model finds 0 right, 1 right in part and 0 wrong.") || !slices.ContainsFunc(server.ChatRequests(), func(r openaitest.Record) bool { return r.Chat != nil && r.Chat.Offers("plan_search") }) {
		t.Errorf("it prints\n%s", out)
	}
}
