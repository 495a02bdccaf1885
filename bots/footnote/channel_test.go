package main_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// A channel is set up in chat, its questions are answered unasked and remarks are not, and each
// decision can be explained: through the real program.
func TestAChannelIsConfiguredInChat(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	p := newProgram(t, socketSettings(slack)...)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example", "--acl", "public")
	alice := slack.Person("alice", nil)
	boss := slack.Person("boss", func(p *slacktest.Person) { p.Admin = true })
	room := slack.Channel("help", nil, alice, boss)
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	until := func(what string, holds func() bool) {
		t.Helper()
		if err := slack.Wait(ctx, what, holds); err != nil {
			t.Fatalf("%v\n%+v\n%s", err, slack.Roots(room), s.log)
		}
	}
	told := func(who *slacktest.Person, command, want string) {
		t.Helper()
		id, got := who.Slash(room, "/footnote", command), ""
		until("what is told", func() bool {
			d, ok := slack.Delivered(id)
			var said struct{ Text string }
			if ok {
				ok = json.Unmarshal(d.Payload, &said) == nil
			}
			got = said.Text
			return ok
		})
		if !strings.Contains(got, want) {
			t.Errorf("/footnote %s: %q, want %q", command, got, want)
		}
	}
	until("a socket", func() bool { n, _ := slack.Sockets(); return n > 0 })

	told(alice, "config follow always", "Only administrators")
	told(boss, "config follow sometimes", "write mention, dialogue or always")
	told(boss, "config follow always", "is now `always`")
	told(boss, "config evidence 0.4", "is now `0.4`")
	told(boss, "config cool_down 0s", "is now `0s`")
	told(alice, "whoami", "`members`")
	told(alice, "status", "I answer questions in this channel.")

	answered := func(root, text string) func() bool {
		return func() bool {
			for _, m := range slack.Answers(room, root) {
				if strings.Contains(m.Shown(), text) && !m.Streaming {
					return true
				}
			}
			return false
		}
	}
	remark := alice.Say(room, "", "I had thirty vacation days last year.")
	unknown := alice.Say(room, "", "Who won the chess tournament in Reykjavik?")
	question := alice.Say(room, "", "How many vacation days does an employee have?")
	until("an unasked answer", answered(question, "thirty vacation days"))
	told(alice, "why", "Decision: In this channel the bot may speak unasked")
	alice.Edit(room, question, "How do I roll back a failed deployment?")
	until("the answer to the edited question", answered(question, "make rollback"))
	if n := len(slack.Answers(room, question)); n != 1 {
		t.Errorf("%d answers to one question", n)
	}
	alice.Delete(room, question)
	until("the mark", answered(question, "The question was deleted."))

	for root, want := range map[string]string{remark: "no_question", unknown: "Outcome: declined"} {
		if n := len(slack.Answers(room, root)); n != 0 {
			t.Errorf("%d answers to what is not to be answered (%s)", n, want)
		}
		for got := ""; !strings.Contains(got, want); { // decisions are written once a second
			if got = p.try(t, "", "why", room.ID+"/"+root).stdout; ctx.Err() != nil {
				t.Fatalf("why %s: %s\nwant %q", root, got, want)
			}
		}
	}
	if diff := p.run(t, "config", "diff").stdout; !strings.Contains(diff, "follow: dialogue -> always, by "+boss.ID) {
		t.Errorf("config diff:\n%s", diff)
	}
	told(boss, "pause", "paused")
	root := alice.Say(room, "", slacktest.Mention()+" How many vacation days?")
	until("a refusal", func() bool {
		for _, m := range slack.Ephemeral(alice) {
			if strings.Contains(m.Shown(), "Answering is paused") {
				return true
			}
		}
		return false
	})
	told(boss, "resume", "again")
	told(alice, "forget-me", "Nothing is deleted yet")
	told(alice, "forget-me confirm", "Deleted: ")
	if r := p.try(t, "", "why", room.ID+"/"+unknown); strings.Contains(r.stdout, "Turn ") {
		t.Errorf("a question is left of somebody who was forgotten:\n%s", r.stdout)
	}
	if n := len(slack.Answers(room, root)); n != 0 {
		t.Errorf("%d answers while answering paused: %q", n, slack.Answers(room, root)[0].Shown())
	}
}
