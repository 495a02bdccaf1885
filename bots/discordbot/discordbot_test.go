package discordbot_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/bots/discordbot"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

const suppressEmbeds = 1 << 2

func TestMentionIsAnsweredInATitledThread(t *testing.T) {
	t.Parallel()
	typed, seen := make(chan struct{}), make(chan struct{})
	w := begin(t, llmtest.Native(searched(), slices.Concat(
		llmtest.Reply{llmtest.Wait(typed)},
		said(40*time.Millisecond, "Set `wal_level` to replica, ", "which the guide explains [1]. ", "Then take a base backup [2]"),
		llmtest.Reply{llmtest.Wait(seen), llmtest.Text(", and start the standby.")},
	)))
	question := w.ada.Mention(w.general, "How do I set up **replication**?")
	w.until("the bot shows that it is at work", func() bool { return len(w.discord.TypingLog()) > 0 })
	close(typed)
	w.until("words appear while the model writes", func() bool { return len(w.discord.Answers(question)) == 1 })
	close(seen)
	got := w.answers(question, 1)[0]
	threads := w.discord.Threads(w.general)
	if len(threads) != 1 || threads[0].ID != question || threads[0].Name != "How do I set up replication?" {
		t.Errorf("threads = %+v", threads)
	}
	for _, want := range []string{"Set `wal_level` to replica", "https://docs.example/replication", "https://docs.example/backup", "start the standby."} {
		if !strings.Contains(got, want) {
			t.Errorf("the answer lacks %q:\n%s", want, got)
		}
	}
	w.harmless()
	w.wholeCitations()
}

// harmless wants every write of the bot to notify nobody and to have no preview.
func (w *world) harmless() {
	w.Helper()
	for _, v := range w.discord.Versions() {
		if v.Author != w.discord.Bot().ID || v.Op == "delete" || v.Content == "" {
			continue
		}
		if len(v.Pings) > 0 {
			w.Errorf("%s of %s notified %v: %q", v.Op, v.Message, v.Pings, v.Content)
		}
		if v.Flags&suppressEmbeds == 0 && !v.Ephemeral {
			w.Errorf("%s of %s lets links have previews", v.Op, v.Message)
		}
	}
	for _, r := range w.discord.Requests() {
		write := r.Method == "POST" && strings.HasSuffix(r.Path, "/messages") || r.Method == "PATCH" && strings.Contains(r.Path, "/messages/")
		if write && !strings.Contains(r.Body, `"allowed_mentions":{"parse":[]`) {
			w.Errorf("%s %s allows mentions: %s", r.Method, r.Path, r.Body)
		}
	}
}

var (
	wholeLink = regexp.MustCompile(`\[\\?\[?\d+\\?\]?\]\(<?https://docs\.example/\w+[^)>\s]*>?\)`)
	rawNumber = regexp.MustCompile(`\[\d*\]?`)
)

// wholeCitations wants no version of any answer to show a piece of a citation.
func (w *world) wholeCitations() {
	w.Helper()
	for _, v := range w.discord.Versions() {
		if v.Author != w.discord.Bot().ID {
			continue
		}
		text, _, _ := strings.Cut(v.Content, "\n-# **Sources**")
		rest := wholeLink.ReplaceAllString(text, "")
		if m := rawNumber.FindString(rest); m != "" || strings.Contains(rest, "](") {
			w.Errorf("a piece of a citation is visible in %q", v.Content)
		}
	}
}

func TestDirectMessage(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(searched(), said(0, "Privately [1]."), said(0, "Still privately.")), func(s *setting) { s.bot.BindFirst = true })
	w.ada.Say(w.ada.DM(), "What is it?")
	w.answers(w.ada.DM(), 1)
	w.ada.Say(w.ada.DM(), "And then?")
	w.answers(w.ada.DM(), 2)
	want := access.NewAudience(access.DefaultTenant, access.Members, access.User("discord", w.ada.ID), access.Channel("discord", w.general))
	if got := w.library.heard(); len(got) == 0 || got[0].Key() != want.Key() {
		t.Errorf("audience = %v, want %v", got, want)
	}
	w.harmless()
}

func TestAudienceOfAChannel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*setting)
		more   bool // the bot belongs to another server too
		own    bool // documents of the channel count
		want   []access.Principal
	}{
		{"without the members intent", func(s *setting) { s.bot.BindFirst = true }, false, true, nil},
		{"with it and bound", func(s *setting) { s.bot.BindFirst, s.bot.Members, s.server.Members = true, true, true }, false, true,
			[]access.Principal{access.Members}},
		{"with it and not bound", func(s *setting) { s.bot.Members, s.server.Members = true, true }, false, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := begin(t, llmtest.Native(searched(), said(0, "So [1].")), tt.change)
			question := w.ada.Mention(w.general, "What is it?")
			w.answers(question, 1)
			if tt.own {
				tt.want = append(tt.want, access.Channel("discord", w.general))
			}
			want := access.NewAudience(access.DefaultTenant, tt.want...)
			if got := w.library.heard(); len(got) == 0 || got[0].Key() != want.Key() {
				t.Errorf("audience = %v, want %v", got, want)
			}
		})
	}
}

// Where nobody opens a channel without a role, documents of the role count, and of the group that
// is bound to it.
func TestAudienceOfAChannelOfOneRole(t *testing.T) {
	t.Parallel()
	var role string
	w := begin(t, llmtest.Native(searched(), said(0, "So [1].")), func(s *setting) {
		s.bot.BindFirst = true
		s.bot.Groups = func() []access.BoundGroup {
			return []access.BoundGroup{{ID: role, Name: "engineering"}, {ID: "engineers", Name: "by name"}}
		}
		s.before = func(w *world) {
			role = w.guild.AddRole("engineers", 0)
			w.guild.Hide(w.general, role)
			w.guild.Grant(w.ada, role)
		}
	})
	question := w.ada.Mention(w.general, "What is it?")
	w.answers(question, 1)
	want := access.NewAudience(access.DefaultTenant, access.Channel("discord", w.general), discordbot.RoleGroup(role), access.Group("engineering"))
	if got := w.library.heard(); len(got) == 0 || got[0].Key() != want.Key() {
		t.Errorf("audience = %v, want %v", got, want)
	}
}

func TestSecondServerIsNotBound(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(searched(), said(0, "So [1].")), func(s *setting) {
		s.bot.BindFirst, s.bot.Members, s.server.Members = true, true, true
	})
	other := w.discord.AddGuild("Strangers")
	channel := other.AddText("lounge").ID
	eve := other.AddPerson("Eve", false)
	question := eve.Mention(channel, "What do you know?")
	w.answers(question, 1)
	want := access.NewAudience(access.DefaultTenant)
	if got := w.library.heard(); len(got) == 0 || got[0].Key() != want.Key() {
		t.Errorf("audience = %v, want %v", got, want)
	}
	if !strings.Contains(w.log.String(), "public documents only") {
		t.Error("nobody was told that the server is not bound")
	}
}

func TestWhatIsNoQuestion(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The only answer.")))
	other := w.guild.AddBot("Weather")
	w.ada.Say(w.general, "Good morning, everybody.")
	w.ada.Say(w.general, "In code it is `<@"+w.discord.Bot().ID+">` and no mention.")
	other.Mention(w.general, "It will rain.")
	thread := w.ada.Mention(w.general, "What is it?")
	w.discord.Again(thread) // the event comes twice
	w.answers(thread, 1)
	other.Say(thread, "It rains.")
	w.discord.Again(thread)
	w.ada.Reply(w.ada.Say(w.general, "I know."), "So do I.")
	end := w.ada.Command(w.general, "stop", nil) // comes after all of them
	w.until("the last event is handled", func() bool { return end.State().Kind != 0 })
	if n := len(w.model.Requests()); n != 1 {
		t.Errorf("the model was asked %d times, want once", n)
	}
	if got := w.discord.Answers(w.general); len(got) != 0 {
		t.Errorf("the bot said %+v", got)
	}
}

func TestNothingInAnAnswerNotifiesAnybody(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(20*time.Millisecond, "@everyone and @here, <@&1> and <@1>: ", "read this whole sentence, @everyone. ", "Thank you, @everyone.")))
	question := w.ada.Mention(w.general, "Whom should I tell? @everyone")
	w.answers(question, 1)
	w.harmless()
}

func TestEmptyMentionIsToldWhatToDo(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native())
	question := w.ada.Mention(w.general, "")
	got := w.answers(w.general, 1)[0]
	if !strings.Contains(got, "Mention me again, with what you would like to know") {
		t.Errorf("the bot says %q", got)
	}
	if v := w.discord.Answers(w.general)[0]; v.ReplyTo != question {
		t.Errorf("it says so to %q, want %q", v.ReplyTo, question)
	}
	w.harmless()
}

func TestWhereNoThreadCanBeOpenedTheAnswerIsAReply(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		missing int64
	}{{"it may not open one", discordtest.CreatePublicThreads}, {"it may not write in one", discordtest.SendMessagesInThreads}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			answerInTheChannel(t, tt.missing)
		})
	}
}

func answerInTheChannel(t *testing.T, missing int64) {
	w := begin(t, llmtest.Native(said(0, "The first answer."), said(0, "The second answer.")))
	w.discord.Deny(w.general, missing)
	question := w.ada.Mention(w.general, "What is it?")
	w.answers(w.general, 1)
	first := w.discord.Answers(w.general)[0]
	if first.ReplyTo != question {
		t.Errorf("the answer replies to %q, want %q", first.ReplyTo, question)
	}
	w.ada.Reply(first.Message, "And then?") // a chain of replies is a session too
	w.answers(w.general, 2)
	requests := w.model.Requests()
	if last := requests[len(requests)-1]; len(last.Messages) < 4 {
		t.Errorf("the follow-up's prompt has %d messages, want the history in it", len(last.Messages))
	}
}

func TestWhereTheBotMayNotWriteItSaysNothingAndGoesOn(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "Into the void."), said(0, "Here.")))
	w.discord.Deny(w.general, discordtest.CreatePublicThreads|discordtest.SendMessages)
	w.ada.Mention(w.general, "What is it?")
	w.until("the failure is logged", func() bool { return strings.Contains(w.log.String(), "platform will never take the answer") })
	if !strings.Contains(w.log.String(), "Send Messages in Threads") {
		t.Error("the log does not name the permissions")
	}
	open := w.guild.AddText("open").ID
	w.answers(w.ada.Mention(open, "And here?"), 1)
}
