package discordbot_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// finished waits until a command shows its whole answer, and returns it without the question that
// is quoted above it.
func (w *world) finished(i *discordtest.Interaction) discordtest.State {
	w.Helper()
	w.until("the command is answered", func() bool {
		s := i.State()
		return s.Kind != 0 && !s.Loading && !strings.Contains(s.Content, "▌") && w.model.Open() == 0
	})
	s := i.State()
	s.Content = unquoted(s.Content)
	return s
}

// unquoted is what a message says below the question that is quoted above it.
func unquoted(text string) string {
	if rest, quotes := strings.CutPrefix(text, "> **"); quotes {
		_, rest, _ = strings.Cut(rest, "\n")
		return strings.TrimLeft(rest, "\n")
	}
	return text
}

func TestAskIsDeferredAndThenEdited(t *testing.T) {
	t.Parallel()
	seen := make(chan struct{})
	w := begin(t, llmtest.Native(searched(), llmtest.Reply{
		llmtest.Text("Set it to replica [1]. "), llmtest.Wait(seen), llmtest.Text("Then wait, "), llmtest.Text("and look again."),
	}))
	i := w.ada.Ask(w.general, "How do I set up replication?")
	w.until("words appear while the model writes", func() bool { return strings.Contains(i.State().Content, "Set it to replica") })
	close(seen)
	got := w.finished(i)
	if got.Kind != 5 || got.Private || !strings.HasPrefix(got.Content, "Set it to replica [[1]](<https://docs.example/replication#top>). Then wait, and look again.") {
		t.Errorf("the command shows %+v", got)
	}
	w.harmless()
	w.wholeCitations()
}

func TestReplyToACommandsAnswerGoesOn(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The first answer."), said(0, "The second answer.")))
	first := w.finished(w.ada.Ask(w.general, "What is it?"))
	w.ada.Reply(first.Original, "And then?")
	w.answers(w.general, 2)
	requests := w.model.Requests()
	if last := requests[len(requests)-1]; len(last.Messages) < 4 {
		t.Errorf("the follow-up's prompt has %d messages, want the history in it", len(last.Messages))
	}
}

func TestPrivateAsk(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(searched(), said(0, "Between us [1].")), func(s *setting) { s.bot.BindFirst = true })
	i := w.ada.Command(w.general, "ask", map[string]any{"question": "What is it?", "private": true})
	if got := w.finished(i); !got.Private || !strings.HasPrefix(got.Content, "Between us") {
		t.Errorf("the command shows %+v", got)
	}
	if got := w.discord.Shown(w.general); len(got) != 0 {
		t.Errorf("others see %+v", got)
	}
	want := access.NewAudience(access.DefaultTenant, access.Members, access.User("discord", w.ada.ID), access.Channel("discord", w.general))
	if got := w.library.heard(); len(got) != 1 || got[0].Key() != want.Key() {
		t.Errorf("audience = %v, want %v", got, want)
	}
}

func TestAskBeyondAQuotaIsRefusedPrivately(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "One.")), func(s *setting) {
		s.policies = common.Policies([]policy.SettingValue{{Key: "user_quota", Value: "1/hour"}})
	})
	w.finished(w.ada.Ask(w.general, "one?"))
	got := w.finished(w.ada.Ask(w.general, "two?"))
	refusal := regexp.MustCompile(`^You've asked 1 question this hour, the limit per person here\. Try again at <t:\d+:t>\.$`)
	if !got.Private || !refusal.MatchString(got.Content) || len(got.Buttons) > 0 {
		t.Errorf("the command shows %+v", got)
	}
	if shown := w.discord.Answers(w.general); len(shown) != 1 {
		t.Errorf("others see %+v", shown)
	}
}

func TestAskWithoutAQuestionIsToldWhatToDo(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native())
	got := w.finished(w.ada.Ask(w.general, "  "))
	if got.Kind != 4 || !got.Private || !strings.Contains(got.Content, "Write what you would like to know") {
		t.Errorf("the command shows %+v", got)
	}
}

func TestAskThatOutlivesItsTokenEndsInTheChannel(t *testing.T) {
	t.Parallel()
	expired := make(chan struct{})
	w := begin(t, llmtest.Native(llmtest.Reply{llmtest.Text("It begins with a whole sentence. "), llmtest.Wait(expired), llmtest.Text("And ends.")}))
	i := w.ada.Ask(w.general, "What is it?")
	w.until("words appear", func() bool { return strings.Contains(i.State().Content, "whole sentence") })
	i.Expire()
	close(expired)
	w.until("the answer is finished", func() bool {
		got := w.discord.Answers(w.general)
		return len(got) == 1 && strings.HasPrefix(unquoted(got[0].Content), "It begins with a whole sentence. And ends.")
	})
}

func TestPrivateAskThatOutlivesItsTokenEndsInADirectMessage(t *testing.T) {
	t.Parallel()
	expired := make(chan struct{})
	w := begin(t, llmtest.Native(llmtest.Reply{llmtest.Text("It begins with a whole sentence. "), llmtest.Wait(expired), llmtest.Text("And ends.")}))
	i := w.ada.Command(w.general, "ask", map[string]any{"question": "What is it?", "private": true})
	w.until("words appear", func() bool { return strings.Contains(i.State().Content, "whole sentence") })
	i.Expire()
	close(expired)
	if got := w.answers(w.ada.DM(), 1)[0]; got != "It begins with a whole sentence. And ends." {
		t.Errorf("the direct message says %q", got)
	}
	if got := w.discord.Shown(w.general); len(got) != 0 {
		t.Errorf("others see %+v", got)
	}
}

func TestAskMovesFromTheTokenBeforeItExpires(t *testing.T) {
	t.Parallel()
	moved := make(chan struct{})
	life := 6 * time.Second // a fifteenth of which is what a call may take
	w := begin(t, llmtest.Native(llmtest.Reply{llmtest.Text("It begins with a whole sentence. "), llmtest.Wait(moved), llmtest.Text("And ends.")}),
		func(s *setting) { s.server.TokenLife, s.bot.Discord.TokenLife = life, life })
	began := time.Now()
	i := w.ada.Ask(w.general, "What is it?")
	w.until("words appear", func() bool { return strings.Contains(i.State().Content, "whole sentence") })
	timer := time.AfterFunc(time.Until(began.Add(life-life/15+50*time.Millisecond)), func() { close(moved) })
	defer timer.Stop()
	if got := w.finished(i); !strings.HasPrefix(got.Content, "It begins with a whole sentence. And ends.") {
		t.Errorf("the command shows %+v", got)
	}
	for _, r := range w.discord.Requests() {
		if r.Code == 50027 {
			t.Errorf("the token was used after its end: %s %s", r.Method, r.Path)
		}
	}
}

func TestStopCommandStopsTheAnswerInItsThread(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(llmtest.Reply{llmtest.Text("What was written so far is a whole sentence. "), llmtest.Hang()}))
	question := w.ada.Mention(w.general, "Tell me everything.")
	w.until("words appear", func() bool { return len(w.discord.Answers(question)) == 1 })
	w.ada.Command(question, "stop", nil)
	if got := w.answers(question, 1)[0]; !strings.HasPrefix(got, "What was written so far is a whole sentence.") {
		t.Errorf("the answer lost its text: %q", got)
	}
	for _, v := range w.discord.Answers(question) {
		if slices.ContainsFunc(v.Buttons, func(id string) bool { return strings.HasPrefix(id, "footnote:stop:") }) {
			t.Errorf("the finished answer has the buttons %q", v.Buttons)
		}
	}
}

func TestStopCommandStopsACommandInTheSameChannel(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(llmtest.Reply{llmtest.Text("It begins with a whole sentence. "), llmtest.Hang()}))
	i := w.ada.Ask(w.general, "What is it?")
	w.until("words appear", func() bool { return strings.Contains(i.State().Content, "whole sentence") })
	if got := w.finished(w.ada.Command(w.general, "stop", nil)); got.Content != "Stopped." {
		t.Errorf("/stop shows %+v", got)
	}
	if got := w.finished(i); !strings.HasPrefix(got.Content, "It begins with a whole sentence.") {
		t.Errorf("the command shows %+v", got)
	}
}

func TestCommandsOfSomeServers(t *testing.T) {
	t.Parallel()
	w := prepare(t, llmtest.Native(), func(s *setting) {
		s.before = func(w *world) { w.chosen = w.guild.ID }
	})
	w.until("they are registered there", func() bool { return strings.Contains(w.discord.CommandsOf(w.guild.ID), `"ask"`) })
	if list, _ := w.discord.Commands(); strings.Contains(list, `"ask"`) {
		t.Errorf("they are shown twice: %s", list)
	}
}

func TestCommandsAreWrittenOnlyWhenTheyChanged(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native())
	client, err := discord.New(discord.Config{Token: w.discord.Token(), APIURL: w.discord.URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.Register(w.ctx); err != nil {
		t.Fatal(err)
	}
	if list, puts := w.discord.Commands(); puts != 1 || !strings.Contains(list, `"ask"`) || !strings.Contains(list, `"stop"`) {
		t.Errorf("commands were written %d times: %s", puts, list)
	}
}

// In a server the menu of a message offers what only moderators may do to moderators.
func TestModeratorsCommandsAreHiddenFromOthers(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native())
	mod, boss := w.guild.AddPerson("Mod", true), w.guild.AddPerson("Boss", false)
	w.guild.Own(boss)
	for _, tt := range []struct {
		who     string
		person  *discordtest.Person
		channel string
		want    bool
	}{
		{"a member", w.ada, w.general, false}, {"a moderator", mod, w.general, true}, {"the owner", boss, w.general, true},
		{"somebody in a direct message", w.ada, w.ada.DM(), true},
	} {
		offered := tt.person.Offered(tt.channel)
		for _, name := range []string{"Correct answer", "Remove answer"} {
			if got := slices.Contains(offered, name); got != tt.want {
				t.Errorf("%s is offered %q: %v, want %v", tt.who, name, got, tt.want)
			}
		}
		for _, name := range []string{"ask", "stop", "footnote", "Why this answer?", "Try again", "Ask about this"} {
			if !slices.Contains(offered, name) {
				t.Errorf("%s is not offered %q", tt.who, name)
			}
		}
	}
}

// Discord shows who used a command, and not what was asked. So the answer does, in such a way that
// nobody is mentioned and nothing formatted.
func TestAnswerToACommandShowsTheQuestion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, question, want string }{
		{"a question", "How do I set up *replication*?", "> **Ada** asked: How do I set up \\*replication\\*?\n"},
		{"of several lines", "How?\n> quoted\n# large", "> **Ada** asked: How? > quoted # large\n"},
		{"with mentions", "@everyone <@123> <@&5> <#7> @here why?", "> **Ada** asked: @\u200beveryone \\<\u200b@123> \\<\u200b@&5> \\<\u200b#7> @\u200bhere why?\n"},
		{"a long one", strings.Repeat("words and ", 60), "> **Ada** asked: " + strings.TrimSpace(strings.Repeat("words and ", 29)) + " words…\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := begin(t, llmtest.Native(said(0, "The answer.")))
			i := w.ada.Ask(w.general, tt.question)
			if got := w.finished(i).Content; !strings.HasPrefix(got, "The answer.") {
				t.Errorf("the answer is %q", got)
			}
			if got := i.State().Content; !strings.HasPrefix(got, tt.want) {
				t.Errorf("the command shows %q, want %q", got, tt.want)
			}
			w.harmless()
		})
	}
	t.Run("not over a question that stands there", func(t *testing.T) {
		t.Parallel()
		w := begin(t, llmtest.Native(said(0, "The answer.")))
		question := w.ada.Mention(w.general, "How?")
		w.answers(question, 1)
		if got := w.discord.Answers(question)[0].Content; !strings.HasPrefix(got, "The answer.") {
			t.Errorf("the thread shows %q", got)
		}
	})
}
