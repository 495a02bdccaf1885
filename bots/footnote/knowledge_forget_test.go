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

// Whoever asks in Slack to be forgotten is gone from what is kept beside documents: from knowledge
// show, and from answers about who owns what, also when the pages are read again later. What the
// pages say themselves stays theirs, and so does what they state of a name without the address.
func TestWhoIsForgottenInSlackIsNoOwnerAnyMore(t *testing.T) {
	t.Parallel()
	addr := footnotetest.FreeAddress(t)
	slack := slacktest.Start(slacktest.Config{EventsURL: "http://" + addr + "/slack/events", Redeliver: []time.Duration{}})
	t.Cleanup(slack.Close)
	alice, bob := slack.Person("alice", nil), slack.Person("bob", nil)
	room := slack.Channel("help", nil, alice, bob)
	p := newProgram(t, "SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_SIGNING_SECRET="+slacktest.SigningSecret, "SLACK_API_URL="+slack.URL(), "HTTP_ADDR="+addr)
	dir := folder(t, map[string]string{
		"alpha.md": "---\nowner: Alice Green <Alice@example.com>\n---\n# Alpha plan\n\nBarrels are counted in spring.\n",
		"beta.md":  "# Beta plan\n\nOwner: alice@example.com, Bob Stone\n\nLanterns are lit by alice@example.com at dusk.\n",
		"gamma.md": "---\nowner: Alice Green\n---\n# Gamma plan\n\nRopes are tarred in autumn.\n",
	})
	index := func() { p.run(t, "index", dir, "--base-url", "https://docs.example", "--acl", "members") }
	index()
	p.run(t, "knowledge", "merge", "person:alice green", "person:alice@example.com", "--reason", "she says so")
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s := serve(t, p)
	defer s.stop(t)
	wait := func(what string, holds func() bool) {
		t.Helper()
		if err := slack.Wait(ctx, what, holds); err != nil {
			t.Fatalf("%v\n%+v\n%s", err, slack.Versions(), s.log)
		}
	}
	ask := func(question string) (shown string) {
		t.Helper()
		root := bob.Say(room, "", slacktest.Mention()+" "+question)
		wait("the answer to "+question, func() bool {
			a := slack.Answers(room, root)
			if len(a) == 1 && !a[0].Streaming {
				shown = a[0].Shown()
			}
			return strings.Contains(shown, "Sources") || strings.Contains(shown, "docs.example")
		})
		return shown
	}
	if got := ask("Who owns the beta plan?"); !strings.Contains(got, "alice@example.com owns") || !strings.Contains(got, "Bob Stone owns") {
		t.Errorf("before, the answer is %q", got)
	}
	if r := p.run(t, "knowledge", "show", "Alice Green"); strings.Count(r.stdout, " owns ") != 3 {
		t.Errorf("before, is shown\n%s", r.stdout)
	}
	id := alice.Slash(room, "/footnote", "forget-me confirm")
	wait("alice is forgotten", func() bool {
		d, there := slack.Delivered(id)
		return there && strings.Contains(string(d.Payload), "Deleted: ")
	})

	gone := func(when string) {
		t.Helper()
		if r := p.try(t, "", "knowledge", "show", "alice@example.com"); r.code == 0 || !strings.Contains(r.stderr, "no document that may be read here names") {
			t.Errorf("%s, of her address is shown\n%s", when, r.stdout)
		}
		if r := p.run(t, "knowledge", "show", "Alice Green"); strings.Count(r.stdout, " owns ") != 1 || !strings.Contains(r.stdout, "Gamma plan") || strings.Contains(r.stdout, "@") {
			t.Errorf("%s, of her name is shown\n%s", when, r.stdout)
		}
		if r := p.run(t, "knowledge"); strings.Contains(r.stdout, "alice") {
			t.Errorf("%s, the status is\n%s", when, r.stdout)
		}
		if got := ask("Who owns the beta plan?"); strings.Contains(got, "alice@example.com owns") || !strings.Contains(got, "Bob Stone owns") {
			t.Errorf("%s, the answer is %q", when, got)
		}
		if got := ask("When are lanterns lit?"); !strings.Contains(got, "alice@example.com at dusk") {
			t.Errorf("%s, the page is quoted as %q", when, got)
		}
	}
	gone("forgotten")
	if err := os.WriteFile(filepath.Join(dir, "beta.md"), []byte("# Beta plan\n\nOwner: alice@example.com, Bob Stone\n\nLanterns are lit by alice@example.com at dusk, or later.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	index()
	p.run(t, "sources", "reindex", "--all")
	gone("with the pages read again")
}
