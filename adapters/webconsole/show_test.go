package webconsole_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/gaps"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/thread"
)

// ask stores a question in a channel that rests on documents with these numbers.
func (c *console) ask(id, text, answer string, rests ...int) *review.Question {
	var m message.Message
	m.Role = message.Assistant
	run := session.Run{Model: "m", Shown: answer, Ending: session.Ending{Outcome: session.Answered}}
	for _, n := range rests {
		ref, chunk := document.Ref{ID: document.ID(fmt.Sprint("d", n)), Title: c.title(n), URL: "https://docs.example/" + fmt.Sprint(n)}, document.ChunkID(n)
		m.Documents = append(m.Documents, message.Reference{Number: n, Document: ref, Chunk: &chunk, Text: c.texts[chunk]})
		m.Citations = append(m.Citations, message.Citation{Number: n, ModelSees: n, Document: ref, Link: ref.URL})
		run.Searches = append(run.Searches, retrieve.Account{Trace: retrieve.Trace{Queries: []string{"about " + c.title(n)}}, Found: []retrieve.Found{{Document: ref.ID, Title: ref.Title}}})
	}
	run.Messages = []message.Message{m}
	q := review.Question{
		Turn: session.TurnID(id), At: c.now, Ref: thread.Ref{Platform: "slack", Workspace: "W", Channel: "C1"}, Asker: thread.Person{ID: "U9", Name: "Zoe"},
		Outcome: session.Answered, Text: text,
	}
	c.asked = append(c.asked, q)
	c.saved[q.Turn] = session.Saved{Outcome: session.Answered, Runs: []session.Run{run}}
	return &c.asked[len(c.asked)-1]
}

func (c *console) title(n int) string { return fmt.Sprint("Title", n, c.suffix) }

// A moderator who opens a question that rests on passages for others sees neither the answer nor
// anything of them, and private questions of other people not at all.
func TestModeratorSeesWhatTheyMayRead(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.acls["d1"], c.acls["d2"] = access.ACL{access.Members}, access.ACL{"group:board"}
	c.texts[1], c.texts[2] = "open passage", "secret passage"
	c.ask("t1", "open question", "open answer [[1]](https://docs.example/1)", 1)
	c.ask("t2", "mixed question", "secret answer [[1]](https://docs.example/1) [[2]](https://docs.example/2)", 1, 2)
	c.ask("t3", "private question", "private answer", 1).Direct = true
	c.ask("t4", "question elsewhere", "answer elsewhere", 1).Ref.Channel = "C2"
	c.held["U1"] = []access.Principal{access.Members, access.Channel("slack", "C1")}
	cookie := c.signIn("U1", review.Moderator)
	list := c.do(http.MethodGet, "/questions", cookie, nil).Body.String()
	for _, want := range []string{"open question", "mixed question", "2 private questions", "3 in channels"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %q:\n%s", want, list)
		}
	}
	if strings.Contains(list, "private question<") || strings.Contains(list, "elsewhere") {
		t.Errorf("the list shows:\n%s", list)
	}
	open := c.do(http.MethodGet, "/questions/t1", cookie, nil).Body.String()
	for _, want := range []string{`open answer <a class="note" href="#c1">[1]</a>`, "<blockquote>open passage</blockquote>", `href="https://docs.example/1"`, "about Title1"} {
		if !strings.Contains(open, want) {
			t.Errorf("the question lacks %q:\n%s", want, open)
		}
	}
	mixed := c.do(http.MethodGet, "/questions/t2", cookie, nil).Body.String()
	if strings.Contains(mixed, "secret") || strings.Contains(mixed, "Title2") || strings.Contains(mixed, "docs.example/2") || !strings.Contains(mixed, "mixed question") ||
		!strings.Contains(mixed, "not shown") || !strings.Contains(mixed, "open passage") {
		t.Errorf("the question shows:\n%s", mixed)
	}
	for _, hidden := range []string{"t3", "t4", "none"} {
		if w := c.do(http.MethodGet, "/questions/"+hidden, cookie, nil); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "answer") {
			t.Errorf("%s: %d\n%s", hidden, w.Code, w.Body)
		}
	}
}

// What a question cost is shown to those alone who open costs.
func TestCostsAreForAdmins(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.ask("t1", "question", "answer")
	c.prices = spend.Prices{Currency: "EUR", Models: map[string]spend.Price{"m": {Input: 1_000_000_000}}}
	c.saved["t1"].Runs[0].Usage.Input = 1000
	c.held["U1"] = []access.Principal{access.Channel("slack", "C1")}
	cookie := c.signIn("U1", review.Admin)
	for role, sees := range map[review.Role]bool{review.Admin: true, review.Moderator: false} {
		c.roles[account("U1")] = role
		if body := c.do(http.MethodGet, "/questions/t1", cookie, nil).Body.String(); strings.Contains(body, "EUR") != sees || strings.Contains(body, "Cost") != sees || !strings.Contains(body, "1000") {
			t.Errorf("%s sees:\n%s", role, body)
		}
	}
}

// hostile tries to leave the text of a page in every way that matters.
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>' onmouseover='alert(3) {{.}} </title> javascript:alert(4)`

// What people, documents and models write is text, wherever a page shows it.
func TestTextIsNeverMarkup(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.acls["d1"] = access.ACL{access.Public}
	c.texts[1] = hostile
	c.ask("t1", hostile, hostile+"[[1]](javascript:alert(5))", 1)
	saved := c.saved["t1"]
	saved.Runs[0].Model = hostile
	answer := &saved.Runs[0].Messages[0]
	answer.Citations[0].Document.Title, answer.Citations[0].Section, answer.Citations[0].Link = hostile, hostile, "javascript:alert(6)"
	saved.Runs[0].Searches[0].Queries, saved.Runs[0].Searches[0].Found[0].Title = []string{hostile}, hostile
	saved.Runs[0].Ending.Closest = []document.Ref{{ID: "d1", Title: hostile, URL: "data:text/html,<script>"}, {ID: "d1", Title: "file", URL: "file:///srv/a.md"}}
	saved.Correction = nil
	c.asked[0].Asker.Name, c.asked[0].Ref.Channel, c.asked[0].Down = hostile, "C1", 1
	c.held["U1"] = []access.Principal{access.Channel("slack", "C1")}
	c.sources = []review.Source{{ID: hostile, Name: hostile, Kind: hostile, NextRun: hostile, People: hostile, Faults: []string{hostile}, Bound: hostile, Loops: []review.Loop{{Name: hostile}}, Offers: sources.Acts()}}
	c.set = review.Setup{
		File: hostile, Agents: []review.Agent{{Name: hostile, Instructions: hostile, Reminder: hostile, Tools: []string{hostile}, DocumentSets: []string{hostile}}},
		Projects: []review.Project{{Name: hostile, Files: []review.ProjectFile{{Path: hostile, BaseURL: hostile, Readers: access.ACL{access.Public, hostile}}}}},
		Sets:     []review.DocumentSet{{Name: hostile, Sources: []string{hostile}, Agents: []string{hostile}}},
		Places:   []review.Place{{Place: session.Place{Channel: hostile}, Settings: []review.PlaceSetting{{Key: hostile, Value: hostile, Origins: []policy.Origin{{Changed: true, By: hostile}}}}}},
	}
	c.answer.Documents = []review.Readers{{Readers: access.ACL{hostile}, Through: []access.Held{{Principal: hostile, From: hostile}}}}
	c.today = review.Today{Findings: []review.Finding{{Part: hostile, Text: hostile}}, Costs: []review.Cost{{Currency: hostile}}, Days: []review.Day{{Outcomes: map[session.Outcome]int{session.Answered: 7}}}}
	c.report = gaps.Report{Clusters: []gaps.Cluster{{Label: hostile, Questions: c.asked, Owners: []string{hostile}, Closest: []document.Ref{{Title: hostile, URL: "javascript:alert(7)"}}}}}
	cookie := c.signIn("U1", review.Admin)
	for _, target := range []string{"/today", "/questions", "/questions?text=" + strings.ReplaceAll(hostile, " ", "+") + "&who=%22%3E%3Cscript%3E&before=x", "/questions/t1", "/gaps", "/sources", "/setup", "/setup/projects", "/setup/sets", "/setup/channels", "/questions/t1/correct", "/sources/one?id=" + url.QueryEscape(hostile), "/sources/readers?for=slack:U7&address=" + url.QueryEscape(hostile), "/sources/readers?for=%22%3E%3Cscript%3E&address=x", "/sign-in?link=%22%3E%3Cscript%3E", "/questions/%3Cscript%3E"} {
		w := c.do(http.MethodGet, strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22", "'", "%27", "{", "%7B", "}", "%7D").Replace(target), cookie, nil)
		body := w.Body.String()
		for _, bad := range []string{"<script", "<img", `href="javascript:`, `href="data:`, "onmouseover='", "&amp;amp;", "ZgotmplZ"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s shows %q:\n%s", target, bad, body)
			}
		}
		if strings.Count(body, "</title>") != 1 || !strings.HasSuffix(strings.TrimSpace(body), "</html>") {
			t.Errorf("%s is no whole page: %d\n%s", target, w.Code, body)
		}
	}
	if body := c.do(http.MethodGet, "/today", cookie, nil).Body.String(); !strings.Contains(body, "<td>7</td>") {
		t.Errorf("the outcomes are missing:\n%s", body)
	}
}

// No page has more than 100 kB, whatever is stored.
func TestPagesAreSmall(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	long := strings.Repeat(`<"&'é漢 `, 3_000)
	c.suffix = long
	var rests []int
	for n := 1; n <= 100; n++ {
		c.acls[document.ID(fmt.Sprint("d", n))], c.texts[document.ChunkID(n)] = access.ACL{access.Public}, long
		rests = append(rests, n)
	}
	for n := range 60 {
		c.ask(fmt.Sprint("00000000-0000-7000-8000-0000000000", n+10), long, long, rests...)
	}
	c.held["U1"] = []access.Principal{access.Channel("slack", "C1")}
	readers := slices.Repeat(access.ACL{access.Public, "group:some group of a source"}, 100)
	for range 300 {
		c.sources = append(c.sources, review.Source{Name: "Handbook", Kind: "confluence", Faults: []string{long, long}})
		c.report.Clusters = append(c.report.Clusters, gaps.Cluster{Label: long, Questions: c.asked, Closest: []document.Ref{{Title: long}, {Title: long, URL: "https://x.example/" + strings.Repeat("x", 5000)}}})
		c.set.Agents = append(c.set.Agents, review.Agent{Name: "agent", Instructions: long, Reminder: long})
		c.set.Projects = append(c.set.Projects, review.Project{Name: "project", Files: []review.ProjectFile{{Path: long, BaseURL: long, Readers: readers}, {Path: long, Readers: readers}}})
		c.set.Sets = append(c.set.Sets, review.DocumentSet{Name: "set", Sources: slices.Repeat([]string{"some source"}, 100), Agents: slices.Repeat([]string{"agent"}, 100)})
		c.set.Places = append(c.set.Places, review.Place{Place: session.Place{Channel: "C1"}, Settings: slices.Repeat([]review.PlaceSetting{{Key: "follow", Value: long}}, 6)})
		c.answer.Documents = append(c.answer.Documents, review.Readers{Readers: readers})
		c.today.Days = append(c.today.Days[:min(len(c.today.Days), 13)], review.Day{Day: time.Now()})
	}
	cookie := c.signIn("U1", review.Admin)
	for _, target := range []string{"/today", "/questions", "/questions?text=" + strings.Repeat("%22", 30_000), "/questions/" + string(c.asked[0].Turn), "/gaps", "/sources", "/sources/one?id=", "/sources/readers?for=slack:U7&address=x", "/setup", "/setup/projects", "/setup/sets", "/setup/channels"} {
		w := c.do(http.MethodGet, target, cookie, nil)
		if w.Code != http.StatusOK || w.Body.Len() > 100_000 {
			t.Errorf("%.20s: %d, %d bytes", target, w.Code, w.Body.Len())
		}
		t.Logf("%.20s has %d bytes", target, w.Body.Len())
	}
	if w := c.do(http.MethodGet, "/style.css", "", nil); w.Body.Len() > 8_000 {
		t.Errorf("the style has %d bytes", w.Body.Len())
	}
}

// Behind a proxy everyone has the proxy's address. Sign-ins are counted by what the proxy says, and
// by nothing that a browser says itself.
func TestSignInsAreCountedByPersonBehindAProxy(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	status := func(from string, forwarded ...string) int {
		return c.do(http.MethodGet, "/sign-in", "", nil, func(r *http.Request) {
			r.RemoteAddr, r.Header["X-Forwarded-For"] = from, forwarded
		}).Code
	}
	limited := func(from string, forwarded func(n int) []string) bool {
		for n := range 100 {
			if status(from, forwarded(n)...) == http.StatusTooManyRequests {
				return true
			}
		}
		return false
	}
	for name, forwarded := range map[string]func(int) []string{
		"one address":         func(int) []string { return []string{"198.51.100.7"} },
		"made-up ones before": func(n int) []string { return []string{fmt.Sprintf("203.0.113.%d, 198.51.100.8", n)} },
		"made-up headers":     func(n int) []string { return []string{fmt.Sprintf("203.0.113.%d", n), "198.51.100.9"} },
	} {
		if !limited("127.0.0.1:4000", forwarded) {
			t.Errorf("%s: not limited", name)
		}
	}
	if got := status("127.0.0.1:4000", "198.51.100.10"); got != http.StatusOK {
		t.Errorf("another person behind the proxy: %d", got)
	}
	if !limited("192.0.2.1:4000", func(n int) []string { return []string{fmt.Sprintf("203.0.113.%d", n)} }) {
		t.Error("a browser without a proxy chooses its address")
	}
}

// Documents and questions may hold characters that reorder or hide what is next to them.
func TestPagesHoldNoInvisibleCharacters(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.suffix, c.acls["d1"], c.texts[1] = "\u202ezyx", access.ACL{access.Members}, "pass\u2066age"
	c.ask("t1", "ques\u202etion", "ans\x01wer \U000e0041[[1]](https://docs.example/1)", 1)
	c.held["U1"] = []access.Principal{access.Members, access.Channel("slack", "C1")}
	cookie := c.signIn("U1", review.Admin)
	for _, page := range []string{"/questions", "/questions/t1"} {
		body := c.do(http.MethodGet, page, cookie, nil).Body.String()
		if strings.ContainsAny(body, "\u202e\u2066\x01\U000e0041") || !strings.Contains(body, "question") {
			t.Errorf("%s: %q", page, body)
		}
	}
}
