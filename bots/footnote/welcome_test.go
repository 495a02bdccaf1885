package main_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// Whoever invites the bot reads a welcome alone, with a question that is answered and without the
// titles of what others may not read. The home tab says the same, and a setting of the channel
// turns the welcome off.
func TestWelcomeOffersAQuestionThatIsAnswered(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{NoTiers: true})
	t.Cleanup(slack.Close)
	ada, bob := slack.Person("ada", func(p *slacktest.Person) { p.Admin = true }), slack.Person("bob", nil)
	room, other := slack.Channel("general", nil, ada, bob), slack.Channel("other", nil, ada)
	secret := t.TempDir()
	if err := os.WriteFile(filepath.Join(secret, "pay.md"), []byte("# Secret salary bands\n\nAn engineer earns much.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, socketSettings(slack)...)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example")
	p.run(t, "index", secret, "--acl", "group:hr")
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s.inSlack(ctx, t, slack)
	wait := func(what string, holds func() bool) {
		t.Helper()
		if err := slack.Wait(ctx, what, holds); err != nil {
			t.Fatalf("%v\n%+v\n%s", err, slack.Versions(), s.log)
		}
	}

	ada.Invite(room)
	wait("the welcome", func() bool { return len(slack.Ephemeral(ada)) == 1 })
	welcome := slack.Ephemeral(ada)[0].Shown()
	if !strings.Contains(welcome, "To stop an answer") || strings.Contains(welcome, "salary") || len(slack.Ephemeral(bob)) > 0 || len(slack.Roots(room)) > 0 {
		t.Errorf("the welcome is %q, bob sees %v", welcome, slack.Ephemeral(bob))
	}
	offered := regexp.MustCompile(`What do .*\?`).FindAllString(welcome, -1)
	if len(offered) == 0 {
		t.Fatalf("the welcome offers no question: %q", welcome)
	}
	root := bob.Say(room, "", slacktest.Mention()+" "+offered[0])
	wait("an answer to "+offered[0], func() bool {
		a := slack.Answers(room, root)
		return len(a) == 1 && !a[0].Streaming && strings.Contains(a[0].Shown(), "https://docs.example/")
	})

	bob.OpenHome()
	wait("the home tab", func() bool { return slack.Home(bob) != "" })
	if home := slack.Home(bob); !strings.Contains(home, "Hello!") || strings.Contains(home, "salary") || !strings.Contains(home, "Your questions") {
		t.Errorf("the home tab shows %s", home)
	}

	off := ada.Slash(other, "/footnote", "config welcome false")
	wait("the setting", func() bool {
		d, ok := slack.Delivered(off)
		return ok && strings.Contains(string(d.Payload), "`false`")
	})
	ada.Invite(other)
	root = ada.Say(other, "", slacktest.Mention()+" hello")
	wait("a greeting", func() bool { return len(slack.Answers(other, root)) == 1 })
	if told := slack.Ephemeral(ada); len(told) != 1 {
		t.Errorf("where welcomes are off, she is told %q", told[len(told)-1].Shown())
	}
}
