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
	"github.com/footnotehq/footnote/core/thread"
)

// Events, commands and presses come as signed requests to HTTP_ADDR. What was asked before the
// program was there is answered, an edit is answered in place, a file is read, and settings that
// are changed in chat hold.
func TestSlackOverSignedRequests(t *testing.T) {
	t.Parallel()
	addr := footnotetest.FreeAddress(t)
	slack := slacktest.Start(slacktest.Config{EventsURL: "http://" + addr + "/slack/events", Redeliver: []time.Duration{}})
	t.Cleanup(slack.Close)
	alice := slack.Person("alice", func(p *slacktest.Person) { p.Admin = true })
	room := slack.Channel("help", nil, alice)
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("identity: {domains: [example.com]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_SIGNING_SECRET="+slacktest.SigningSecret,
		"SLACK_API_URL="+slack.URL(), "HTTP_ADDR="+addr)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example", "--acl", "members")
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	early := alice.Say(room, "", slacktest.Mention()+" How many vacation days does an employee have?")
	s := serve(t, p)
	defer s.stop(t)
	shows := func(root, text string) func() bool {
		return func() bool {
			a := slack.Answers(room, root)
			return len(a) == 1 && !a[0].Streaming && strings.Contains(a[0].Shown(), text)
		}
	}
	wait := func(what string, holds func() bool) {
		t.Helper()
		if err := slack.Wait(ctx, what, holds); err != nil {
			t.Fatalf("%v\n%+v\n%s", err, slack.Versions(), s.log)
		}
	}
	said := func(id string) string {
		t.Helper()
		var d slacktest.Delivery
		wait("it is acknowledged", func() (ok bool) { d, ok = slack.Delivered(id); return ok })
		return string(d.Payload)
	}
	wait("the question from before is answered", shows(early, "thirty vacation days"))

	root := alice.Send(room, "", slacktest.Mention()+" How do I roll back a failed deployment?",
		slacktest.File{Name: "notes.txt", Media: "text/plain", Data: []byte("Nothing of use.")})
	wait("the next one is", shows(root, "make rollback"))
	alice.Edit(room, root, slacktest.Mention()+" How many vacation days does an employee have?")
	wait("the edit is answered in place", shows(root, "thirty vacation days"))

	if got := said(alice.Slash(room, "/footnote", "whoami")); !strings.Contains(got, "user:email:alice@example.com") {
		t.Errorf("whoami: %s", got)
	}
	if got := said(alice.Slash(room, "/footnote", "pause")); !strings.Contains(got, "ephemeral") {
		t.Errorf("pause: %s", got)
	}
	if got := said(alice.Slash(room, "/ask", "How many vacation days?")); !strings.Contains(got, "paused") {
		t.Errorf("while paused: %s", got)
	}
	said(alice.Slash(room, "/footnote", "resume"))
	said(alice.Shortcut(room, slack.Answers(room, early)[0].TS, thread.ButtonID(thread.ActionRemove, "")))
	if views := slack.Views(); len(views) > 0 {
		said(alice.Submit(views[0], map[string]string{"text": "It is out of date."}))
	}
	wait("the answer is removed", shows(early, "removed"))
	if slack.Limited() > 0 {
		t.Errorf("%d calls were refused", slack.Limited())
	}
}
