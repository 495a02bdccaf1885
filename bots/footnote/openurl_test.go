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

// The address of a page is opened when a person names it, and never when the model makes it up or
// works with what is not public.
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
	p := withModel(t, server, "OPEN_URL_PRIVATE_HOSTS=127.0.0.1")
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
	if !strings.Contains(result(), "only addresses in the conversation") || visits.Load() != 1 {
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
	p.with("OPEN_URL_PRIVATE_HOSTS=", "ALLOW_PRIVATE_HOSTS=127.0.0.1").run(t, "ask", "When does it begin? See "+address)
	if !strings.Contains(result(), "OPEN_URL_PRIVATE_HOSTS") || visits.Load() != 2 {
		t.Errorf("a private address, %d visits:\n%s", visits.Load(), result())
	}
}

// An intranet that is indexed is not thereby opened: not to those who may not read a page, and not
// at all unless the operator says so.
func TestIndexedPagesAreNotOpenedByTheirAddress(t *testing.T) {
	t.Parallel()
	var visits atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" || r.URL.Path == "/sitemap.xml" {
			http.NotFound(w, r)
			return
		}
		visits.Add(1)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><head><title>Pay</title></head><body><main><h1>Pay</h1><p>The director earns a quarter of a million.</p></main></body></html>")
	}))
	t.Cleanup(site.Close)
	address := site.URL + "/hr/pay"
	server := openaitest.New(t)
	p := withModel(t, server, "ALLOW_PRIVATE_HOSTS=127.0.0.1")
	p.run(t, "index", address, "--acl", "group:hr")
	indexed := visits.Load()
	if indexed == 0 {
		t.Fatal("nothing was indexed")
	}
	ask := func(p *program, principals, spelling string) string {
		server.Push(openaitest.Reply{Calls: []openaitest.Call{{Name: "open_url", Arguments: `{"urls":["` + spelling + `"]}`}}}, openaitest.Reply{Text: "That is all."})
		p.with("CONSOLE_PRINCIPALS="+principals).run(t, "ask", "What does "+spelling+" say?")
		requests := server.ChatRequests()
		return requests[len(requests)-1].Chat.Last("tool").Text()
	}
	opened := p.with("OPEN_URL_PRIVATE_HOSTS=127.0.0.1", "OPEN_URL_ALLOW="+strings.TrimPrefix(site.URL, "http://"))
	for _, principals := range []string{"public", "members"} {
		for _, spelling := range []string{address, address + "/", address + "?x=1", site.URL + "/hr/%70ay", site.URL + "/hr/x/../pay", site.URL + "//HR/pay"} {
			for _, p := range []*program{p, opened} {
				if result := ask(p, principals, spelling); strings.Contains(result, "quarter of a million") || visits.Load() != indexed {
					t.Errorf("%s opened %s, %d visits:\n%s", principals, spelling, visits.Load()-indexed, result)
				}
			}
		}
	}
	if result := ask(p, "group:hr", address); !strings.Contains(result, "quarter of a million") || visits.Load() != indexed {
		t.Errorf("those who may read it got, after %d visits:\n%s", visits.Load()-indexed, result)
	}
}
