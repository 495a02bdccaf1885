package main_test

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/tiktoken"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/turn"
)

// spoken are questions about the handbook as people ask them, in other words than its own, with the
// page that answers.
var spoken = map[string]document.ID{
	"whats my yearly holiday leave entitlement, in days?": "vacation", "do holidays that I have not taken expire?": "vacation", "I'm ill today, whom do I tell?": "sick-leave",
	"can I go first class by train?": "expenses", "who do I wake when the pager is silent?": "oncall", "locked out, can't remember my login": "password",
	"what happens on my first day as a new colleague": "onboarding", "is there somewhere to plug in my EV": "parking", "how do I get into the network from home": "vpn",
	"Hi all, how do we get an old release back? Thanks, Bob": "rollback", "bringing a friend to the office": "visitors", "the data base is gone!!": "backup",
	"how do you hire people": "hiring", "what do they mean by retention?": "retention", "Wie viele Urlaubstage / vacation habe ich?": "vacation",
}

// A configured model judges what was found by itself: of every question whose page the search has
// among its first ten, it is given that page, whatever the words of the question, the grounding of
// the agent and the way in which tools are called.
func TestModelIsGivenTheRightPage(t *testing.T) {
	t.Parallel()
	c, err := evaluate.Read(os.DirFS(labelled))
	if err != nil {
		t.Fatal(err)
	}
	index := retrievetest.NewMemory()
	for _, d := range c.Documents {
		if err := index.Put(t.Context(), access.DefaultTenant, retrievetest.One(d.ID, d.Title, d.Text)); err != nil {
			t.Fatal(err)
		}
	}
	hybrid, err := retrieve.NewHybrid(index, nil, retrieve.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	right := make(map[string]map[document.ID]bool)
	for _, q := range c.Queries {
		right[q.Text] = make(map[document.ID]bool)
		for id, grade := range c.Judgements[q.ID] {
			if grade > 0 {
				right[q.Text][document.ID(id)] = true
			}
		}
	}
	for question, id := range spoken {
		right[question] = map[document.ID]bool{id: true}
	}
	given, loose := 0, 0
	for question, pages := range right {
		found, err := hybrid.Search(t.Context(), retrieve.Search{Audience: retrievetest.Members(), Queries: []retrieve.Query{{Text: question}}})
		if err != nil {
			t.Fatal(err)
		}
		var among document.ID
		for _, h := range found.Hits[:min(10, len(found.Hits))] {
			if pages[h.Document.ID] {
				among = h.Document.ID
				break
			}
		}
		if among == "" {
			continue // the search has missed it
		}
		given++
		if !found.Evidence {
			loose++
		}
		for _, way := range []struct {
			native    bool
			grounding prompt.Grounding
		}{{true, prompt.Open}, {true, prompt.Strict}, {false, prompt.Open}, {false, prompt.Strict}} {
			shown, report := givenTo(t, hybrid, index, question, way.native, way.grounding)
			number := 0
			for _, r := range report.References {
				if r.Document.ID == among {
					number = r.Number
				}
			}
			if number == 0 || !strings.Contains(shown, fmt.Sprintf(`"document":%d,`, number)) {
				t.Errorf("%q (native %v, %s): the model was not given %s:\n%s", question, way.native, way.grounding, among, shown)
			}
			if report.Ending.Outcome != session.Answered {
				t.Errorf("%q (native %v, %s): the outcome is %s", question, way.native, way.grounding, report.Ending.Outcome)
			}
		}
	}
	if given < 15 || loose == 0 {
		t.Errorf("the page of %d questions was found, %d of them without evidence: too few to show anything", given, loose)
	}
}

// givenTo asks a model that searches with the question and then cites, and returns what it was
// given in between.
func givenTo(t *testing.T, hybrid retrieve.Retriever, chunks search.Chunks, question string, native bool, grounding prompt.Grounding) (string, turn.Answer) {
	t.Helper()
	arguments := fmt.Sprintf(`{"queries":[%q]}`, question)
	call := llmtest.Reply{llmtest.Call(0, "1", search.Name, arguments)}
	if !native {
		call = llmtest.Answer(`<tool_call>{"name":"` + search.Name + `","arguments":` + arguments + `}</tool_call>`)
	}
	model := llmtest.New(llm.Info{NativeTools: native}, call, llmtest.Answer("As it says there [1]."))
	counter := tiktoken.ForModel("")
	tools, err := tool.NewSet(search.New(hybrid, chunks, counter, search.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	report, err := turn.NewRunner(tools, counter, turn.Config{}, slog.New(slog.DiscardHandler)).Run(t.Context(), turn.Request{
		Turn: "t1", Audience: retrievetest.Members(), Models: []llm.Model{model}, Agent: prompt.Agent{Name: "a", Grounding: grounding},
		Question: message.Message{Role: message.User, Text: question}, Now: time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC),
	}, packet.SinkFunc(func(packet.Packet) {}))
	if err != nil {
		t.Fatal(err)
	}
	requests := model.Requests()
	var shown strings.Builder
	for _, m := range requests[len(requests)-1].Messages {
		shown.WriteString(m.Text + "\n")
	}
	return shown.String(), report.Answers[0]
}
