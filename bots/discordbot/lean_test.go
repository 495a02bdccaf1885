package discordbot_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// lean is a server that says no more than it must.
func lean(s *setting) { s.server.Lean, s.server.BucketWindow = true, 0 }

// What the platform does not tell is asked for, or done without.
func TestDiscordThatSaysLittle(t *testing.T) {
	t.Parallel()
	t.Run("a thread, a follow-up and an edit", func(t *testing.T) {
		t.Parallel()
		w := begin(t, llmtest.Native(said(0, "The first answer."), said(0, "The second answer."), said(0, "The third answer.")), lean)
		thread := w.ada.Mention(w.general, "What is first?")
		w.answers(thread, 1)
		second := w.ada.Say(thread, "And second?")
		w.answers(thread, 2)
		w.ada.Edit(second, "And what is really second?")
		w.until("the answer is redone", func() bool {
			got := w.discord.Answers(thread)
			return len(got) == 2 && strings.HasPrefix(got[1].Content, "The third answer.") && w.model.Open() == 0
		})
		w.neverRefused()
	})
	t.Run("replies are told without what they answer", func(t *testing.T) {
		t.Parallel()
		w := begin(t, llmtest.Native(said(0, "The first answer."), said(0, "The second answer.")), lean, func(s *setting) {
			s.policies = holding(func(p *policy.Policy) { p.Reply = policy.ReplyInPlace })
		})
		w.ada.Mention(w.general, "What is it?")
		w.answers(w.general, 1)
		w.ada.Reply(w.discord.Answers(w.general)[0].Message, "And then?")
		w.answers(w.general, 2)
		requests := w.model.Requests()
		if last := requests[len(requests)-1]; len(last.Messages) < 4 {
			t.Errorf("the follow-up's prompt has %d messages, want the history in it", len(last.Messages))
		}
	})
	t.Run("a moderator stops by a reaction", func(t *testing.T) {
		t.Parallel()
		w := begin(t, llmtest.Native(llmtest.Reply{llmtest.Text("It begins with a whole sentence. "), llmtest.Hang()}), lean)
		question := w.ada.Mention(w.general, "What is it?")
		w.until("words appear", func() bool { return len(w.discord.Answers(question)) == 1 })
		w.guild.AddPerson("Mod", true).React(w.discord.Answers(question)[0].Message, "🛑")
		w.until("the answer is marked", func() bool { return strings.Contains(w.discord.Answers(question)[0].Content, "topped") })
	})
	t.Run("a session that is over, in a channel of which nothing was told", func(t *testing.T) {
		t.Parallel()
		w := begin(t, llmtest.Native(said(0, "The first answer."), said(0, "The second answer."), said(0, "The third answer.")), lean)
		w.answers(w.ada.Mention(w.general, "What is first?"), 1)
		w.ada.Say(w.ada.DM(), "And second?")
		w.answers(w.ada.DM(), 1)
		w.discord.Drop(true)
		missed := w.ada.Mention(w.general, "And third?") // while the bot is disconnected
		w.answers(missed, 1)
		if got := len(w.discord.Answers(w.general)); got != 0 {
			t.Errorf("%d answers stand in the channel", got)
		}
	})
	t.Run("commands", func(t *testing.T) {
		t.Parallel()
		w := begin(t, llmtest.Native(said(0, "The first answer."), said(0, "The second answer.")), lean)
		if got := w.finished(w.ada.Ask(w.general, "What is first?")); !strings.HasPrefix(got.Content, "The first answer.") {
			t.Errorf("the command shows %+v", got)
		}
		if got := w.finished(w.ada.Ask(w.ada.DM(), "And second?")); !strings.HasPrefix(got.Content, "The second answer.") {
			t.Errorf("the command shows %+v", got)
		}
	})
}

// A channel of which nothing can be found out is written to all the same.
func TestChannelThatCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The answer.")), lean)
	w.discord.Inject(discordtest.Fault{Method: "GET", Path: "/channels/" + w.general, Status: http.StatusNotFound, Body: "not found", Times: 100})
	w.answers(w.ada.Mention(w.general, "What is it?"), 1)
}

// Discord delivers an event once. What an event leaves out is looked up again after a failure.
func TestLookUpsOfAnEventAreRepeated(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The answer.")), lean)
	w.discord.Inject(discordtest.Fault{Method: "GET", Path: "/channels/" + w.general, Status: http.StatusServiceUnavailable, Body: "<html></html>", Times: 3})
	question := w.ada.Mention(w.general, "What is it?")
	w.answers(question, 1)
	if threads := w.discord.Threads(w.general); len(threads) != 1 {
		t.Errorf("threads = %+v, want one: the channel takes threads", threads)
	}
}

// Discord's client offers the role that a bot has alone beside the bot itself, and people take the
// one or the other.
func TestMentionOfTheBotsOwnRole(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The answer.")))
	w.ada.Say(w.general, "<@&"+w.guild.AddRole("helpers", 0)+"> who knows?") // not meant for the bot
	question := w.ada.Say(w.general, "<@&"+w.guild.BotRole()+"> What is it?")
	w.answers(question, 1)
	if threads := w.discord.Threads(w.general); len(threads) != 1 || threads[0].Name != "What is it?" {
		t.Errorf("threads = %+v", threads)
	}
}

// The first response to a command is made again while Discord waits for it, and counts once.
func TestFirstResponseIsMadeAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault discordtest.Fault
	}{
		{"Discord fails", discordtest.Fault{Path: "/callback", Status: http.StatusServiceUnavailable, Body: "<html></html>"}},
		{"the call is lost", discordtest.Fault{Path: "/callback", Drop: true}},
		{"the answer to the call is lost", discordtest.Fault{Path: "/callback", Drop: true, Done: true}},
		{"Discord asks to wait", discordtest.Fault{Path: "/callback", RetryAfter: 300 * time.Millisecond}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := begin(t, llmtest.Native(said(0, "The answer.")))
			w.discord.Inject(tt.fault)
			asked := w.ada.Ask(w.general, "What is it?")
			if got := w.finished(asked); got.Kind != 5 || !strings.HasPrefix(got.Content, "The answer.") {
				t.Errorf("the command shows %+v", got)
			}
		})
	}
}

// Commands are registered although Discord fails when the bot starts, and those of one server are
// written once.
func TestCommandsAreRegisteredInTheEnd(t *testing.T) {
	t.Parallel()
	w := prepare(t, llmtest.Native(), func(s *setting) {
		s.before = func(w *world) {
			w.chosen = w.guild.ID
			w.discord.Inject(discordtest.Fault{Method: "GET", Path: "/commands", Status: http.StatusBadGateway, Body: "<html></html>"})
			w.discord.Inject(discordtest.Fault{Method: "PUT", Path: "/commands", RetryAfter: 100 * time.Millisecond})
		}
	})
	w.until("they are registered", func() bool { return strings.Contains(w.discord.CommandsOf(w.guild.ID), `"ask"`) })
	_, puts := w.discord.Commands()
	reads := func() (n int) {
		for _, r := range w.discord.Requests() {
			if r.Method == "GET" && strings.HasSuffix(r.Path, "/guilds/"+w.guild.ID+"/commands") && r.Status == http.StatusOK {
				n++
			}
		}
		return n
	}
	w.stop()
	before := reads()
	w.start()
	w.until("the commands are looked at again", func() bool { return reads() > before })
	w.answersCommands()
	if _, again := w.discord.Commands(); again != puts {
		t.Errorf("the commands were written %d times more although nothing changed", again-puts)
	}
}

// answersCommands waits until a command is answered.
func (w *world) answersCommands() {
	w.Helper()
	i := w.ada.Command(w.general, "stop", nil)
	w.until("a command is answered", func() bool { return i.State().Kind != 0 })
}
