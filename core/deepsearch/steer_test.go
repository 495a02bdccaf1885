package deepsearch_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/google/go-cmp/cmp"
)

func TestParseInstruction(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*deepsearch.Instruction{
		"add: who owns it?":                     {Add: "who owns it?"},
		"<@U0BOT> Add:\nwho\nowns it?":          {Add: "who owns it?"},
		"add:":                                  {},
		"drop 2":                                {Drop: []int{2}},
		"Drop 2, 3 and 2.":                      {Drop: []int{2, 3}},
		"drop question 1":                       {Drop: []int{1}},
		"drop: 4":                               {Drop: []int{4}},
		"drop":                                  {},
		"instead: where is it?":                 {Add: "where is it?", Rest: true},
		"instead of 2: where is it?":            {Add: "where is it?", Drop: []int{2}},
		"instead:":                              {Rest: true},
		"add the office to the list":            nil,
		"drop the table users?":                 nil,
		"drop 2 tables?":                        nil,
		"what do I use instead: this or that?":  nil,
		"instead of billing: what do we offer?": nil,
		"":                                      nil,
	} {
		got, ok := deepsearch.ParseInstruction(text)
		if ok != (want != nil) || ok && !cmp.Equal(got, *want) {
			t.Errorf("ParseInstruction(%q) = %+v, %v", text, got, ok)
		}
		if sentence := got.MissingPart(); ok && (sentence == "") != (got.Add != "" || len(got.Drop) > 0) {
			t.Errorf("%q lacks %q", text, sentence)
		}
	}
}

func FuzzParseInstruction(f *testing.F) {
	f.Add("drop 1, 2 and 999")
	f.Fuzz(func(t *testing.T, text string) {
		in, ok := deepsearch.ParseInstruction(text)
		if !ok && (in.Add != "" || in.Drop != nil) || len([]rune(in.Add)) > 402 {
			t.Errorf("%+v, %v", in, ok)
		}
	})
}

// What people say while a search runs changes its plan: what is dropped is worked on no longer,
// what is added is looked into, and the report knows of both.
func TestSteering(t *testing.T) {
	t.Parallel()
	who := deepsearch.Instruction{Add: "Who directs team Falcon?"}
	for name, test := range map[string]struct {
		say       deepsearch.Instruction
		at        string // the kind of packet upon which it is said
		findings  string
		told, not string // in what the report is written from
	}{
		"added while the first is looked into": {who, "search_tool_start", "1.0 found, 1.1 found, 1.2 found", "a person asked for this", "not wanted"},
		"added once all are found":             {who, "refinement", "1.0 found, 1.1 found, 1.2 found", "a person asked for this", "not wanted"},
		"dropped before it is looked into":     {deepsearch.Instruction{Drop: []int{2}}, "search_tool_start", "1.0 found, 1.1 dropped", "not wanted", "dublin"},
		"dropped while it is looked into":      {deepsearch.Instruction{Drop: []int{1}}, "search_tool_queries_delta", "1.0 dropped, 1.1 found", "not wanted", "frankfurt"},
		"instead of what is not there yet":     {deepsearch.Instruction{Add: who.Add, Rest: true}, "search_tool_queries_delta", "1.0 dropped, 1.1 dropped, 1.2 found", "lindqvist", "dublin"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept := newJournal()
			model := planner(twoParts, enough, llmtest.Answer("So it is [1]."), llmtest.Answer("So it is [1]."))
			s := ask(twoServices, model, &worker{})
			s.config.Parallel, s.deps.Journal = 1, kept
			if test.at != "refinement" {
				s.shelf.wait = make(chan struct{}) // nothing is found before the plan has changed
			}
			said := false
			s.sink = func(p packet.Packet) {
				kind := p.Payload.Kind()
				if said && (kind == "sub_question" || kind == "finding") && s.shelf.wait != nil {
					s.shelf.once.Do(func() { close(s.shelf.wait) })
				}
				if kind == test.at && !said {
					said = true
					kept.steer(test.say)
				}
			}
			r := s.run(t.Context(), t)
			if r.findings() != test.findings || r.Ending.Outcome != session.Answered {
				t.Errorf("%s, %+v\n%s", r.findings(), r.Ending, r.said())
			}
			requests := model.Requests()
			var told strings.Builder
			for _, m := range requests[len(requests)-1].Messages {
				told.WriteString(strings.ToLower(m.Text))
			}
			if !strings.Contains(told.String(), test.told) || strings.Contains(told.String(), test.not) {
				t.Errorf("the report was written from\n%s", told.String())
			}
		})
	}
}

// Where all is dropped, nothing is reported, and that is said; an added question goes through the
// filter that questions go through.
func TestSteeringDropsEveryPart(t *testing.T) {
	t.Parallel()
	list, err := filter.NewList([]string{"salary"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		say      deepsearch.Instruction
		findings string
		sentence string
	}{
		"all dropped":   {deepsearch.Instruction{Drop: []int{1, 2}}, "1.0 dropped, 1.1 dropped", "Every part of the question was dropped"},
		"not permitted": {deepsearch.Instruction{Add: "What is her salary?", Rest: true}, "1.0 dropped, 1.1 dropped, 1.2 failed", "could be looked into"},
	} {
		kept, said := newJournal(), false
		s := ask(twoServices, planner(twoParts, enough), &worker{})
		s.deps.Journal, s.request.Filter = kept, &filter.Filter{Questions: list}
		s.shelf.wait = make(chan struct{}) // nothing is ever found
		s.sink = func(p packet.Packet) {
			if p.Payload.Kind() == "search_tool_start" && !said {
				said = true
				kept.steer(test.say)
			}
		}
		if r := s.run(t.Context(), t); r.findings() != test.findings || !strings.Contains(string(r.Ending.Sentence), test.sentence) {
			t.Errorf("%s: %s, %+v\n%s", name, r.findings(), r.Ending, r.said())
		}
	}
}
