package main_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// A SearXNG is asked by an agent that names the tool, never after a document that is not public,
// and no oftener than a person may.
func TestAgentsSearchTheWeb(t *testing.T) {
	t.Parallel()
	web, asked := searxng(t)
	server := openaitest.New(t)
	server.Otherwise(func(r openaitest.Request) openaitest.Reply {
		call := func(name, query string) openaitest.Reply {
			return openaitest.Reply{Calls: []openaitest.Call{{Name: name, Arguments: `{"queries":["` + query + `"]}`}}}
		}
		question, read := r.Last("user").Text(), r.Last("tool").Text()
		switch {
		case read == "" && strings.Contains(question, "vacation"):
			return call("internal_search", "vacation days")
		case read == "" && r.Offers("web_search"):
			return call("web_search", "tides")
		case strings.Contains(question, "vacation") && r.Offers("web_search"):
			return openaitest.Reply{Text: "The web search is still there."}
		case strings.Contains(read, "noon"):
			return openaitest.Reply{Text: "High water is at noon [1]."}
		default:
			return openaitest.Reply{Text: "It is not there: " + strings.Join(strings.Fields(read), " ")}
		}
	})
	file := filepath.Join(folder(t, map[string]string{"footnote.yaml": "agent: sailor\nagents:\n  sailor: {tools: [internal_search, web_search, open_url]}\n  clerk: {instructions: Be brief.}\n"}), "footnote.yaml")
	p := withModel(t, server, "FOOTNOTE_CONFIG="+file, "WEB_SEARCH_PROVIDER=searxng", "WEB_SEARCH_URL="+web.URL, "WEB_SEARCH_PER_DAY=2")

	got := jsonOf[answered](t, p.run(t, "ask", "When is high water?", "--json"))
	if got.Answer != "High water is at noon [[1]](https://example.org/tides)." || len(got.Citations) != 1 || got.Citations[0].DocumentID != "open_url:https://example.org/tides" {
		t.Errorf("answer = %+v", got)
	}
	if r := p.run(t, "ask", "When is high water?"); !strings.Contains(r.stdout, "Tide tables (web)") {
		t.Errorf("printed:\n%s", r.stdout)
	}
	if r := p.run(t, "why", got.TurnID); !strings.Contains(r.stdout, `Web search: "tides"; 1 page.`) || !strings.Contains(r.stdout, "1. Tide tables") {
		t.Errorf("why says:\n%s", r.stdout)
	}
	if r := p.run(t, "audit", "--json"); !strings.Contains(r.stdout, `"open_url:https://example.org/tides"`) || strings.Contains(r.stdout, `"tides"`) {
		t.Errorf("the audit trail:\n%s", r.stdout)
	}
	before := asked.Load()
	if got := jsonOf[answered](t, p.run(t, "ask", "How many vacation days are there?", "--json")); strings.Contains(got.Answer, "still there") || asked.Load() != before {
		t.Errorf("after a document that is not public: %+v, %d requests", got, asked.Load()-before)
	}
	if got := jsonOf[answered](t, p.run(t, "ask", "When is high water?", "--json")); !strings.Contains(got.Answer, "daily quota of web searches is used up") || asked.Load() != before {
		t.Errorf("beyond the limit: %+v, %d requests", got, asked.Load()-before)
	}
	if got := jsonOf[answered](t, p.run(t, "ask", "When is high water?", "--agent", "clerk", "--json")); !strings.HasPrefix(got.Answer, "It is not there") {
		t.Errorf("an agent that does not name the tool: %+v", got)
	}
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "searxng") {
		t.Errorf("doctor says:\n%s", r.stdout)
	}
	if r := p.with("WEB_SEARCH_PROVIDER=", "WEB_SEARCH_URL=").try(t, "", "ask", "x"); r.code != 2 || !strings.Contains(r.stderr, "set WEB_SEARCH_PROVIDER") {
		t.Errorf("without a provider: exit code %d\n%s", r.code, r.stderr)
	}
}

// searxng is a server that finds one page, and how often it was asked.
func searxng(t *testing.T) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	asked := new(atomic.Int64)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path != "/search" || r.URL.Query().Get("format") != "json" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, `{"results":[{"url":"https://example.org/tides","title":"Tide tables","content":"High water is at noon.","publishedDate":null}]}`)
	}))
	t.Cleanup(web.Close)
	return web, asked
}

// In threads an agent that has to search the web does so, and sources say what is of the web.
func TestThreadsShowWhatIsOfTheWeb(t *testing.T) {
	t.Parallel()
	web, asked := searxng(t)
	discord := newClub(t)
	w := newWorkplace(t, func(r openaitest.Request) openaitest.Reply {
		if r.Last("tool").Text() == "" {
			if !r.Offers("web_search") || r.Offers("internal_search") {
				return openaitest.Reply{Text: "The web search is not forced."}
			}
			return openaitest.Reply{Calls: []openaitest.Call{{Name: "web_search", Arguments: `{"queries":["tides"]}`}}}
		}
		return openaitest.Reply{Text: "High water is at noon [1]."}
	}, append(discord.settings(), "WEB_SEARCH_PROVIDER=searxng", "WEB_SEARCH_URL="+web.URL, "FOOTNOTE_CONFIG="+
		folder(t, map[string]string{"footnote.yaml": "agent: sailor\nagents:\n  sailor: {tools: [web_search], force_use_tool: web_search}\n"})+"/footnote.yaml")...)
	w.run(t, "discord", "allow", discord.guild.ID)
	s := w.serve()
	defer s.stop(t)
	if err := discord.Until(w.ctx, discord.Connected); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	root := w.alice.Say(w.room, "", slacktest.Mention()+" When is high water?")
	w.until("the sources on Slack", func() bool { return strings.Contains(w.shown(root), "Tide tables (web)") })
	question := discord.ann.Mention(discord.general.ID, "When is high water?")
	if err := discord.Until(w.ctx, func() bool {
		all := discord.Answers(question)
		return len(all) > 0 && slices.Equal(all[len(all)-1].Labels, []string{"[1] Tide tables (web)"})
	}); err != nil {
		t.Fatalf("%v: Discord shows %+v\n%s", err, discord.Answers(question), s.log)
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("the web was searched %d times for two questions", n)
	}
}
