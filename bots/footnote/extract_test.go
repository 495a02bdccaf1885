package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/extract"
)

// keeps is a sentence that the model of these tests understands. It makes up another statement for
// every passage.
var keeps = regexp.MustCompile(`([A-Z]\w+ [A-Z]\w+) keeps the ([A-Z]\w+ [A-Z]\w+) alive`)

func readsPassages(req openaitest.Request) openaitest.Reply {
	entities, relations := []map[string]string{{"name": "Mallory Evans", "type": "person"}}, []map[string]string{}
	for _, m := range keeps.FindAllStringSubmatch(req.Last("user").Text(), -1) {
		entities = append(entities, map[string]string{"name": m[1], "type": "person"}, map[string]string{"name": m[2], "type": "system"})
		relations = append(relations, map[string]string{"subject": m[1], "relation": "owns", "object": m[2]}, map[string]string{"subject": "Mallory Evans", "relation": "owns", "object": m[2]})
	}
	says, err := json.Marshal(map[string]any{"entities": entities, "relations": relations})
	if err != nil {
		panic(err)
	}
	return openaitest.Reply{Text: string(says), Usage: &openaitest.Usage{Prompt: 100, Completion: 1600}}
}

// extracting is a program whose passages are read by a model: a call costs at most 2 and a little,
// and 1.601 of the currency in the end.
func extracting(t *testing.T, more string, env ...string) (*program, *openaitest.Server) {
	t.Helper()
	server := openaitest.New(t)
	server.Otherwise(readsPassages)
	return withPrices(t, server, more, append([]string{"EMBEDDING_MODEL=", "KNOWLEDGE_MODEL=test-model"}, env...)...), server
}

// extraction is what knowledge status --json and knowledge extract --estimate --json say of it.
type extraction struct {
	Extraction struct {
		Read, Failed, Statements, Calls int
		NotBelieved                     int `json:"not_believed"`
		DocumentsDue                    int `json:"documents_due"`
		Cost                            map[string]float64
	}
	Texts, Passages int
	Cost, Most      float64
	Currency        string
	Seconds         float64
}

// A model reads who runs what, where no line says so in a known form; the question is answered from
// that, with the passage that states it. Nobody learns of what a passage states that they may not
// read, nothing is read twice, and without the model it is gone again.
func TestQuestionsAreAnsweredFromWhatAModelRead(t *testing.T) {
	t.Parallel()
	p, server := extracting(t, "")
	docs := folder(t, map[string]string{"open/ledger.md": "# Books\n\nSince spring Jana Roth keeps the Ledger Service alive, mostly at night.\n", "open/rota.md": "# Rota\n\nNobody is away.\n"})
	secret := folder(t, map[string]string{"secret/ledger.md": "# Plans\n\nFrom May on Timo Berg keeps the Ledger Service alive.\n", "secret/proxy.md": "# Names\n\nVera Kuhn keeps the Gamma Proxy alive.\n"})
	p.run(t, "index", docs, "--base-url", "https://docs.example")
	p.run(t, "index", secret, "--acl", "group:hr")

	if e := jsonOf[extraction](t, p.run(t, "knowledge", "extract", "--estimate", "--json")); e.Texts != 4 || e.Passages != 4 || e.Cost <= 0 || e.Most < 16 || e.Currency != "EUR" || e.Seconds != 3 {
		t.Errorf("the estimate is %+v", e)
	}
	if r := p.run(t, "knowledge", "extract", "--estimate"); !strings.Contains(r.stdout, "4 passages by test-model") || !strings.Contains(r.stdout, "set COST_CAP_DAILY or COST_CAP_MONTHLY") {
		t.Errorf("the estimate says\n%s", r.stdout)
	}
	if n := len(server.ChatRequests()); n > 0 {
		t.Fatalf("the estimate asked %d times", n)
	}
	if r := p.run(t, "knowledge", "extract"); !strings.Contains(r.stdout, "4 passages read, 3 statements kept and 3 not believed; 0 passages failed; 4 documents done.") {
		t.Errorf("it says\n%s%s", r.stdout, r.stderr)
	}
	p.run(t, "sources", "reindex", "--all")
	p.run(t, "index", folder(t, map[string]string{"copy.md": "# Books\n\nSince spring Jana Roth keeps the Ledger Service alive, mostly at night.\n"}), "--acl", "group:board")
	if r := p.run(t, "knowledge", "extract"); len(server.ChatRequests()) != 4 || !strings.Contains(r.stdout, "0 passages read") || !strings.Contains(r.stdout, "5 documents done") {
		t.Errorf("texts were read again: %d calls\n%s", len(server.ChatRequests()), r.stdout)
	}
	if s := jsonOf[extraction](t, p.run(t, "knowledge", "--json")).Extraction; s.Read != 4 || s.Statements != 3 || s.NotBelieved != 3 || s.Calls != 4 || s.DocumentsDue != 0 || !near(s.Cost["EUR"], 4*1.601) {
		t.Errorf("the status is %+v", s)
	}
	if r := p.run(t, "knowledge"); !strings.Contains(r.stdout, "Read by test-model") || !strings.Contains(r.stdout, "6.40 EUR") {
		t.Errorf("the status is\n%s", r.stdout)
	}

	quoting := p.with("OPENAI_BASE_URL=", "KNOWLEDGE_MODEL=")
	got := jsonOf[answered](t, quoting.run(t, "ask", "--json", "Who maintains the Ledger Service?"))
	if !strings.Contains(got.Answer, "Jana Roth owns Ledger Service") || strings.Contains(got.Answer, "Timo") || strings.Contains(got.Answer, "Mallory") || len(got.Citations) != 1 || got.Citations[0].URL != "https://docs.example/open/ledger.md#books" {
		t.Errorf("the answer is %+v", got)
	}
	for _, name := range []string{"Vera Kuhn", "Timo Berg", "Mallory Evans"} {
		if r := quoting.try(t, "", "knowledge", "show", name); r.code == 0 || !strings.Contains(r.stderr, "no document that may be read here names") {
			t.Errorf("of %s is told\n%s%s", name, r.stdout, r.stderr)
		}
	}
	if r := quoting.with("CONSOLE_PRINCIPALS=members,group:hr").run(t, "ask", "Who maintains the Gamma Proxy?"); !strings.Contains(r.stdout, "Vera Kuhn owns Gamma Proxy") {
		t.Errorf("whoever may read it is told\n%s", r.stdout)
	}
	// What only a model finds may be one, too, by the operator's word.
	all := quoting.with("CONSOLE_PRINCIPALS=members,group:hr")
	if r := all.try(t, "", "knowledge", "merge", "sytem:ledger service", "system:gamma proxy", "--reason", "x"); r.code == 0 || !strings.Contains(r.stderr, "sytem:ledger service: no document names it") {
		t.Errorf("of a kind that there is not: %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	all.run(t, "knowledge", "merge", "system:ledger service", "system:gamma proxy", "--reason", "it was renamed")
	if r := all.run(t, "knowledge", "show", "Ledger Service"); !strings.Contains(r.stdout, "Vera Kuhn owns Gamma Proxy") || !strings.Contains(r.stdout, "a person said so") {
		t.Errorf("as one they are\n%s", r.stdout)
	}
	if r := quoting.run(t, "knowledge", "show", "Ledger Service"); strings.Contains(r.stdout, "Vera") || !strings.Contains(r.stdout, "Jana Roth") {
		t.Errorf("whoever may read one of them is told\n%s", r.stdout)
	}
	all.run(t, "knowledge", "split", "system:gamma proxy", "system:ledger service")
	if r := all.run(t, "knowledge", "show", "Ledger Service"); strings.Contains(r.stdout, "Vera") {
		t.Errorf("split they are\n%s", r.stdout)
	}
}

// At half of a cap reading stops and says so; with more room it goes on with what is left.
func TestReadingPassagesLeavesHalfOfACap(t *testing.T) {
	t.Parallel()
	p, server := extracting(t, "", "COST_CAP_MONTHLY=6")
	files := make(map[string]string)
	const pages = 12
	for i := range pages {
		files[fmt.Sprintf("page%d.md", i)] = fmt.Sprintf("# Page %d\n\nJana Roth keeps the Ledger Node%d alive.\n", i, i)
	}
	p.run(t, "index", folder(t, files))
	r := p.try(t, "", "knowledge", "extract")
	if r.code != 1 || !strings.Contains(r.stderr, "reading stopped before its end") || !strings.Contains(r.stderr, "the monthly cost cap of 6.00 EUR") || !strings.Contains(r.stderr, "what was read is kept") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	first := len(server.ChatRequests())
	if first == 0 || first > 1+extract.Calls { // one call uses more than half of what may be used, and those beside it have begun
		t.Errorf("%d calls were made", first)
	}
	p.with("COST_CAP_MONTHLY=100").run(t, "knowledge", "extract")
	if n := len(server.ChatRequests()); n != pages {
		t.Errorf("%d calls were made for %d passages", n, pages)
	}
	if r := newProgram(t).try(t, "", "knowledge", "extract"); r.code != 2 || !strings.Contains(r.stderr, "KNOWLEDGE_MODEL is not set") {
		t.Errorf("without a model: exit code %d\n%s", r.code, r.stderr)
	}
}

// A process that is killed with -9 while the model reads loses the call that was under way, and
// nothing that was read.
func TestKilledReaderGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	p, server := extracting(t, "")
	p.run(t, "index", folder(t, map[string]string{"a.md": "# One\n\nJana Roth keeps the Ledger Service alive.\n", "b.md": "# Two\n\nVera Kuhn keeps the Gamma Proxy alive.\n"}))
	hangs := make(chan struct{})
	server.Otherwise(func(req openaitest.Request) openaitest.Reply {
		reply := readsPassages(req)
		if strings.Contains(req.Last("user").Text(), "Gamma") {
			reply.Gate, reply.GateAfter = hangs, 2
		}
		return reply
	})
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	db := databaseOf(t, p)
	cmd := p.command(ctx, "knowledge", "extract")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for read := 0; read == 0 || len(server.ChatRequests()) < 2; {
		if err := db.Pool.QueryRow(ctx, `select count(*) from extraction where found is not null`).Scan(&read); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	server.Otherwise(readsPassages)
	close(hangs)
	if r := p.run(t, "knowledge", "extract"); !strings.Contains(r.stdout, "0 passages read") || !strings.Contains(r.stdout, "1 passage is being read by another process") {
		t.Errorf("while it may be alive:\n%s", r.stdout)
	}
	if _, err := db.Pool.Exec(ctx, `update extraction set leased_until = now()`); err != nil {
		t.Fatal(err)
	}
	if r := p.run(t, "knowledge", "extract"); !strings.Contains(r.stdout, "1 passage read") || len(server.ChatRequests()) != 3 {
		t.Errorf("after it, with %d calls in all:\n%s", len(server.ChatRequests()), r.stdout)
	}
	if r := p.run(t, "knowledge", "show", "Gamma Proxy"); !strings.Contains(r.stdout, "Vera Kuhn owns Gamma Proxy") {
		t.Errorf("it is not known:\n%s", r.stdout)
	}
}

// serve reads what is new beside answering, ends a call at once when it is told to, and takes out
// what was read when the model is taken away.
func TestServerReadsPassagesBesideAnswering(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	dir := folder(t, map[string]string{"footnote.yaml": "knowledge:\n  entities: {person: somebody, system: a machine}\n  relations: {owns: keeps alive}\n  instructions: Machines are named after animals.\n"})
	p, server := extracting(t, "", socketSettings(slack, "FOOTNOTE_CONFIG="+filepath.Join(dir, "footnote.yaml"))...)
	p.run(t, "index", folder(t, map[string]string{"a.md": "# One\n\nJana Roth keeps the Ledger Service alive.\n"}))
	server.Otherwise(func(openaitest.Request) openaitest.Reply {
		return openaitest.Reply{Text: "{ and so on", Gate: make(chan struct{}), GateAfter: 1}
	})
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s := serve(t, p)
	chat := func(r openaitest.Record) bool { return r.Chat != nil } // serve may ask for the list of models before
	if _, err := server.Wait(ctx, func(all []openaitest.Record) bool { return slices.ContainsFunc(all, chat) }); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	asked := server.ChatRequests()
	if told := asked[0].Chat.Messages[0].Text(); asked[0].Chat.Model != "test-model" || !strings.Contains(told, "- system: a machine") || !strings.Contains(told, "named after animals") || strings.Contains(told, "organisation: ") {
		t.Errorf("%s was told\n%s", asked[0].Chat.Model, told)
	}
	s.stop(t)
	server.Otherwise(readsPassages)
	s = serve(t, p)
	db := databaseOf(t, p)
	until := func(edges int) {
		t.Helper()
		for n := -1; n != edges; {
			if err := db.Pool.QueryRow(ctx, `select count(*) from edge where relation = 'owns'`).Scan(&n); err != nil {
				t.Fatalf("there are %d statements, not %d (%v)\n%s", n, edges, err, s.log)
			}
		}
	}
	until(1)
	if got := scrape(ctx, t, s); !slices.ContainsFunc(strings.Split(got, "\n"), func(line string) bool { return line == `footnote_knowledge_texts_total{result="read"} 1` }) {
		t.Errorf("/metrics does not tell of it:\n%s", got)
	}
	s.stop(t)
	s = serve(t, p.with("KNOWLEDGE_MODEL="))
	until(0)
	s.stop(t)
}

func databaseOf(t *testing.T, p *program) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), postgres.Config{URL: strings.TrimPrefix(p.env[0], "DATABASE_URL=")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}
