package main_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgsession/pgsessiontest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// browser is a signed-in person at a console.
type browser struct {
	testing.TB
	base, cookie string
}

// answer is what a console answers.
type answer struct {
	code    int
	body    string
	cookies []*http.Cookie
}

// send sends a request as a browser sends it from a page of the console.
func (b *browser) send(method, path string, form url.Values) answer {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), method, b.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if b.cookie != "" { // a cookie jar sends it over https alone
		r.AddCookie(&http.Cookie{Name: "__Host-footnote", Value: b.cookie})
	}
	w, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Body.Close()
	var body bytes.Buffer
	if _, err := io.Copy(&body, w.Body); err != nil {
		b.Fatal(err)
	}
	return answer{w.StatusCode, body.String(), w.Cookies()}
}

// page is the text of a page that opens.
func (b *browser) page(path string) string {
	b.Helper()
	w := b.send(http.MethodGet, path, nil)
	if w.code != http.StatusOK || len(w.body) > 100_000 {
		b.Fatalf("%s: %d, %d bytes\n%s", path, w.code, len(w.body), w.body)
	}
	return w.body
}

// signIn signs in with a link that the command prints.
func signIn(t testing.TB, p *program, base string, flags ...string) *browser {
	t.Helper()
	b := &browser{TB: t, base: base}
	link := strings.TrimSpace(p.run(t, append([]string{"console", "link"}, flags...)...).stdout)
	path, found := strings.CutPrefix(link, base)
	if !found {
		t.Fatalf("the link is %q", link)
	}
	b.page(path) // a preview of the link spends nothing
	_, secret, _ := strings.Cut(link, "link=")
	w := b.send(http.MethodPost, "/sign-in", url.Values{"link": {secret}})
	if w.code != http.StatusSeeOther || len(w.cookies) != 1 {
		t.Fatalf("sign-in: %d\n%s", w.code, w.body)
	}
	b.cookie = w.cookies[0].Value
	return b
}

func TestConsoleShowsWhatThePersonMayRead(t *testing.T) {
	t.Parallel()
	c := newCrew(t, slacktest.Config{NoTiers: true})
	alice, bob, carol := c.slack.Person("alice", nil), c.slack.Person("bob", nil), c.slack.Person("carol", nil)
	room := c.slack.Channel("room", func(ch *slacktest.Channel) { ch.Private = true }, alice, bob)
	other := c.slack.Channel("other", func(ch *slacktest.Channel) { ch.Private = true }, alice)
	library(t, c.program, map[string]string{"wordroom": "channel:slack:" + room.ID, "wordmembers": "members"})
	at := footnotetest.FreeAddress(t)
	settings := []string{"CONSOLE_ADDR=" + at, "CONSOLE_URL=http://" + at}
	c.env[0] = append(c.env[0], settings...)
	p := c.program.with(settings...)
	c.serve(0)
	c.ask(0, alice, room, "wordroom", "wordmembers")
	c.ask(0, alice, other, "wordmembers")
	c.ask(0, alice, nil, "wordmembers") // a direct message

	// Bob is in one of the channels: he sees that question, its answer and passages.
	b := signIn(t, p, "http://"+at, "--for", "slack:"+bob.ID, "--as", "moderator")
	list := b.page("/questions")
	if strings.Count(list, `href="/questions/`) != 1 || !strings.Contains(list, "1 private question of other people") || !strings.Contains(list, "1 in channels that you are not in") {
		t.Errorf("bob's list:\n%s", list)
	}
	_, rest, _ := strings.Cut(list, `href="/questions/`)
	turn, _, _ := strings.Cut(rest, `"`)
	if one := b.page("/questions/" + turn); !strings.Contains(one, "<blockquote>") || !strings.Contains(one, "wordroom") {
		t.Errorf("bob's question:\n%s", one)
	}
	all := jsonOf[listedQuestions](t, p.run(t, "questions", "--json"))
	if len(all.Questions) != 2 || all.Counts.Private != 1 {
		t.Errorf("the terminal lists %+v", all)
	}
	for _, q := range all.Questions {
		if w := b.send(http.MethodGet, "/questions/"+q.Turn, nil); (w.code == http.StatusOK) != (q.Turn == turn) {
			t.Errorf("bob opens %s with %d:\n%s", q.Turn, w.code, w.body)
		}
	}
	for page, status := range map[string]int{"/today": http.StatusOK, "/gaps": http.StatusOK, "/sources": http.StatusForbidden} {
		if w := b.send(http.MethodGet, page, nil); w.code != status {
			t.Errorf("bob opens %s with %d:\n%s", page, w.code, w.body)
		}
	}
	// Why bob may read a document is explained to admins, by what the platform says now.
	admin := signIn(t, p, "http://"+at)
	for who, sees := range map[*browser]bool{b: true, admin: false} { // the channel's document is not for the terminal
		w := who.send(http.MethodPost, "/try", url.Values{"question": {"What does the " + vacation + " of wordroom say?"}})
		if w.code != http.StatusOK || strings.Contains(w.body, "says wordroom") != sees {
			t.Errorf("try it, %t: %d\n%s", sees, w.code, w.body)
		}
	}
	if _, err := database(t, p).Pool.Exec(t.Context(), `update document set url = 'https://docs.example/room' where external_id like '%wordroom%'`); err != nil {
		t.Fatal(err)
	}
	readers := "/sources/readers?" + url.Values{"for": {"slack:" + bob.ID}, "address": {"https://docs.example/room"}}.Encode()
	if page := admin.page(readers); !strings.Contains(page, "Yes, slack:"+bob.ID) || !strings.Contains(page, "by <code>channel:slack:"+room.ID) || strings.Contains(page, "platform was not asked") {
		t.Errorf("why bob may read it:\n%s", page)
	}
	// Alice asked all three.
	a := signIn(t, p, "http://"+at, "--for", "slack:"+alice.ID, "--as", "moderator")
	if list := a.page("/questions"); strings.Count(list, `href="/questions/`) != 3 {
		t.Errorf("alice's list:\n%s", list)
	}
	// An admin sees a private question for a reason that alice is told.
	d := signIn(t, p, "http://"+at, "--for", "slack:"+carol.ID, "--as", "admin")
	var private string
	if err := database(t, p).Pool.QueryRow(t.Context(), `select id::text from turn where direct and asker_id = $1`, alice.ID).Scan(&private); err != nil {
		t.Fatal(err)
	}
	if w := d.send(http.MethodGet, "/questions/"+private, nil); w.code != http.StatusNotFound {
		t.Errorf("before: %d", w.code)
	}
	for _, ref := range []string{"x", "e-1234-5678", "C0123/1.2", "\x00", "\xff", strings.Repeat("9", 400), "https://acme.slack.com/archives/C1/p1"} {
		if w := d.send(http.MethodPost, "/reveal", url.Values{"ref": {ref}, "reason": {"You reported a wrong answer."}}); w.code != http.StatusConflict || !strings.Contains(w.body, "There is no such question.") {
			t.Errorf("reveal %q: %d\n%s", ref, w.code, w.body)
		}
	}
	for _, odd := range []string{"%00", "%ff", "https://docs.example/%00", "https://docs.example/%ff"} {
		for _, page := range []string{"/sources/readers?for=slack:" + bob.ID + "&address=" + odd, "/questions?text=" + odd, "/questions?who=" + odd + "&channel=" + odd + "&outcome=" + odd} {
			if w := d.send(http.MethodGet, page, nil); w.code != http.StatusOK {
				t.Errorf("%s: %d\n%s", page, w.code, w.body)
			}
		}
		for _, page := range []string{"/sources/one?id=" + odd, "/setup/channels/edit?platform=slack&channel=" + odd, "/setup/channels/edit?platform=" + odd + "&workspace=" + odd, "/questions/" + strings.ReplaceAll(odd, "/", "%2f")} {
			if w := d.send(http.MethodGet, page, nil); w.code < 400 || w.code >= 500 {
				t.Errorf("%s: %d\n%s", page, w.code, w.body)
			}
		}
	}
	if w := d.send(http.MethodPost, "/reveal", url.Values{"ref": {private}, "reason": {"You reported a wrong answer."}}); w.code != http.StatusSeeOther {
		t.Errorf("reveal: %d\n%s", w.code, w.body)
	}
	if page := d.page("/questions/" + private); !strings.Contains(page, "You see this question for a reason") || strings.Count(d.page("/questions"), `href="/questions/`) != 1 {
		t.Errorf("after:\n%s", page)
	}
	if !slices.ContainsFunc(c.slack.Versions(), func(v slacktest.Version) bool {
		return strings.Contains(fmt.Sprintf("%+v", v), "You reported a wrong answer.")
	}) {
		t.Error("alice was not told")
	}
	// Bob leaves the channel, and with it his sight of the question.
	c.does(0, func() { bob.Leave(room) })
	if page := admin.page(readers); !strings.Contains(page, "No, slack:"+bob.ID) {
		t.Errorf("after bob has left the channel:\n%s", page)
	}
	if list := b.page("/questions"); strings.Contains(list, `href="/questions/`) || !strings.Contains(list, "2 in channels") {
		t.Errorf("after bob has left the channel:\n%s", list)
	}
	if w := b.send(http.MethodGet, "/questions/"+turn, nil); w.code != http.StatusNotFound || strings.Contains(w.body, "wordroom") {
		t.Errorf("after bob has left the channel: %d\n%s", w.code, w.body)
	}
	// The role is taken away.
	p.run(t, "console", "remove", "slack:"+bob.ID)
	if w := b.send(http.MethodGet, "/questions", nil); w.code != http.StatusSeeOther {
		t.Errorf("without a role: %d", w.code)
	}
	c.does(0, func() { alice.Become(func(p *slacktest.Person) { p.Deleted = true }) })
	if w := a.send(http.MethodGet, "/questions", nil); w.code != http.StatusForbidden {
		t.Errorf("who left the workspace: %d", w.code)
	}
}

// A moderator corrects an answer and removes it, on the page of its question: the messages in chat
// follow, and the audit trail names the moderator.
func TestConsoleChangesAnswersInChat(t *testing.T) {
	t.Parallel()
	c := newCrew(t, slacktest.Config{NoTiers: true})
	alice, bob := c.slack.Person("alice", nil), c.slack.Person("bob", nil)
	room := c.slack.Channel("room", func(ch *slacktest.Channel) { ch.Private = true }, alice, bob)
	library(t, c.program, map[string]string{"wordroom": "channel:slack:" + room.ID})
	at := footnotetest.FreeAddress(t)
	settings := []string{"CONSOLE_ADDR=" + at, "CONSOLE_URL=http://" + at}
	c.env[0] = append(c.env[0], settings...)
	p := c.program.with(settings...)
	c.serve(0)
	c.ask(0, alice, room, "wordroom")
	turn := jsonOf[listedQuestions](t, p.run(t, "questions", "--json")).Questions[0].Turn
	b := signIn(t, p, "http://"+at, "--for", "slack:"+bob.ID, "--as", "moderator")
	says := func(text string) func() bool {
		return func() bool {
			return slices.ContainsFunc(c.slack.Answers(room, c.slack.Roots(room)[0].TS), func(m slacktest.Message) bool { return strings.Contains(m.Shown(), text) })
		}
	}
	if form := b.page("/questions/" + turn + "/correct"); !strings.Contains(form, "ccording to") {
		t.Errorf("the form does not begin with the answer:\n%s", form)
	}
	if w := b.send(http.MethodPost, "/questions/"+turn+"/correct", url.Values{"key": {"k1"}, "text": {"The answer is thirty-one."}}); w.code != http.StatusSeeOther {
		t.Fatalf("correct: %d\n%s", w.code, w.body)
	}
	c.until("the correction is in chat", says("thirty-one"))
	if page := b.page("/questions/" + turn); !strings.Contains(page, "thirty-one") || !strings.Contains(page, "Corrected by bob") {
		t.Errorf("after the correction:\n%s", page)
	}
	// An account of the machine has no name in chat.
	if w := signIn(t, p, "http://"+at).send(http.MethodPost, "/questions/"+turn+"/remove", url.Values{"key": {"k"}}); w.code != http.StatusForbidden {
		t.Errorf("who signed in without an account: %d", w.code)
	}
	if w := b.send(http.MethodPost, "/questions/"+turn+"/remove", url.Values{"key": {"k2"}, "text": {"wrong"}}); w.code != http.StatusSeeOther {
		t.Fatalf("remove: %d\n%s", w.code, w.body)
	}
	c.until("the answer is gone", func() bool { return !says("thirty-one")() })
	trail := p.run(t, "audit", "--json").stdout
	for _, deed := range []string{"answer.correct", "answer.remove"} {
		if !strings.Contains(trail, deed) {
			t.Errorf("the trail lacks %s:\n%s", deed, trail)
		}
	}
}

func TestConsoleAtTheTerminal(t *testing.T) {
	t.Parallel()
	at := footnotetest.FreeAddress(t)
	p := newProgram(t, "CONSOLE_ADDR="+at, "CONSOLE_URL=http://"+at)
	p.run(t, "index", handbook(t))
	p.run(t, "ask", "How many vacation days does an employee have?")
	for _, q := range []string{"=What is the airspeed of a swallow?", "How fast is the airspeed of an unladen swallow?", "Which shoe size has the moon?"} {
		p.run(t, "ask", q)
	}
	// Questions at the terminal are private, and in no report.
	if r := p.run(t, "gaps"); r.stdout != "" || !strings.Contains(r.stderr, "0 questions") {
		t.Errorf("gaps of private questions:\n%s%s", r.stdout, r.stderr)
	}
	db := database(t, p)
	if _, err := db.Pool.Exec(t.Context(), `update turn set direct = false`); err != nil {
		t.Fatal(err)
	}
	if r := p.run(t, "gaps"); !strings.Contains(r.stdout, "2 questions of 1 person") || !strings.Contains(r.stderr, "1 gap; 1 like no other. Questions that were asked in private are not counted.") {
		t.Errorf("gaps:\n%s%s", r.stdout, r.stderr)
	}
	if csv := p.run(t, "gaps", "--csv").stdout; strings.Count(csv, "\n") != 2 || slices.ContainsFunc(strings.FieldsFunc(csv, func(r rune) bool { return r == ',' || r == '\n' }), func(cell string) bool {
		return strings.HasPrefix(strings.Trim(cell, `"`), "=")
	}) {
		t.Errorf("the CSV is\n%s", csv)
	}
	found := jsonOf[struct {
		Questions, Single int
		Gaps              []struct {
			Size, Askers int
			Trend        string
		}
	}](t, p.run(t, "gaps", "--json"))
	if found.Questions != 3 || len(found.Gaps) != 1 || found.Gaps[0].Size != 2 || found.Gaps[0].Trend != "rising" {
		t.Errorf("gaps --json: %+v", found)
	}
	replica := footnotetest.Serve(t, binary, footnotetest.Environment(append(p.env, "HTTP_ADDR="+footnotetest.FreeAddress(t))...))
	replica.Ready()
	b := signIn(t, p, "http://"+at)
	for page, want := range map[string]string{"/today": "What to look at", "/questions": "vacation days", "/questions?text=moon": "shoe size", "/gaps": "2 questions of 1 person", "/sources": "by hand", "/setup": "There are no agents", "/setup/projects": "There are no projects", "/setup/sets": "There are no document sets", "/setup/channels": "Everywhere", "/try": "The answer rests on what you may read"} {
		if body := b.page(page); !strings.Contains(strings.ToLower(body), strings.ToLower(want)) {
			t.Errorf("%s lacks %q:\n%s", page, want, body)
		}
	}
	if w := b.send(http.MethodPost, "/try", url.Values{"question": {"How many vacation days does an employee have?"}}); w.code != http.StatusOK || !strings.Contains(w.body, "<li>Searching") ||
		!strings.Contains(w.body, "thirty vacation days") || !strings.Contains(w.body, `<a class="note" href="#c1">`) || strings.Contains(w.body, "ZgotmplZ") {
		t.Errorf("try it: %d\n%s", w.code, w.body)
	}
	if trail := p.run(t, "audit", "--json").stdout; !strings.Contains(trail, `"door":"page"`) {
		t.Errorf("the trail:\n%s", trail)
	}
	_, rest, _ := strings.Cut(b.page("/sources"), `href="/sources/one?id=`)
	id, _, _ := strings.Cut(rest, `"`)
	name, err := url.QueryUnescape(id)
	if err != nil {
		t.Fatal(err)
	}
	if page := b.page("/sources/one?id=" + id); !strings.Contains(page, `value="pause"`) || strings.Contains(page, `value="run"`) {
		t.Errorf("the source:\n%s", page)
	}
	if w := b.send(http.MethodPost, "/sources/one", url.Values{"id": {name}, "do": {"pause"}}); w.code != http.StatusSeeOther {
		t.Errorf("pause: %d\n%s", w.code, w.body)
	}
	if list := p.run(t, "sources").stdout; !strings.Contains(list, "paused") || !strings.Contains(b.page("/sources/one?id="+id), `value="resume"`) {
		t.Errorf("after the pause:\n%s", list)
	}
	if trail := p.run(t, "audit", "--json").stdout; !strings.Contains(trail, `"source.pause"`) {
		t.Errorf("the trail:\n%s", trail)
	}
	if r := p.try(t, "", "sources", "run", name); r.code != 2 || !strings.Contains(r.stderr, "paused") {
		t.Errorf("a paused source is run: %+v", r)
	}
	p.run(t, "sources", "resume", name)
	if r := p.try(t, "", "sources", "run", name); r.code != 2 || !strings.Contains(r.stderr, "no schedule") {
		t.Errorf("a source without a schedule is run: %+v", r)
	}
	if list := p.run(t, "console", "list").stdout; !strings.Contains(list, "console:") || !strings.Contains(list, "admin") {
		t.Errorf("the list is\n%s", list)
	}
	for _, wrong := range [][]string{{"link", "--for", "slack:UNOONE"}, {"link", "--for", "discord:123456789012345678"}, {"link", "--as", "owner"}} {
		if r := p.try(t, "", append([]string{"console"}, wrong...)...); r.code != 2 || strings.Contains(r.stdout, "http") {
			t.Errorf("console %v: %+v", wrong, r)
		}
	}
	if r := p.with("CONSOLE_URL=").try(t, "", "console", "link"); r.code != 2 || !strings.Contains(r.stderr, "CONSOLE_URL is not set") {
		t.Errorf("without an address: %+v", r)
	}
	if r := (&program{env: []string{"CONSOLE_OIDC_ISSUER=https://id.example"}}).try(t, "", "console", "list"); r.code != 2 || !strings.Contains(r.stderr, "CONSOLE_OIDC_CLIENT_ID") || !strings.Contains(r.stderr, "CONSOLE_URL") {
		t.Errorf("a provider without a console: %+v", r)
	}
	for setting, says := range map[string]string{"http://console.example.org": "https://", "https://x.example/console": "its own host", "console": "http"} {
		if r := (&program{env: []string{"CONSOLE_URL=" + setting}}).try(t, "", "console", "list"); r.code != 2 || !strings.Contains(r.stderr, "CONSOLE_URL") || !strings.Contains(r.stderr, says) {
			t.Errorf("CONSOLE_URL=%s: %+v", setting, r)
		}
	}
}

// BenchmarkConsole opens pages with 100,000 questions stored, from the request until the whole page
// was read.
func BenchmarkConsole(b *testing.B) {
	at := footnotetest.FreeAddress(b)
	p := newProgram(b, "CONSOLE_ADDR="+at, "CONSOLE_URL=http://"+at)
	p.run(b, "index", handbook(b))
	pgsessiontest.FillQuestions(b, database(b, p), 100_000)
	replica := footnotetest.Serve(b, binary, footnotetest.Environment(append(p.env, "HTTP_ADDR="+footnotetest.FreeAddress(b))...))
	replica.Ready()
	reader := signIn(b, p, "http://"+at)
	list := reader.page("/questions")
	_, rest, _ := strings.Cut(list, `href="/questions/`)
	turn, _, _ := strings.Cut(rest, `"`)
	for _, page := range []string{
		"/today", "/questions", "/questions?outcome=no_evidence", "/questions?text=vacation", "/questions?text=4711", "/questions?who=U1&wanting=1", "/questions/" + turn, "/gaps?since=1d", "/sources",
	} {
		b.Run(strings.ReplaceAll(strings.TrimSuffix(page, turn), "/", " "), func(b *testing.B) {
			reader.TB = b
			size := 0
			for b.Loop() {
				size = len(reader.page(page))
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
