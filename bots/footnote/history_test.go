package main_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// What was said in channels is read, and a question is answered from it with the message's own
// address; what was said in a private channel is used there and nowhere else, and a channel that
// becomes private takes its documents along while the server runs.
func TestSlackHistoryIsASource(t *testing.T) {
	t.Parallel()
	addr := footnotetest.FreeAddress(t)
	slack := slacktest.Start(slacktest.Config{EventsURL: "http://" + addr + "/slack/events", Redeliver: []time.Duration{}})
	t.Cleanup(slack.Close)
	ann, bob := slack.Person("ann", nil), slack.Person("bob", nil)
	general := slack.Channel("general", nil, ann, bob)
	board := slack.Channel("board", func(c *slacktest.Channel) { c.Private = true }, ann)
	help := slack.Channel("help", nil, ann, bob)
	root := ann.Earlier(general, "", "Where are the spare toner cartridges for the printer kept?", 48*time.Hour)
	reply := bob.Earlier(general, root, "The spare toner cartridges are kept in the blue cupboard behind the reception desk.", 47*time.Hour)
	ann.Earlier(board, ann.Earlier(board, "", "When does the merger with Oakwood become public?", 48*time.Hour), "The merger with Oakwood becomes public on the ninth of May.", 47*time.Hour)
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("sources:\n  chat: {slack: {channels: [board, general]}, every: 1m}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_SIGNING_SECRET="+slacktest.SigningSecret,
		"SLACK_API_URL="+slack.URL(), "HTTP_ADDR="+addr)
	if r := p.run(t, "index"); !strings.Contains(r.stderr, "chat: documents:") {
		t.Fatalf("indexing says:\n%s", r.stderr)
	}
	if list := jsonOf[[]listedSource](t, p.run(t, "sources", "--json")); len(list) != 1 || list[0].ID != "slack-chat" || list[0].Documents < 2 || list[0].Every != "1m" {
		t.Errorf("the sources are %+v", list)
	}
	if r := p.try(t, "", "doctor"); !strings.Contains(r.stdout, "✓ source chat: 2 channels; ") {
		t.Errorf("doctor says:\n%s", r.stdout)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s, db := serve(t, p), database(t, p)
	ask := func(who *slacktest.Person, room *slacktest.Channel, question string) string {
		t.Helper()
		at := who.Say(room, "", slacktest.Mention()+" "+question)
		if err := slack.Wait(ctx, "it is answered", func() bool {
			a := slack.Answers(room, at)
			return len(a) == 1 && !a[0].Streaming && a[0].Shown() != ""
		}); err != nil {
			t.Fatalf("%v\n%s", err, s.log)
		}
		const running = `select exists (select from turn where state in ('queued', 'running', 'delivering'))`
		for again := time.NewTicker(20 * time.Millisecond); ; <-again.C { // where it is not streamed, it grows by edits
			var more bool
			if err := db.Pool.QueryRow(ctx, running).Scan(&more); err != nil {
				t.Fatalf("wait for the whole answer: %v\n%s", err, s.log)
			}
			if !more {
				break
			}
		}
		return slack.Answers(room, at)[0].Shown()
	}
	if got := ask(ann, help, "Where are the spare toner cartridges?"); !strings.Contains(got, "blue cupboard") ||
		!strings.Contains(got, "/archives/"+general.ID+"/p"+strings.ReplaceAll(root, ".", "")) && !strings.Contains(got, "/p"+strings.ReplaceAll(reply, ".", "")) {
		t.Errorf("in another channel: %s", got)
	}
	const merger = "When does the merger with Oakwood become public?"
	if got := ask(ann, help, merger); strings.Contains(got, "ninth of May") {
		t.Errorf("what was said in private is told in public: %s", got)
	}
	if got := ask(ann, board, merger); !strings.Contains(got, "ninth of May") {
		t.Errorf("where it was said: %s", got)
	}

	slack.Convert(general, true)
	if _, err := db.Pool.Exec(ctx, `update source set last_run = jsonb_set(last_run, '{StartedAt}', to_jsonb(now() - interval '2 days'))`); err != nil {
		t.Fatal(err)
	}
	for strings.Contains(ask(ann, help, "Where are the spare toner cartridges?"), "blue cupboard") {
		if ctx.Err() != nil {
			t.Fatalf("what has become private is still told\n%s", s.log)
		}
	}
	if got := ask(bob, general, "Where are the spare toner cartridges?"); !strings.Contains(got, "blue cupboard") {
		t.Errorf("in the channel itself: %s", got)
	}
	if r := p.run(t, "sources", "--failures"); strings.Contains(r.stdout, "slack-chat: ") { // threads in which only the bot was asked are none
		t.Errorf("there are failures:\n%s", r.stdout)
	}

	s.stop(t)
	if err := os.WriteFile(file, []byte("prices: {currency: EUR}\n"), 0o600); err != nil { // nobody would see its channels change any more
		t.Fatal(err)
	}
	s = serve(t, p)
	defer s.stop(t)
	sourcesUntil(t, p, s, func(list []listedSource) bool { return len(list) == 0 })
}
