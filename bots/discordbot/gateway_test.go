package discordbot_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/bots/discordbot"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

func TestNothingIsLostWhenTheConnectionIs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		interrupt func(*discordtest.Server)
		resumed   bool
		waits     bool // for what does not come: for so long as a test can afford
	}{
		{"the connection drops and is resumed", func(d *discordtest.Server) { d.Drop(false) }, true, false},
		{"the connection drops and the session is over", func(d *discordtest.Server) { d.Drop(true) }, false, false},
		{"Discord asks to reconnect", func(d *discordtest.Server) { d.Reconnect(false) }, true, false},
		{"Discord invalidates the session", func(d *discordtest.Server) { d.Invalidate() }, false, false},
		{"Discord has the session resumed after a while", func(d *discordtest.Server) { d.Unsettle() }, true, false},
		{"Discord hangs up for a reason that it does not know", func(d *discordtest.Server) { d.Hang(4000) }, true, false},
		{"Discord hangs up because of too many packets", func(d *discordtest.Server) { d.Hang(4008) }, true, false},
		{"Discord hangs up because the session has timed out", func(d *discordtest.Server) { d.Hang(4009) }, false, false},
		{"heartbeats are no longer acknowledged", func(d *discordtest.Server) { d.Freeze() }, true, true},
		{"Discord asks to reconnect before it says that the session goes on", func(d *discordtest.Server) { d.Reconnect(true); d.Drop(false) }, true, false},
		{"Discord wants a heartbeat before it says that the session goes on", func(d *discordtest.Server) { d.Ping(); d.Drop(false) }, true, false},
		{"nobody answers where the session is to be resumed", func(d *discordtest.Server) { d.Away(); d.Drop(false) }, true, true},
		{"the next connection is silent", func(d *discordtest.Server) { d.Silence(); d.Drop(false) }, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := begin(t, llmtest.Native(said(0, "The first answer."), said(0, "The second answer."), said(0, "The third answer.")), func(s *setting) {
				if tt.waits {
					s.server.Heartbeat, s.bot.Discord.Gateway.OpenLimit = 300*time.Millisecond, 2*time.Second
				}
			})
			thread := w.ada.Mention(w.general, "What is first?")
			w.answers(thread, 1)
			before, _ := w.discord.Logins()
			tt.interrupt(w.discord)
			w.ada.Say(thread, "And second?") // while the bot is disconnected
			other := w.ada.Mention(w.general, "And elsewhere?")
			w.answers(thread, 2)
			w.answers(other, 1)
			if hasty, misled, givenUp := w.discord.Manners(); hasty+misled+givenUp > 0 {
				t.Errorf("%d sessions began too soon, %d logins went to the wrong address, %d sessions were given up", hasty, misled, givenUp)
			}
			after, resumes := w.discord.Logins()
			if tt.resumed && (after != before || resumes == 0) {
				t.Errorf("the bot identified %d times more and resumed %d times, want it to resume", after-before, resumes)
			}
			if n := len(w.model.Requests()); n != 3 {
				t.Errorf("the model was asked %d times, want 3", n)
			}
		})
	}
}

// What happens to a running turn while there is no session is found out when the next one begins.
func TestRunningTurnIsLookedIntoAfterTheSessionWasOver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(w *world, question, answer string)
		want string
	}{
		{"a stop of the answer", func(w *world, _, answer string) { w.ada.React(answer, "🛑") }, "topped"},
		{"a stop of the question", func(w *world, question, _ string) { w.ada.React(question, "🛑") }, "topped"},
		{"an edit of the question", func(w *world, question, _ string) {
			w.ada.Edit(question, "<@"+w.discord.Bot().ID+"> What is new?")
		}, "The new answer."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			begun := llmtest.Reply{llmtest.Text("It begins with a whole sentence. "), llmtest.Hang()}
			w := begin(t, llmtest.Native(begun, said(0, "The new answer.")))
			question := w.ada.Mention(w.general, "What is it?")
			w.until("words appear", func() bool { return len(w.discord.Answers(question)) == 1 })
			w.ada.React(question, "👍")
			w.discord.Only(2) // a session that there is not
			tt.do(w, question, w.discord.Answers(question)[0].Message)
			w.discord.Only(0)
			w.discord.Invalidate()
			w.until("it is noticed", func() bool { return strings.Contains(w.discord.Answers(question)[0].Content, tt.want) })
		})
	}
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		more := make(chan struct{})
		w := begin(t, llmtest.Native(llmtest.Reply{llmtest.Text("It begins with a whole sentence. "), llmtest.Wait(more), llmtest.Text("It ends.")}))
		question := w.ada.Mention(w.general, "What is it?")
		w.until("words appear", func() bool { return len(w.discord.Answers(question)) == 1 })
		before, _ := w.discord.Logins()
		w.discord.Invalidate()
		w.until("there is another session", func() bool { after, _ := w.discord.Logins(); return after > before && w.discord.Connected() })
		close(more)
		w.answers(question, 1)
		if n := len(w.model.Requests()); n != 1 || !strings.Contains(w.discord.Answers(question)[0].Content, "It ends.") {
			t.Errorf("the model was asked %d times, and %+v stands there", n, w.discord.Answers(question))
		}
	})
}

func TestFirstHeartbeatWaitsUnlessItIsAskedFor(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The answer.")), func(s *setting) {
		s.server.Heartbeat = 100_000 * time.Hour // a random part of which is more than any test takes
	})
	w.answers(w.ada.Mention(w.general, "What is it?"), 1)
	if n := w.discord.Beats(); n != 0 {
		t.Errorf("%d heartbeats were sent at once", n)
	}
	w.discord.Demand()
	w.until("the heartbeat that was asked for comes", func() bool { return w.discord.Beats() == 1 })
}

func TestLossesOfConnectionsThatLastedDoNotAddUp(t *testing.T) {
	t.Parallel()
	const retry = 10 * time.Millisecond
	for _, tt := range []struct {
		name   string
		lose   func(*discordtest.Server)
		losses int
		most   time.Duration // before the next connection
	}{
		{"connections that are resumed", func(d *discordtest.Server) { d.Drop(false) }, 3, retry},
		{"sessions that are over, while the day has many left", (*discordtest.Server).Invalidate, 5, 5 * retry},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var answers []llmtest.Reply
			for range tt.losses + 1 {
				answers = append(answers, said(0, "The answer."))
			}
			w := begin(t, llmtest.Native(answers...), func(s *setting) { s.bot.Discord.Gateway.Retry = retry })
			w.answers(w.ada.Mention(w.general, "What is first?"), 1)
			for range tt.losses {
				tt.lose(w.discord)
				w.answers(w.ada.Mention(w.general, "What is next?"), 1)
			}
			waits := regexp.MustCompile(`again_in=(\S+)`).FindAllStringSubmatch(w.log.String(), -1)
			if len(waits) != tt.losses {
				t.Errorf("%d losses are logged, want %d", len(waits), tt.losses)
			}
			for _, said := range waits {
				if wait, err := time.ParseDuration(said[1]); err != nil || wait > tt.most {
					t.Errorf("the next connection was made after %s (%v), want at most %s", said[1], err, tt.most)
				}
			}
		})
	}
}

func TestQuestionsFromBeforeTheStartAreAnswered(t *testing.T) {
	t.Parallel()
	var question string
	w := begin(t, llmtest.Native(said(0, "The answer.")), func(s *setting) {
		s.before = func(w *world) {
			question = w.ada.Mention(w.general, "Is anybody there?")
			w.ada.Say(w.general, "Nobody, it seems.")
		}
	})
	w.answers(question, 1)
}

func TestWhatCannotWorkEndsWithASentence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		server discordtest.Config
		bot    discordbot.Config
		refuse int
		want   string
	}{
		{"the token is wrong", discordtest.Config{}, discordbot.Config{Token: "wrong"}, 0, "DISCORD_BOT_TOKEN"},
		{"the gateway does not take the token", discordtest.Config{}, discordbot.Config{}, 4004, "DISCORD_BOT_TOKEN"},
		{"message content is not enabled", discordtest.Config{NoContent: true}, discordbot.Config{}, 0, "Enable MESSAGE CONTENT INTENT in the Developer Portal"},
		{"members is not enabled", discordtest.Config{}, discordbot.Config{Members: true, NoMessageContent: true}, 0, "Enable SERVER MEMBERS INTENT"},
		{"sharding is required", discordtest.Config{}, discordbot.Config{}, 4011, "sharded"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			server, err := discordtest.New(tt.server)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := server.Close(); err != nil {
					t.Error(err)
				}
			}()
			if tt.refuse != 0 {
				server.Refuse(tt.refuse)
			}
			w := &world{TB: t, ctx: ctx, discord: server, model: llmtest.Native(), log: &logs{wake: server.Wake}}
			bot, _ := w.bot(setting{bot: tt.bot})
			defer bot.Close()
			err = bot.Run(ctx)
			var fatal *call.FatalError
			if !errors.As(err, &fatal) || !strings.Contains(fatal.Sentence, tt.want) {
				t.Errorf("Run() = %v, want a sentence with %q", err, tt.want)
			}
		})
	}
}

func TestWithoutMessageContentMentionsAndDirectMessagesWork(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The first answer."), said(0, "The second answer."), said(0, "The third answer.")), func(s *setting) {
		s.server.NoContent, s.bot.NoMessageContent = true, true
	})
	thread := w.ada.Mention(w.general, "What is first?")
	w.answers(thread, 1)
	w.ada.Say(thread, "This cannot be read.")
	w.ada.Mention(thread, "And second?")
	w.answers(thread, 2)
	w.ada.Say(w.ada.DM(), "And third?")
	w.answers(w.ada.DM(), 1)
	if w.discord.Intents()&discordtest.IntentMessageContent != 0 {
		t.Error("the intent was asked for")
	}
}

// Messages cannot be read for so long after a reconnect that the first scan gives up. What was
// asked meanwhile is answered once they can, also where something was asked since.
func TestMissedQuestionIsFoundHoweverLongMessagesCannotBeRead(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The first answer."), said(0, "The second answer."), said(0, "The third answer.")))
	thread := w.ada.Mention(w.general, "What is first?")
	w.answers(thread, 1)
	w.discord.Inject(discordtest.Fault{Method: "GET", Path: "/messages", Status: 503, Body: "{}", Times: 1 << 30})
	before, _ := w.discord.Logins()
	w.discord.Drop(true)
	w.ada.Say(thread, "And second?") // while the bot is disconnected
	w.until("the bot is connected again", func() bool { after, _ := w.discord.Logins(); return after > before })
	w.until("the scan gives up", func() bool { return w.log.has(`msg="event not handled" event="missed messages"`) })
	w.ada.Say(thread, "And third?")
	w.answers(thread, 2)
	w.discord.Mend()
	w.answers(thread, 3)
}
