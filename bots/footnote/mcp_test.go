package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/adapters/mcp/mcptest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/session/dicetest"
)

// assistants are clients of a crew's replicas with personal tokens.
type assistants struct {
	*crew
	urls [2]string
}

func newAssistants(t *testing.T, settings ...string) *assistants {
	t.Helper()
	a := &assistants{crew: newCrew(t, slacktest.Config{NoTiers: true})}
	for i, env := range a.env {
		at := slices.IndexFunc(env, func(s string) bool { return strings.HasPrefix(s, "HTTP_ADDR=") })
		a.urls[i] = "http://" + strings.TrimPrefix(env[at], "HTTP_ADDR=") + "/mcp"
		a.env[i] = append(append(env, "MCP_URL="+a.urls[i]), settings...)
	}
	return a
}

// token makes a token for a person, as soon as the server knows the person.
func (a *assistants) token(who *slacktest.Person) (secret, id string) {
	a.Helper()
	ctx, cancel := context.WithTimeout(a.Context(), limit)
	defer cancel()
	for {
		r := a.program.try(a, "", "tokens", "create", who.Name, "--for", "slack:"+who.ID)
		if r.code == 0 {
			var rest string
			secret, rest, _ = strings.Cut(r.stdout, "\n")
			if _, err := fmt.Sscanf(strings.TrimSpace(rest), "This is token %s for", &id); err != nil {
				a.Fatalf("%v: %s", err, r.stdout)
			}
			return secret, id
		}
		if ctx.Err() != nil || !strings.Contains(r.stderr, "is not known") {
			a.Fatalf("no token: %+v", r)
		}
	}
}

func (a *assistants) dial(to int, secret string) *mcptest.Client {
	a.Helper()
	client, err := mcptest.Dial(a, a.urls[to], secret)
	if err != nil {
		a.Fatal(err)
	}
	return client
}

// wordsIn are the words that a text holds.
func wordsIn(text string, words []string) []string {
	var all []string
	for _, w := range words {
		if strings.Contains(text, w+".") {
			all = append(all, w)
		}
	}
	return all
}

// pages are the ids of the documents that a result holds.
func pages(t *testing.T, result string) []string {
	t.Helper()
	_, data, _ := strings.Cut(result, "\n")
	var read struct {
		Documents []struct {
			Page string `json:"page_id"`
		}
	}
	if err := json.Unmarshal([]byte(data), &read); err != nil {
		t.Fatalf("%v\n%s", err, result)
	}
	var ids []string
	for _, d := range read.Documents {
		ids = append(ids, d.Page)
	}
	return ids
}

// Whatever happens in a Slack, and whichever of two processes hears of it: an assistant finds and
// reads what its person may read at that moment, and nothing else.
func TestAssistantsReadWhatTheirPersonsMay(t *testing.T) {
	t.Parallel()
	a, die := newAssistants(t), dicetest.New(t)
	alice, bob := a.slack.Person("alice", nil), a.slack.Person("bob", nil)
	room := a.slack.Channel("closed", func(ch *slacktest.Channel) { ch.Private = true }, alice, bob)
	acls := map[string]string{"wordmembers": "members", "wordpublic": "public", "wordalice": "user:slack:" + alice.ID, "wordroom": "channel:slack:" + room.ID}
	words := []string{"wordalice", "wordmembers", "wordpublic", "wordroom"}
	library(t, a.program, acls)
	all := pages(t, a.everything(alice, room))
	if len(all) != len(words) {
		t.Fatalf("there are %v", all)
	}
	a.serve(0)
	a.serve(1)
	people := []*slacktest.Person{alice, bob}
	var clients [2][2]*mcptest.Client // by person and replica
	for i, p := range people {
		secret, _ := a.token(p)
		clients[i] = [2]*mcptest.Client{a.dial(0, secret), a.dial(1, secret)}
	}
	may := func(p *slacktest.Person) []string {
		var want []string
		for _, w := range words {
			switch {
			case w == "wordalice" && p != alice, w == "wordmembers" && p.Guest, w == "wordroom" && !slices.Contains(room.Members, p.ID):
			default:
				want = append(want, w)
			}
		}
		return want
	}
	for range rounds / 3 {
		i := die.IntN(2)
		who := people[i]
		a.does(die.IntN(2), func() {
			switch {
			case die.IntN(2) == 0:
				who.Become(func(p *slacktest.Person) { p.Guest = !p.Guest })
			case slices.Contains(room.Members, who.ID):
				who.Leave(room)
			default:
				who.Join(room)
			}
		})
		want := may(who)
		if got := wordsIn(clients[i][die.IntN(2)].Get("search", map[string]any{"query": "what does the " + vacation + " say"}), words); !slices.Equal(got, want) {
			t.Fatalf("%s finds %v, want %v", who.Name, got, want)
		}
		var read []string
		for _, id := range all { // some of which were found before
			text, refused, err := clients[i][die.IntN(2)].Call(t.Context(), "read_document", map[string]any{"document": id})
			if err != nil {
				t.Fatal(err)
			}
			read = append(read, wordsIn(text, words)...)
			if refused && !strings.Contains(text, "no document with this id") {
				t.Errorf("a document is refused with %q", text)
			}
		}
		if slices.Sort(read); !slices.Equal(read, want) {
			t.Fatalf("%s reads %v, want %v", who.Name, read, want)
		}
	}
	trail := a.program.run(t, "audit", "--who", bob.ID, "--json").stdout
	if !strings.Contains(trail, `"deed":"mcp.call"`) || strings.Contains(trail, vacation) || strings.Contains(trail, alice.ID) {
		t.Errorf("the audit trail of bob:\n%s", trail)
	}
}

// everything is what a search finds that may read all.
func (a *assistants) everything(alice *slacktest.Person, room *slacktest.Channel) string {
	a.Helper()
	p := a.program.with("CONSOLE_PRINCIPALS=members,user:slack:" + alice.ID + ",channel:slack:" + room.ID)
	client, err := mcptest.Start(a, p.command(a.ctx, "mcp"))
	if err != nil {
		a.Fatal(err)
	}
	return client.Get("search", map[string]any{"query": "what does the " + vacation + " say"})
}

func TestTokensEnd(t *testing.T) {
	t.Parallel()
	a := newAssistants(t)
	alice, bob := a.slack.Person("alice", nil), a.slack.Person("bob", nil)
	library(t, a.program, map[string]string{"wordpublic": "public"})
	a.serve(0)
	secret, id := a.token(alice)
	client := a.dial(0, secret)
	if got := client.Get("list_sources", nil); !strings.Contains(got, `"documents":1`) {
		t.Errorf("the sources are %s", got)
	}
	if list := a.program.run(t, "tokens").stdout; !strings.Contains(list, id) || !strings.Contains(list, "valid") || strings.Contains(list, secret) {
		t.Errorf("the list shows:\n%s", list)
	}
	refused := func(why string) {
		t.Helper()
		if text, _, err := client.Call(t.Context(), "search", map[string]any{"query": vacation}); err == nil || text != "" {
			t.Errorf("%s, and its token finds %q", why, text)
		}
		var err error
		if client, err = mcptest.Dial(t, a.urls[0], secret); err == nil {
			t.Errorf("%s, and its token connects", why)
		}
	}
	db := database(t, a.program)
	change := func(sql string) {
		t.Helper()
		if _, err := db.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	change(`update access_token set expires_at = clock_timestamp() - interval '1 second'`)
	refused("it has expired")
	change(`update access_token set expires_at = clock_timestamp() + interval '1 day'`)
	client = a.dial(0, secret)
	change(`insert into tenant (id) values ('other'); update access_token set tenant_id = 'other'`)
	refused("it is another tenant's")
	change(`update access_token set tenant_id = 'default'`)
	client = a.dial(0, secret)
	if got := client.Get("search", map[string]any{"query": vacation}); !strings.Contains(got, "wordpublic") {
		t.Errorf("a valid token finds %s", got)
	}
	a.does(0, func() { alice.Become(func(p *slacktest.Person) { p.Deleted = true }) })
	if text, no, err := client.Call(t.Context(), "search", map[string]any{"query": vacation}); err != nil || !no || !strings.Contains(text, "has left") {
		t.Errorf("the person left: %q, %t, %v", text, no, err)
	}
	a.does(0, func() { alice.Become(func(p *slacktest.Person) { p.Deleted = false }) })
	a.program.run(t, "tokens", "revoke", id)
	refused("it was revoked")
	if r := a.program.try(t, "", "tokens", "revoke", id); r.code != 1 {
		t.Errorf("revoked twice: %+v", r)
	}
	a.program.run(t, "tokens", "create", strings.Repeat("語", 100), "--for", "slack:"+bob.ID)
	for _, wrong := range [][]string{{"x"}, {"x", "--for", "bob"}, {"x", "--for", "slack:UNOONE"}, {"x", "--for", "slack:" + bob.ID, "--expires", "400d"}, {" ", "--for", "slack:" + bob.ID}, {strings.Repeat("語", 101), "--for", "slack:" + bob.ID}} {
		if r := a.program.try(t, "", append([]string{"tokens", "create"}, wrong...)...); r.code != 2 || strings.Contains(r.stdout, "footnote_") {
			t.Errorf("tokens create %v: %+v", wrong, r)
		}
	}
}

// A page that was restricted since the last look is neither found nor read: Confluence is asked
// first.
func TestAssistantsAskTheSourceFirst(t *testing.T) {
	t.Parallel()
	site := confluencetest.NewServer(t, confluencetest.NewWorld(), true)
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("identity: {domains: [example.com]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := []string{"FOOTNOTE_CONFIG=" + file, "ALLOW_PRIVATE_HOSTS=127.0.0.1", "CONFLUENCE_EMAIL=" + site.Bot.Email, "CONFLUENCE_TOKEN=" + site.Token}
	a := newAssistants(t, settings...)
	words := []string{"wordopen", "wordsecret"}
	people := make(map[string]*slacktest.Person)
	for _, name := range []string{"alice", "bob"} {
		site.User(name)
		people[name] = a.slack.Person(name, nil)
	}
	space := site.Space("ENG", site.Site[0])
	site.Page(space, nil, "Open", "<p>The "+vacation+" says wordopen.</p>")
	secret := site.Page(space, nil, "Secret", "<p>The "+vacation+" says wordsecret.</p>")
	p := a.program.with(settings...)
	p.run(t, "sources", "add", "confluence", "--url", site.URL, "--deployment", "cloud", "--managed-domains", "example.com", "--name", "wiki")
	p.run(t, "index")
	a.serve(0)
	clients := make(map[string]*mcptest.Client)
	for name, person := range people {
		token, _ := a.token(person)
		clients[name] = a.dial(0, token)
	}
	query := map[string]any{"query": "what does the " + vacation + " say"}
	result := clients["bob"].Get("search", query)
	if got := wordsIn(result, words); !slices.Equal(got, words) {
		t.Fatalf("before anything is restricted bob finds %v", got)
	}
	site.Do(func() { secret.Read = []confluencetest.Subject{site.Bot} })
	if got := wordsIn(clients["alice"].Get("search", query), words); !slices.Equal(got, words[:1]) {
		t.Errorf("once a page is restricted alice finds %v", got)
	}
	var read []string
	for _, id := range pages(t, result) { // which bob passed on to alice
		text, refused, err := clients["alice"].Call(t.Context(), "read_document", map[string]any{"document": id})
		if err != nil {
			t.Fatal(err)
		}
		if refused && !strings.Contains(text, "no document with this id") {
			t.Errorf("refused with %q", text)
		}
		read = append(read, wordsIn(text, words)...)
	}
	if !slices.Equal(read, words[:1]) {
		t.Errorf("once a page is restricted alice reads %v", read)
	}
}

// Over the standard streams an assistant gets what the terminal may read, and the same passages as
// a question there.
func TestAssistantOverStandardStreams(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example")
	p.run(t, "index", folder(t, map[string]string{"board.md": "# Board\n\nThe board decides on vacation days.\n"}), "--acl", "group:board")
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("channels: [{platform: console, channel: mcp, user_quota: 4/day}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := p.with("FOOTNOTE_CONFIG="+file).command(t.Context(), "mcp")
	client, err := mcptest.Start(t, cmd)
	if err != nil {
		t.Fatal(err)
	}
	const question = "How many vacation days does an employee have?"
	result := client.Get("search", map[string]any{"query": question})
	if !strings.Contains(result, "thirty vacation days") || !strings.Contains(result, "https://docs.example/vacation.md#days-per-year") || strings.Contains(result, "board decides") {
		t.Errorf("found %s", result)
	}
	type searched struct {
		Documents []struct {
			ID string `json:"document_id"`
		} `json:"documents"`
	}
	asked := jsonOf[searched](t, p.run(t, "ask", question, "--search-only", "--json"))
	var want []string
	for _, d := range asked.Documents {
		want = append(want, d.ID)
	}
	got := slices.Compact(pages(t, result))
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("an assistant finds %v, a question %v", got, want)
	}
	if text := client.Get("read_document", map[string]any{"document": got[0]}); !strings.Contains(text, "two weeks ahead") {
		t.Errorf("read %s", text)
	}
	if _, _, err := client.Call(t.Context(), "nothing", nil); err == nil {
		t.Error("an unknown tool answers")
	}
	answer, refused, err := client.Ask(t.Context(), question, func(string) {})
	if err != nil || refused || !strings.Contains(answer, "thirty vacation days") || !strings.Contains(answer, "[[1]](https://docs.example/vacation.md#days-per-year)") || strings.Contains(answer, "board decides") {
		t.Errorf("answered %q, %t, %v", answer, refused, err)
	}
	if text := client.Get("related", map[string]any{"about": got[0]}); !strings.Contains(text, "state nothing of that") {
		t.Errorf("related to a page that names nothing: %s", text)
	}
	if text, refused, err := client.Call(t.Context(), "list_sources", nil); err != nil || !refused || !strings.Contains(text, "You've asked 4 questions today") {
		t.Errorf("beyond the quota: %q, %t, %v", text, refused, err)
	}
	if err := client.Close(); err != nil || !cmd.ProcessState.Success() {
		t.Errorf("the program ended with %v, %v", cmd.ProcessState, err)
	}
	if r := p.run(t, "audit"); strings.Count(r.stdout, "mcp.call") != 5 {
		t.Errorf("the audit trail says:\n%s", r.stdout)
	}
}

func TestAssistantOverStandardStreamsEndsWhenTold(t *testing.T) {
	t.Parallel()
	cmd := newProgram(t).command(t.Context(), "mcp")
	said := &lockedBuffer{}
	cmd.Stderr = said
	client, err := mcptest.Start(t, cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = client.Close() // the server may have gone first
	if !cmd.ProcessState.Success() || strings.Contains(said.String(), "ERROR") {
		t.Errorf("it ended with %v\n%s", cmd.ProcessState, said)
	}
}

func TestAssistantsAreRefusedUnlessTheirAddressIsSet(t *testing.T) {
	t.Parallel()
	for setting, says := range map[string]string{"ftp://x/mcp": "http", "https://footnote.example": "/mcp", "https://footnote.example/mcp?x=1": "/mcp"} {
		if r := (&program{env: []string{"MCP_URL=" + setting}}).try(t, "", "tokens"); r.code != 2 || !strings.Contains(r.stderr, "MCP_URL") || !strings.Contains(r.stderr, says) {
			t.Errorf("MCP_URL=%s: %+v", setting, r)
		}
	}
}
