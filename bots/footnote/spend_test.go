package main_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// used is the form of usage --json.
type used struct {
	Rows []struct {
		Model, Purpose, Currency string
		Calls                    int
		EstimatedCalls           int `json:"estimated_calls"`
		InputTokens              int `json:"input_tokens"`
		CachedInputTokens        int `json:"cached_input_tokens"`
		OutputTokens             int `json:"output_tokens"`
		Cost                     float64
	}
	Caps []struct {
		Setting   string
		Cap, Used float64
	}
}

// The window makes a reply of 2,000 tokens at most, which cost 2 of the currency.
const prices = `prices:
  currency: EUR
  models:
    test-model: {input: 10, cached_input: 1, output: 1000}
    test-embedding: {embedding: 5}
`

// withPrices is a program with a model, an embedder and prices.
func withPrices(t *testing.T, server *openaitest.Server, more string, env ...string) *program {
	t.Helper()
	dir := folder(t, map[string]string{"footnote.yaml": prices + more})
	return newProgram(t, append([]string{
		"FOOTNOTE_CONFIG=" + filepath.Join(dir, "footnote.yaml"), "OPENAI_BASE_URL=" + server.URL(), "LLM_MODEL=test-model", "LLM_WINDOW=8000",
		"EMBEDDING_MODEL=test-embedding", "EMBEDDING_DIMENSIONS=64",
	}, env...)...)
}

var searches = openaitest.Reply{
	Calls: []openaitest.Call{{Name: "internal_search", Arguments: `{"queries":["vacation days per year"]}`}}, Usage: &openaitest.Usage{Prompt: 1000, Completion: 10},
}

func TestUsageIsBookedByModelAndPurpose(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t, searches, openaitest.Reply{Text: "Thirty days [1].", Usage: &openaitest.Usage{
		Prompt: 2000, Completion: 90, Details: &openaitest.UsageDetails{Cached: 1000},
	}})
	p := withPrices(t, server, "", "COST_CAP_MONTHLY=100")
	p.run(t, "index", handbook(t))
	p.run(t, "ask", "How much vacation do I get?")
	got := jsonOf[used](t, p.run(t, "usage", "--json"))
	if len(got.Rows) != 2 || len(got.Caps) != 1 || got.Caps[0].Setting != "COST_CAP_MONTHLY" || got.Caps[0].Cap != 100 {
		t.Fatalf("used %+v", got)
	}
	answer, embedding := got.Rows[1], got.Rows[0]
	if answer.Model != "test-model" || answer.Purpose != "answer" || answer.Calls != 2 || answer.InputTokens != 3000 || answer.CachedInputTokens != 1000 ||
		answer.OutputTokens != 100 || answer.EstimatedCalls != 0 || answer.Currency != "EUR" || answer.Cost != 0.121 { // 2,000 × 10 + 1,000 × 1 + 100 × 1,000 for a million
		t.Errorf("the answer cost %+v", answer)
	}
	if embedding.Model != "test-embedding" || embedding.Purpose != "embedding" || embedding.Calls < 2 || embedding.InputTokens == 0 ||
		!near(embedding.Cost, float64(embedding.InputTokens)*5/1e6) || !near(got.Caps[0].Used, answer.Cost+embedding.Cost) {
		t.Errorf("embedding cost %+v, against the cap count %+v", embedding, got.Caps)
	}
	if r := p.run(t, "usage"); !strings.Contains(r.stdout, "0.1210 EUR") || !strings.Contains(r.stdout, "of 100.00 EUR this month") {
		t.Errorf("output:\n%s", r.stdout)
	}
	if r := p.run(t, "usage", "--since", "2099-01-01"); !strings.Contains(r.stdout, "No model was used since 2099-01-01") {
		t.Errorf("output:\n%s", r.stdout)
	}
	if r := p.try(t, "", "usage", "--since", "yesterday"); r.code != 2 {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "✓ spending: ") || !strings.Contains(r.stdout, "of 100.00 EUR this month") {
		t.Errorf("doctor:\n%s", r.stdout)
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

func TestWhatHasNoPriceIsRefusedUnderACap(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	p := withPrices(t, server, "", "COST_CAP_DAILY=5", "FAST_LLM_MODEL=quick", "EMBEDDING_MODEL=other")
	r := p.try(t, "", "serve")
	if r.code != 2 || !strings.Contains(r.stderr, "no price for the model quick of FAST_LLM_MODEL") || !strings.Contains(r.stderr, "no price for the model other of EMBEDDING_MODEL") {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
	r = p.with("FAST_LLM_MODEL=", "EMBEDDING_MODEL=").try(t, "", "ask", "--model", "dear", "--model", "test-model", "Hello?")
	if r.code == 0 || !strings.Contains(r.stderr, "no price for the model dear") || len(server.ChatRequests()) > 0 {
		t.Errorf("exit code %d, %d requests\n%s", r.code, len(server.ChatRequests()), r.stderr)
	}
}

// capped is what ask --json and search --json say beside the answer.
type capped struct {
	answered
	Notices []string
	Trace   struct{ Notice, Route string }
}

// At the cap answers quote and say so, searches go by keywords, and indexing stops until there is
// money again.
func TestAtTheCapAnswersQuoteAndIndexingWaits(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	docs := handbook(t)
	p := withPrices(t, server, "", "COST_CAP_DAILY=0.0000001") // less than any call costs, so that midnight changes nothing
	r := p.try(t, "", "index", docs, "--base-url", "https://docs.example")
	if r.code != 1 || !strings.Contains(r.stderr, "the daily cost cap of less than 0.0001 EUR leaves no room for this call until") {
		t.Errorf("index: exit code %d\n%s", r.code, r.stderr)
	}
	p.with("COST_CAP_DAILY=1").run(t, "index", docs, "--base-url", "https://docs.example")
	asked := len(server.Requests())
	got := jsonOf[capped](t, p.run(t, "ask", "How many vacation days does every employee have?", "--json"))
	notice := "The budget for today is used up, so this answer quotes the documents instead of writing about them."
	if got.Outcome != "answered" || !slices.Contains(got.Notices, notice) || !strings.Contains(got.Answer, "thirty vacation days") || strings.Contains(got.Answer, "configured") || len(got.Citations) == 0 {
		t.Errorf("answer %+v", got)
	}
	if r := p.run(t, "ask", "How many vacation days does every employee have?"); !strings.Contains(r.stdout+r.stderr, notice) {
		t.Errorf("a reader is not told:\n%s%s", r.stdout, r.stderr)
	}
	if s := jsonOf[capped](t, p.run(t, "search", "vacation", "--json")); s.Trace.Notice != "The budget for models is used up, so the search went by keywords alone." || s.Trace.Route != "none" {
		t.Errorf("the search says %+v", s.Trace)
	}
	if n := len(server.Requests()); n != asked {
		t.Errorf("%d calls were made that nobody can pay", n-asked)
	}
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "✓ model: not asked: ") || !strings.Contains(r.stdout, "of less than 0.0001 EUR today") {
		t.Errorf("doctor:\n%s", r.stdout)
	}
}

// Whatever several processes do at once, what the endpoint bills stays below the cap.
func TestProcessesTogetherKeepToTheCap(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	server.Otherwise(func(openaitest.Request) openaitest.Reply {
		return openaitest.Reply{Text: strings.Repeat("word ", 30), Usage: &openaitest.Usage{Prompt: 100, Completion: 700}}
	})
	p := withPrices(t, server, "", "EMBEDDING_MODEL=", "COST_CAP_MONTHLY=3.9") // a call can cost 2 and a little
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { p.try(t, "", "ask", "Say a word.") })
	}
	group.Wait()
	got := jsonOf[used](t, p.run(t, "usage", "--json"))
	billed := float64(len(server.ChatRequests())) * 0.701
	if billed > 3.9 || billed < 0.7 || len(got.Rows) != 1 || !near(got.Rows[0].Cost, billed) || !near(got.Caps[0].Used, billed) {
		t.Errorf("the endpoint bills %f, the books say %+v", billed, got)
	}
}

// What the provider does not count is counted here: of a stream that breaks, and of one that nobody
// reads to its end.
func TestCallsThatBreakAreBooked(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t, openaitest.Reply{Text: "One two three four five six seven.", Fault: openaitest.Cut, FaultAfter: 4}, openaitest.Reply{Text: "Hello.", Fault: openaitest.NoUsage})
	p := withPrices(t, server, "", "EMBEDDING_MODEL=")
	p.try(t, "", "ask", "Count.")
	p.run(t, "ask", "Say hello.")
	got := jsonOf[used](t, p.run(t, "usage", "--json"))
	if len(got.Rows) != 1 || got.Rows[0].Calls != 2 || got.Rows[0].EstimatedCalls != 2 || got.Rows[0].OutputTokens < 4 || got.Rows[0].OutputTokens > 20 || got.Rows[0].InputTokens < 200 {
		t.Errorf("booked %+v", got.Rows)
	}
}

// A server in Slack refuses what must not be asked, books what its answers cost, and tells
// administrators and /metrics.
func TestServerTellsWhatAnswersCost(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	server := openaitest.New(t)
	p := withPrices(t, server, blocked, socketSettings(slack, "EMBEDDING_MODEL=", "COST_CAP_DAILY=2.5")...)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example", "--acl", "public")
	alice := slack.Person("alice", func(p *slacktest.Person) { p.Admin = true })
	room := slack.Channel("help", nil, alice)
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s.inSlack(ctx, t, slack)
	ask := func(question, says string) {
		t.Helper()
		root := alice.Say(room, "", slacktest.Mention()+" "+question)
		if err := slack.Wait(ctx, "the answer", func() bool {
			for _, m := range slack.Answers(room, root) {
				if strings.Contains(m.Shown(), says) && !m.Streaming {
					return true
				}
			}
			return false
		}); err != nil {
			t.Fatalf("%v\n%s", err, s.log)
		}
	}
	ask("When are the layoffs?", "Questions about layoffs are not answered here. Ask HR.")
	if n := len(server.ChatRequests()); n > 0 {
		t.Errorf("a refused question was sent to the model %d times", n)
	}
	ask("How many vacation days does an employee have?", "vacation")
	asked := alice.Slash(room, "/footnote", "status")
	var status slacktest.Delivery
	if err := slack.Wait(ctx, "the status", func() (ok bool) { status, ok = slack.Delivered(asked); return ok }); err != nil || !strings.Contains(string(status.Payload), "of 2.50 EUR today") {
		t.Errorf("the status is %s (%v)", status.Payload, err)
	}
	got := scrape(ctx, t, s)
	for _, want := range []string{
		`footnote_model_calls_total{model="test-model",purpose="answer"} 2`, `footnote_model_tokens_total{kind="output",model="test-model",purpose="answer"} `,
		`footnote_model_cost_total{currency="EUR",model="test-model",purpose="answer"} 0.`, `footnote_cost_cap_used_ratio{cap="daily"} 0`,
	} {
		if !strings.Contains(got, "\n"+want) {
			t.Errorf("/metrics does not tell %s:\n%s", want, got)
		}
	}
}

// A process that is killed in the middle of a call leaves what it had set aside; once it is not
// heard of any more, another process books what it had certainly used, and the rest is free again.
func TestKilledProcessKeepsNoMoneyBack(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t, openaitest.Reply{Text: "One two three four.", Gate: make(chan struct{}), GateAfter: 2})
	p := withPrices(t, server, "", "EMBEDDING_MODEL=", "COST_CAP_MONTHLY=3.9")
	p.run(t, "usage")
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	db, err := postgres.Open(ctx, postgres.Config{URL: strings.TrimPrefix(p.env[0], "DATABASE_URL=")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	hold := func(until string) {
		t.Helper()
		if tag, err := db.Pool.Exec(ctx, "update spend_hold set expires_at = "+until); err != nil || tag.RowsAffected() != 1 {
			t.Fatal(tag, err)
		}
	}
	cmd := p.command(ctx, "ask", "Count.")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, err = server.Wait(ctx, func(r []openaitest.Record) bool { return len(r) > 0 })
	if err := errors.Join(err, cmd.Process.Kill()); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()                    // it was killed
	hold("now() + interval '1 hour'") // however slow this machine is
	if got := jsonOf[used](t, p.run(t, "usage", "--json")); len(got.Rows) > 0 || got.Caps[0].Used < 2 {
		t.Errorf("at once the books say %+v", got)
	}
	if r := jsonOf[capped](t, p.run(t, "ask", "Say a word.", "--json")); !slices.ContainsFunc(r.Notices, func(n string) bool { return strings.Contains(n, "The budget for this month is used up") }) {
		t.Errorf("while it may be alive: %+v", r)
	}
	hold("now()")
	got := jsonOf[used](t, p.run(t, "usage", "--json"))
	if len(got.Rows) != 1 || got.Rows[0].EstimatedCalls != 1 || got.Rows[0].OutputTokens < 1000 || got.Rows[0].OutputTokens > 1020 || !near(got.Rows[0].Cost, got.Caps[0].Used) {
		t.Errorf("then they say %+v", got)
	}
	server.Push(openaitest.Reply{Text: "Word."})
	if r := jsonOf[capped](t, p.run(t, "ask", "Say a word.", "--json")); r.Answer != "Word." {
		t.Errorf("after it: %+v", r)
	}
}
