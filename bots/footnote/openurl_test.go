package main_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

// The address of a page is opened when a person names it, and never when the model makes it up or works with what is not public.
func TestPagesAreOpenedByTheRules(t *testing.T) {
	t.Parallel()
	var visits atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		visits.Add(1)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><head><title>Regatta</title></head><body><main><h1>Regatta</h1><p>The regatta begins at noon on the old quay.</p></main></body></html>")
	}))
	t.Cleanup(site.Close)
	address := site.URL + "/regatta"
	open := openaitest.Reply{Calls: []openaitest.Call{{Name: "open_url", Arguments: `{"urls":["` + address + `"]}`}}}
	search := openaitest.Reply{Calls: []openaitest.Call{{Name: "internal_search", Arguments: `{"queries":["vacation days per year"]}`}}}
	server := openaitest.New(t)
	p := withModel(t, server, "ALLOW_PRIVATE_HOSTS=127.0.0.1")
	result := func() string {
		requests := server.ChatRequests()
		return requests[len(requests)-1].Chat.Last("tool").Text()
	}

	server.Push(open, openaitest.Reply{Text: "At noon [1]."})
	got := jsonOf[answered](t, p.run(t, "ask", "When does it begin? See "+address+".", "--json", "--thread", "t"))
	if len(got.Citations) != 1 || got.Citations[0].URL != address || got.Citations[0].Title != "Regatta" || visits.Load() != 1 {
		t.Errorf("answer %+v after %d visits; the tool returned:\n%s", got, visits.Load(), result())
	}
	server.Push(openaitest.Reply{Text: "Yes."})
	p.run(t, "ask", "Sure?", "--thread", "t")
	requests := server.ChatRequests()
	if earlier := requests[len(requests)-1].Chat.Last("assistant").Text(); earlier != "At noon [1]." {
		t.Errorf("the follow-up has as the earlier answer %q", earlier)
	}

	server.Push(open, openaitest.Reply{Text: "I could not open it."})
	p.run(t, "ask", "When does the regatta begin?")
	if !strings.Contains(result(), "stands neither in the conversation") || visits.Load() != 1 {
		t.Errorf("an address that nobody named, %d visits:\n%s", visits.Load(), result())
	}

	server.Push(search, open, openaitest.Reply{Text: "I could not open it."})
	p.run(t, "ask", "How do my vacation days fit with "+address+"?")
	if !strings.Contains(result(), "not public") || visits.Load() != 1 {
		t.Errorf("with a document of members in use, %d visits:\n%s", visits.Load(), result())
	}
	server.Push(search, open, openaitest.Reply{Text: "They fit."})
	p.with("OPEN_URL_ALLOW="+strings.TrimPrefix(site.URL, "http://")).run(t, "ask", "How do my vacation days fit with "+address+"?")
	if !strings.Contains(result(), "noon on the old quay") || visits.Load() != 2 {
		t.Errorf("with the address listed, %d visits:\n%s", visits.Load(), result())
	}

	server.Push(open, openaitest.Reply{Text: "I could not open it."})
	p.with("ALLOW_PRIVATE_HOSTS=").run(t, "ask", "When does it begin? See "+address)
	if !strings.Contains(result(), "not on the public internet") || visits.Load() != 2 {
		t.Errorf("a private address, %d visits:\n%s", visits.Load(), result())
	}
}
