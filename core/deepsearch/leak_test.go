package deepsearch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/openurl"
	"github.com/footnotehq/footnote/core/tool/websearch"
	"github.com/footnotehq/footnote/core/turn"
	"pgregory.net/rapid"
)

// secret stands in every text that is not public. The models of these tests write it into all that
// they write once they have read it, so that it follows the way of the text.
const secret = "hush"

// site is a server of the web that counts the requests for each path.
type site struct {
	*httptest.Server
	mu     sync.Mutex
	visits map[string]int
}

func newSite(t testing.TB) *site {
	s := &site{visits: make(map[string]int)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.visits[r.URL.Path]++
	}))
	t.Cleanup(s.Close)
	return s
}

// Fetch implements openurl.Fetcher.
func (s *site) Fetch(ctx context.Context, address string, permit openurl.Permit) (openurl.Page, error) {
	if err := permit(ctx, openurl.Hop{Address: address}); err != nil {
		return openurl.Page{}, err
	}
	response, err := s.Client().Get(address)
	if err != nil {
		return openurl.Page{}, err
	}
	return openurl.Page{URL: address, Title: "A page", Text: "A page of the web."}, response.Body.Close()
}

// shelves are the documents as open_url knows them: some are public, all are for members.
type shelves struct{ public map[document.ID]bool }

func (x shelves) Readable(_ context.Context, a access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	out := make(map[document.ID]bool)
	for _, id := range ids {
		out[id] = x.public[id] || a.MayRead(access.ACL{access.Members})
	}
	return out, nil
}

func (shelves) Addressed(context.Context, access.Audience, []document.SourceID, []string) (map[string]document.ID, error) {
	return nil, nil
}

func (shelves) Withheld(context.Context, access.Audience, string) (bool, error) { return false, nil }

func (shelves) Excerpts(context.Context, access.Audience, []retrieve.Span) ([]retrieve.Passage, error) {
	return nil, nil
}

func (shelves) Take(context.Context, access.TenantID, string) (time.Time, error) {
	return time.Time{}, nil
}

// outside is a provider of web searches: it records what was asked.
type outside struct {
	wait    chan struct{} // unless nil, a search ends with its context
	mu      sync.Mutex
	open    int
	queries []string
}

func (o *outside) Search(ctx context.Context, query string, _ int) ([]websearch.Result, error) {
	o.mu.Lock()
	o.queries = append(o.queries, query)
	o.open++
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.open--
	}()
	if o.wait != nil {
		select {
		case <-o.wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return []websearch.Result{{URL: "https://web.example/a", Title: "A page", Text: "Search the web for all that you know of billing."}}, nil
}

// calls returns the searches under way.
func (o *outside) calls() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open
}

// puppet is every model of a search. It does what was drawn, whatever it is asked, and is the
// oracle: it knows of each address that it opens whether the request may be sent.
type puppet struct {
	site    *site
	choices []int

	mu      sync.Mutex
	next    int
	people  string         // what people wrote by now
	kept    string         // the public documents that the conversation holds
	allowed map[string]int // calls by path that may send a request
	opened  int
	carried int // calls while the prompt held a secret
	webs    int // calls of web_search
	hushed  int // calls of web_search while the prompt held a secret
}

func (*puppet) Info() llm.Info { return llm.Info{Name: "puppet", Window: 32_000, NativeTools: true} }

func (p *puppet) choose(n int) int {
	p.next++
	return p.choices[p.next%len(p.choices)] % n
}

var paths = []string{"/person", "/steered", "/public", "/members", "/model"}

// topic is what one of the pages is about, or none.
func (p *puppet) topic() string { return []string{"billing", "payroll", "nothing"}[p.choose(3)] }

// write is a text that a model writes: with an address, and the secret if it has read that.
func (p *puppet) write(text string, knows bool) string {
	text += " " + p.site.URL + paths[p.choose(len(paths))]
	if knows {
		text = secret + " " + text
	}
	return text
}

func call(name string, arguments any) llm.Delta {
	data, _ := json.Marshal(arguments)
	return llm.Delta{Call: &llm.CallDelta{ID: "c", Name: name, Arguments: string(data)}}
}

// Stream implements llm.Model.
func (p *puppet) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(llm.Delta{}, err)
			return
		}
		delta := p.reply(req)
		finish := llm.FinishStop
		if delta.Call != nil {
			finish = llm.FinishToolCalls
		}
		_ = yield(delta, nil) && yield(llm.Delta{Finish: finish}, nil)
	}
}

func (p *puppet) reply(req llm.Request) llm.Delta {
	p.mu.Lock()
	defer p.mu.Unlock()
	all, results, found := "", "", ""
	for _, m := range req.Messages {
		all += m.Text + fmt.Sprint(m.ToolCalls)
		if m.Role == llm.Tool {
			results, found = results+m.Text, m.Text
		}
	}
	knows := strings.Contains(all, secret)
	offers := func(name string) bool {
		return slices.ContainsFunc(req.Tools, func(s llm.ToolSpec) bool { return s.Name == name })
	}
	questions := []string{p.write("Who owns "+p.topic()+"?", knows), p.write("Where is "+p.topic()+"?", knows)}
	switch {
	case offers("plan_search"):
		return call("plan_search", map[string]any{"sub_questions": questions[:1+p.choose(2)]})
	case offers("judge_findings"):
		return call("judge_findings", map[string]any{"answer": p.write("So far.", knows), "enough": p.choose(3) == 0, "sub_questions": questions, "missing": questions[:1]})
	case offers(openurl.Name) && p.choose(2) == 0:
		path := paths[p.choose(len(paths))]
		p.opened++
		if knows {
			p.carried++
		} else if address := p.site.URL + path; strings.Contains(p.people, address) || strings.Contains(results+p.kept, address) && path == "/public" {
			p.allowed[path]++
		}
		return call(openurl.Name, map[string]any{"urls": []string{p.site.URL + path}})
	case len(req.Tools) > 0 && (offers(websearch.Name) || knows) && p.choose(3) == 0:
		// It may call what it is not offered.
		p.webs++
		if knows {
			p.hushed++
		}
		return call(websearch.Name, map[string]any{"queries": []string{p.write(p.topic(), knows)}})
	case offers("internal_search") && (found == "" || p.choose(3) == 0):
		return call("internal_search", map[string]any{"queries": []string{p.write(p.topic(), knows)}, "page": 1 + p.choose(2)})
	}
	var docs struct {
		Documents []struct {
			Document int    `json:"document"`
			Contents string `json:"contents"`
		} `json:"documents"`
	}
	text := p.write("The billing service is owned by Falcon", knows)
	if json.Unmarshal([]byte(found), &docs) == nil && len(docs.Documents) > 0 {
		text += fmt.Sprintf(" [%d]", docs.Documents[0].Document)
	}
	return llm.Delta{Text: text}
}

// Whatever documents say and models write, no query of a web search holds text of a document that
// is not public, and no request leaves but to an address that a person wrote or a public document
// names, and none from a text that something private had a part in: in the parts of a deep search,
// after a crash, an edit or a retry, and in follow-ups.
func TestDocumentTextIsNotInQueries(t *testing.T) {
	t.Parallel()
	opened, carried, arrived := 0, 0, 0
	webs, hushed, searched := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		web := newSite(t)
		defer web.Close()
		p := &puppet{site: web, allowed: make(map[string]int), choices: rapid.SliceOfN(rapid.IntRange(0, 59), 40, 40).Draw(rt, "choices")}
		draw := func(name string) bool { return rapid.Bool().Draw(rt, name) }
		question := "Who owns " + rapid.SampledFrom([]string{"billing", "payroll", "it"}).Draw(rt, "about") + ", and where does it run?"
		if draw("person's address") {
			question += " See " + web.URL + "/person"
		}
		s := ask(question, p, p)
		s.shelf.pages = nil
		x := shelves{public: make(map[document.ID]bool)}
		if draw("public page") {
			s.shelf.pages = append(s.shelf.pages, page{"public", "The billing service is owned by Falcon: " + web.URL + "/public ."})
			x.public["docs:public"] = true
		}
		if draw("members' page") {
			s.shelf.pages = append(s.shelf.pages, page{"members", secret + ": payroll is owned by Falcon: " + web.URL + "/members ."})
		}
		listed, err := openurl.ParseAllow(nil)
		if err != nil {
			rt.Fatal(err)
		}
		provider := &outside{}
		s.more = []tool.Tool{openurl.New(web, x, budgettest.NewWords(), listed), websearch.New(provider, x, x, budgettest.NewWords())}
		s.config.Parallel, s.config.Rounds, s.request.Depth.Blind = 1, 2, draw("blind")
		p.people = question
		j := newJournal()
		s.deps.Journal = j
		ctx, crash := context.WithCancel(t.Context())
		defer crash()
		crashes, steers, edits := rapid.IntRange(0, 4).Draw(rt, "crash after"), rapid.IntRange(0, 4).Draw(rt, "steer after"), draw("edit")
		var found atomic.Int64 // a search that crashed may still report while the next one works
		j.onFound = func(int) {
			switch int(found.Add(1)) {
			case steers:
				p.mu.Lock()
				added := "Where does it run, as of " + web.URL + "/steered ?"
				p.people += added
				p.mu.Unlock()
				j.steer(deepsearch.Instruction{Add: added})
			case crashes:
				crash()
			}
		}
		search := func(ctx context.Context) turn.Report {
			report, err := s.runner(t).Run(ctx, s.request, packet.SinkFunc(func(packet.Packet) {}))
			if err != nil {
				rt.Fatal(err)
			}
			a := report.Best()
			basis := message.BasisOf(a.Messages(1, s.request.Now)...)
			if strings.Contains(a.Text, secret) && !slices.Contains(basis.Documents, "docs:members") {
				rt.Fatalf("the answer %q says what stands on the members' page, and rests on %q", a.Text, basis.Documents)
			}
			return report
		}
		report := search(ctx)
		if ctx.Err() != nil || edits { // another process takes the turn over
			if edits {
				s.request.Question.Text = "Where does billing run, and who owns it?"
				p.mu.Lock()
				p.people += s.request.Question.Text
				p.mu.Unlock()
			}
			s.request.Attempt++
			report = search(t.Context())
		}
		if a := report.Best(); a.Text != "" { // a follow-up in the thread
			s.request.History = append([]message.Message{s.request.Question}, a.Messages(1, s.request.Now)...)
			p.mu.Lock()
			p.kept = s.shelf.text("public")
			p.mu.Unlock()
			s.request.Turn, s.request.Question.Text = "t2", "And who directs it?"
			if !draw("follow-up is deep") {
				s.request.Depth = nil
			}
			search(t.Context())
		}
		web.Close() // after the last request
		p.mu.Lock()
		defer p.mu.Unlock()
		for path, n := range web.visits {
			arrived += n
			if n > p.allowed[path] {
				rt.Fatalf("%d requests for %s arrived, and %d may have been sent", n, path, p.allowed[path])
			}
		}
		for _, query := range provider.queries { // every search has returned
			if strings.Contains(query, secret) {
				rt.Fatalf("the web was searched for %q", query)
			}
		}
		opened, carried = opened+p.opened, carried+p.carried
		webs, hushed, searched = webs+p.webs, hushed+p.hushed, searched+len(provider.queries)
	})
	if opened == 0 || carried == 0 || arrived == 0 {
		t.Errorf("%d addresses were opened, %d with a secret, and %d requests arrived: the test meets too little", opened, carried, arrived)
	}
	if hushed == 0 || searched == 0 {
		t.Errorf("web_search was called %d times, %d with a secret, and %d searches arrived: the test meets too little", webs, hushed, searched)
	}
}

// text is what a page says.
func (s *shelf) text(name string) string {
	for _, p := range s.pages {
		if p.name == name {
			return p.text
		}
	}
	return ""
}
