package main_test

import (
	"strings"
	"testing"
)

// listedQuestions is the form of questions --json.
type listedQuestions struct {
	Counts    struct{ Seen, Private, Hidden int }
	Questions []struct {
		Turn, Question, Outcome, Platform string
		Private, Retried                  bool
		Up, Down                          int
	}
}

// shownQuestion is the form of questions show --json.
type shownQuestion struct {
	Question, Answer, Outcome string
	Withheld                  bool
	Citations                 []struct {
		Number   int
		Title    string
		Passages []string
	}
	Why    []string
	Models []struct {
		Model string
	}
}

func TestQuestionsAreListedAndShown(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t))
	asked := jsonOf[answered](t, p.run(t, "ask", "--json", "How many vacation days does an employee have?"))
	p.run(t, "ask", "What is the airspeed velocity of an unladen swallow?")
	list := jsonOf[listedQuestions](t, p.run(t, "questions", "--json"))
	if len(list.Questions) != 2 || list.Counts.Seen != 2 || list.Questions[1].Turn != asked.TurnID || list.Questions[0].Outcome != "no_evidence" {
		t.Fatalf("the list is %+v", list)
	}
	for flags, want := range map[string]int{
		"--text=vacat": 1, "--text=zebra": 0, "--outcome=answered": 1, "--since=1d": 2, "--until=1d": 0, "--wanting": 1, "--who=U0": 0, "--channel=C0": 0, "--limit=1": 1,
	} {
		if got := jsonOf[listedQuestions](t, p.run(t, "questions", "--json", flags)); len(got.Questions) != want {
			t.Errorf("questions %s lists %d, want %d", flags, len(got.Questions), want)
		}
	}
	if table := p.run(t, "questions"); !strings.Contains(table.stdout, asked.TurnID) || !strings.Contains(table.stdout, "vacation days") || !strings.Contains(table.stderr, "2 questions of 2") {
		t.Errorf("the table is\n%s%s", table.stdout, table.stderr)
	}
	one := jsonOf[[]shownQuestion](t, p.run(t, "questions", "show", "--json", asked.TurnID))[0]
	if one.Withheld || !strings.Contains(one.Answer, "thirty") || len(one.Citations) == 0 || !strings.Contains(strings.Join(one.Citations[0].Passages, ""), "thirty vacation days") ||
		!strings.Contains(strings.Join(one.Why, "\n"), "Search: ") || len(one.Models) != 1 {
		t.Errorf("the question is %+v", one)
	}
	text := p.run(t, "questions", "show", asked.TurnID).stdout
	for _, want := range []string{"How many vacation days", "thirty", "[1] Vacation policy", "    | ", "Outcome: answered", "cost -"} {
		if !strings.Contains(text, want) {
			t.Errorf("the question is shown without %q:\n%s", want, text)
		}
	}
	// Whoever may read less sees less.
	guest := p.with("CONSOLE_PRINCIPALS=public")
	bare := jsonOf[[]shownQuestion](t, guest.run(t, "questions", "show", "--json", asked.TurnID))[0]
	if !bare.Withheld || bare.Answer != "" || len(bare.Citations) != 0 || strings.Contains(strings.Join(bare.Why, "\n"), "Vacation policy") {
		t.Errorf("who may read nothing is shown %+v", bare)
	}
	if out := guest.run(t, "questions", "show", asked.TurnID).stdout; strings.Contains(out, "thirty") || !strings.Contains(out, "not shown") {
		t.Errorf("who may read nothing is shown\n%s", out)
	}
	for ref, says := range map[string]string{"nothing": "nothing is known", "00000000-0000-7000-8000-000000000000": "nothing is known"} {
		if r := p.try(t, "", "questions", "show", ref); r.code != 1 || !strings.Contains(r.stderr, says) {
			t.Errorf("questions show %s: %+v", ref, r)
		}
	}
	if r := p.try(t, "", "questions", "--since", "yesterday", "--until=-1d"); r.code != 2 || strings.Count(r.stderr, "is no time") != 2 {
		t.Errorf("bad moments: %+v", r)
	}
}
