package discordbot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

// files returns the files of the n-th question, by name.
func (w *world) files(n int) map[string]message.File {
	w.Helper()
	found := make(map[string]message.File)
	for _, f := range w.asked()[n].Question.Files {
		found[f.Name] = f
	}
	return found
}

func TestAttachmentsAreRead(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The first answer."), said(0, "The second answer."), said(0, "The third answer.")))
	notes := discordtest.Upload{Name: "notes.txt", Media: "text/plain", Content: "The standby lags behind."}
	dm := w.ada.DM()
	w.ada.Attach(dm, "What do they say?", notes, discordtest.Upload{Name: "huge.bin", Media: "application/octet-stream", Content: strings.Repeat("x", 11<<20)})
	w.answers(dm, 1)
	w.ada.Attach(dm, "", notes)
	w.answers(dm, 2)
	w.finished(w.ada.Command(w.general, "ask", map[string]any{"question": "And this?", "file": notes}))
	for n, question := range []string{"What do they say?", "What is this about?", "And this?"} {
		if got := w.files(n)["notes.txt"]; got.Text != notes.Content || w.asked()[n].Question.Text != question {
			t.Errorf("question %d: %q with %+v", n, w.asked()[n].Question.Text, got)
		}
	}
	if got := w.files(0)["huge.bin"]; got.Text != "" || !strings.Contains(got.Failed, "larger than") {
		t.Errorf("the large file is %+v", got)
	}
}

// Discord tells of the thread that was opened from a question as if the question had been edited,
// with its files.
func TestQuestionWithAFileIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The first answer."), said(0, "The next answer."), said(0, "The other answer.")))
	notes := discordtest.Upload{Name: "notes.txt", Media: "text/plain", Content: "The standby lags behind."}
	mention := "<@" + w.discord.Bot().ID + "> "
	question := w.ada.Attach(w.general, mention+"What do they say?", notes)
	w.answers(question, 1)
	w.answers(w.ada.Mention(w.general, "What is next?"), 1) // what was told of the first question is dealt with
	if asked := w.asked(); len(asked) != 2 {
		t.Errorf("%d turns ran for two questions", len(asked))
	}
	if got := w.discord.Answers(question); len(got) != 1 || !strings.HasPrefix(got[0].Content, "The first answer.") {
		t.Errorf("the answer is %+v", got)
	}
	w.ada.Edit(question, mention+"What do they say now?")
	w.until("the answer is redone in place", func() bool {
		got := w.discord.Answers(question)
		return len(got) == 1 && strings.HasPrefix(got[0].Content, "The other answer.")
	})
	requests := w.model.Requests()
	if last := fmt.Sprint(requests[len(requests)-1].Messages); !strings.Contains(last, "say now?") || !strings.Contains(last, notes.Content) {
		t.Errorf("the edited question is asked without its file: %s", last)
	}
}

func TestChainOfRepliesIsContext(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The answer.")))
	bob := w.guild.AddPerson("Bob", false)
	first := bob.Say(w.general, "The standby lags behind.")
	second := w.ada.Reply(first, "Since when?")
	third := bob.Reply(second, "Since Monday.")
	question := w.ada.Reply(third, "<@"+w.discord.Bot().ID+"> What can we do?")
	w.answers(question, 1)
	want := "Bob: The standby lags behind.\nAda: Since when?\nBob: Since Monday."
	if got := w.files(0)["Messages that the question replies to"]; got.Text != want {
		t.Errorf("context = %q, want %q", got.Text, want)
	}
}

func TestForumPosts(t *testing.T) {
	t.Parallel()
	wait := 2 * time.Second
	w := begin(t, llmtest.Native(searched(), said(0, "Set it to replica [1]."), searched(), said(0, "The second answer [1].")), func(s *setting) {
		s.policies = holding(func(p *policy.Policy) {
			p.Forum = policy.Forum{Posts: true, Wait: wait}
		})
	})
	forum := w.guild.AddForum("help").ID
	bob := w.guild.AddPerson("Bob", false)
	helped := w.ada.Post(forum, "How do I restore?", "Nothing works.")
	bob.Say(helped, "Look at the guide.") // a person answers within the wait
	post := w.ada.Post(forum, "How do I set up replication?", "The guide says nothing.")
	got := w.answers(post, 1)[0]
	if !strings.HasPrefix(got, "Set it to replica [[1]](<https://docs.example/replication#top>).") {
		t.Errorf("the post got %q", got)
	}
	if text := w.asked()[len(w.asked())-1].Question.Text; text != "How do I set up replication?\n\nThe guide says nothing." {
		t.Errorf("asked %q", text)
	}
	ref := thread.Ref{Platform: discord.Platform, Workspace: w.guild.ID, Channel: forum, Thread: post}
	w.until("the bot takes part in the post's thread", func() bool {
		known, err := w.store.Thread(w.ctx, access.DefaultTenant, ref)
		return err == nil && known.Known
	})
	w.ada.Say(post, "And then?")
	w.answers(post, 2)
	if threads := w.discord.Threads(forum); len(threads) != 2 {
		t.Errorf("threads = %+v", threads)
	}
	w.harmless()
}

func TestMentionInAForumPostIsAnsweredThere(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The answer.")))
	forum := w.guild.AddForum("help").ID
	w.ada.Post(forum, "Nobody asks the bot", "What is it?")
	post := w.ada.Post(forum, "How do I restore?", "<@"+w.discord.Bot().ID+"> Nothing works.")
	w.answers(post, 1)
	if n := len(w.model.Requests()); n != 1 {
		t.Errorf("the model was asked %d times, want once", n)
	}
}

func TestPrincipalsComeFromRolesAndOverwrites(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(searched(), said(0, "So [1]."), searched(), said(0, "So [1].")), func(s *setting) { s.bot.BindFirst = true })
	staff := w.guild.AddRole("staff", 0)
	secret := w.guild.AddText("staff-only").ID
	w.guild.Hide(secret, staff)
	boss := w.guild.AddPerson("Boss", false)
	w.guild.Grant(boss, staff)
	boss.Say(boss.DM(), "What is it?")
	w.answers(boss.DM(), 1)
	w.ada.Say(w.ada.DM(), "What is it?")
	w.answers(w.ada.DM(), 1)
	channel := func(id string) access.Principal { return access.Channel("discord", id) }
	want := []string{
		access.NewAudience(access.DefaultTenant, access.Members, access.User("discord", boss.ID), access.Group("discord:"+staff), channel(w.general), channel(secret)).Key(),
		access.NewAudience(access.DefaultTenant, access.Members, access.User("discord", w.ada.ID), channel(w.general)).Key(),
	}
	var got []string
	for _, a := range w.library.heard() {
		got = append(got, a.Key())
	}
	if !slices.Equal(got, want) {
		t.Errorf("audiences = %q, want %q", got, want)
	}
}

// Until somebody says how the bot is to behave on a server, it follows only what it opened itself.
func TestThreadOfSomebodyElseIsNotFollowedBeforeTheServerIsSetUp(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "As you say."), said(0, "Now it does.")))
	root := w.ada.Say(w.general, "the printer hums")
	thread := w.ada.Open(root, "Printer")
	w.ada.Mention(thread, "what do you think?")
	w.until("the mention is answered", func() bool { return len(w.discord.Answers(thread)) == 1 })
	w.ada.Say(thread, "and why is that?")
	w.ada.Mention(thread, "does it need oil?")
	w.until("the second mention is answered", func() bool {
		got := w.discord.Answers(thread)
		return len(got) == 2 && strings.HasPrefix(got[1].Content, "Now it does.")
	})
	if asked := w.asked(); len(asked) != 2 || asked[1].Question.Text != "does it need oil?" {
		t.Errorf("asked was %+v", asked)
	}
}
