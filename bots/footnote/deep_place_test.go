package main_test

import (
	"context"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// workplace is a Slack in which alice asks in a room, with a program that has the handbook and a
// model.
type workplace struct {
	testing.TB
	*program
	ctx   context.Context
	slack *slacktest.Server
	model *openaitest.Server
	alice *slacktest.Person
	room  *slacktest.Channel
	at    *server // that was started last
}

func newWorkplace(t testing.TB, answers func(openaitest.Request) openaitest.Reply, env ...string) *workplace {
	t.Helper()
	model := openaitest.New(t)
	model.Otherwise(answers)
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	alice := slack.Person("alice", nil)
	return &workplace{
		TB: t, program: withModel(t, model, socketSettings(slack, env...)...), ctx: ctx, slack: slack, model: model, alice: alice, room: slack.Channel("help", nil, alice),
	}
}

// serve starts the program, and returns once Slack can reach it. It waits until Slack has noticed
// that an earlier process is gone: Slack delivers a press once, also to a socket of the dead.
func (w *workplace) serve() *server {
	w.Helper()
	w.until("no socket of an earlier process", func() bool { n, _ := w.slack.Sockets(); return n == 0 })
	w.at = serve(w, w.program)
	w.until("a socket", func() bool { n, _ := w.slack.Sockets(); return n > 0 })
	return w.at
}

// ask has alice ask deeply in the room.
func (w *workplace) ask(question string) (root string) {
	return w.alice.Say(w.room, "", slacktest.Mention()+" deep: "+question)
}

// shown is what the bot has written in a thread.
func (w *workplace) shown(root string) (text string) {
	for _, m := range w.slack.Answers(w.room, root) {
		text += m.Shown() + string(m.Blocks) + "\n"
	}
	return text
}

func (w *workplace) until(what string, holds func() bool) {
	w.Helper()
	if err := w.slack.Wait(w.ctx, what, holds); err != nil {
		w.Fatalf("%v\n%+v\n%s", err, w.slack.Versions(), w.at.log)
	}
}

// club is a Discord server in which ann asks, whose program is to be told of it.
type club struct {
	*discordtest.Server
	guild   *discordtest.Guild
	general *discordtest.Channel
	ann     *discordtest.Person
}

func newClub(t testing.TB) *club {
	t.Helper()
	server, err := discordtest.New(discordtest.Config{Members: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() }) // a process that was killed had not said good-bye
	guild := server.AddGuild("Guild")
	return &club{server, guild, guild.AddText("general"), guild.AddPerson("ann", false)}
}

func (c *club) settings() []string {
	return []string{"DISCORD_BOT_TOKEN=" + c.Token(), "DISCORD_API_URL=" + c.URL(), "DISCORD_MEMBERS=true"}
}

// kill ends a process that cannot do anything about it.
func (s *server) kill(t testing.TB) {
	t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-s.ended; err == nil {
		t.Error("it ended by itself before it was killed")
	}
}
