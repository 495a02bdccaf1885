package main_test

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// The server tells at ADMIN_ADDR what it did, and names nobody.
func TestServeTellsItsMetrics(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	p := newProgram(t, socketSettings(slack)...)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example", "--acl", "public")
	alice := slack.Person("alice", nil)
	room := slack.Channel("help", nil, alice)
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s.inSlack(ctx, t, slack)
	root := alice.Say(room, "", slacktest.Mention()+" How many vacation days does an employee have?")
	if err := slack.Wait(ctx, "the answer", func() bool {
		for _, m := range slack.Answers(room, root) {
			if strings.Contains(m.Shown(), "thirty vacation days") && !m.Streaming {
				return true
			}
		}
		return false
	}); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	// Slack shows the last write a moment before the program hears that it succeeded.
	got := scrape(ctx, t, s)
	for !strings.Contains(got, "\nfootnote_first_words_seconds_count 1") && ctx.Err() == nil {
		got = scrape(ctx, t, s)
	}
	for _, want := range []string{
		`footnote_turns_total{outcome="answered",platform="slack"} 1`, `footnote_turns_total{outcome="failed",platform="slack"} 0`, "footnote_first_words_seconds_count 1", "footnote_queue_depth 0",
		`footnote_retrieval_seconds_count{stage="total"}`, `footnote_rate_limited_total{service="slack"} 0`, "footnote_dedupe_hits_total ", "footnote_lease_takeovers_total 0",
		"footnote_stop_seconds_count 0", `footnote_feedback_total{kind="up"} 0`, `footnote_tokens_total{kind="output"`, "footnote_edits_total ",
		"go_goroutines ", "process_resident_memory_bytes ",
	} {
		if !strings.Contains(got, "\n"+want) {
			t.Errorf("/metrics does not tell %s", want)
		}
	}
	for _, secret := range []string{room.ID, "alice", "vacation", string(root)} {
		if strings.Contains(got, secret) {
			t.Errorf("/metrics tells %q", secret)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

// adminAddress is where the server said that it listens.
var adminAddress = regexp.MustCompile(`admin_addr=(\S+)`)

func scrape(ctx context.Context, t *testing.T, s *server) string {
	t.Helper()
	found := adminAddress.FindStringSubmatch(s.log.String())
	if found == nil {
		t.Fatalf("the log does not tell the address:\n%s", s.log)
	}
	return scrapeAt(ctx, t, found[1])
}

func scrapeAt(ctx context.Context, t *testing.T, address string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() // it was read
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %v", res.StatusCode, err)
	}
	return string(body)
}
