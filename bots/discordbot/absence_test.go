package discordbot_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// asksAbout returns the message by which the bot asks about a question, where it does.
func (w *world) asksAbout(channel, question string) (found discordtest.Version, ok bool) {
	for _, v := range w.discord.Answers(channel) {
		if v.ReplyTo == question && strings.Contains(v.Content, "Is an answer still wanted?") {
			found, ok = v, true
		}
	}
	return found, ok
}

// looks counts how often the messages of a channel were read.
func (w *world) looks(channel string) int {
	n := 0
	for _, r := range w.discord.Requests() {
		if r.Method == "GET" && strings.HasSuffix(r.Path, "/channels/"+channel+"/messages") {
			n++
		}
	}
	return n
}

// A scan that is ended leaves what it had not taken in to the next one.
func TestQuestionOfAnEndedScanIsNotHandled(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The answer.")))
	asked := w.ada.Earlier(w.general, "Young question?", time.Minute)
	m, err := w.newest.Message(w.ctx, thread.Ref{Platform: discord.Platform, Workspace: w.guild.ID, Channel: w.general, Thread: w.general}, thread.MessageID(asked))
	if err != nil {
		t.Fatal(err)
	}
	m.Late = true
	ended, end := context.WithCancel(w.ctx)
	end()
	if _, err := w.newest.Event(ended, chat.Event{Message: &m}); err == nil {
		t.Error("the question counts as handled")
	}
	if _, err := w.newest.Event(w.ctx, chat.Event{Message: &m}); err != nil {
		t.Error(err)
	}
	w.answers(asked, 1)
}

// Of what was asked while every process was away, what is young is answered and what is old is
// asked about: each once, however often a process starts.
func TestMentionsOfAnOutage(t *testing.T) {
	t.Parallel()
	var young, old []string
	w := begin(t, llmtest.Native(slices.Repeat([]llmtest.Reply{said(0, "The answer.")}, 11)...), func(s *setting) {
		s.before = func(w *world) {
			for i := range 10 {
				old = append(old, w.ada.Earlier(w.general, fmt.Sprintf("Old question %d?", i), 30*time.Minute-time.Duration(i)*time.Second))
			}
			for i := range 10 {
				young = append(young, w.ada.Earlier(w.general, fmt.Sprintf("Young question %d?", i), 5*time.Minute-time.Duration(i)*time.Second))
			}
		}
	})
	settled := func() bool {
		return !slices.ContainsFunc(young, func(q string) bool {
			a := w.discord.Answers(q)
			return len(a) != 1 || !strings.HasPrefix(a[0].Content, "The answer.") || strings.Contains(a[0].Content, "▌")
		}) && !slices.ContainsFunc(old, func(q string) bool { _, ok := w.asksAbout(w.general, q); return !ok })
	}
	w.until("each is answered or asked about", settled)
	w.until("all turns have ended", func() bool { return w.model.Open() == 0 })
	read := w.looks(w.general)
	w.stop()
	w.stop = w.start()
	w.until("the next process has looked", func() bool { return w.looks(w.general) >= read+1+len(old) })
	if got := len(w.discord.Answers(w.general)); got != len(old) || !settled() {
		t.Errorf("after another start the channel shows %d messages of the bot, want %d", got, len(old))
	}

	offer, _ := w.asksAbout(w.general, old[3])
	bob := w.guild.AddPerson("Bob", false)
	if got := w.finished(bob.Press(offer.Message, offer.Buttons[0])); !strings.Contains(got.Content, "Only whoever asked") {
		t.Errorf("somebody else is told %+v", got)
	}
	w.ada.Press(offer.Message, offer.Buttons[0])
	w.answers(old[3], 1)
	w.until("the question about it is gone", func() bool { _, ok := w.asksAbout(w.general, old[3]); return !ok })
	if n := len(w.model.Requests()); n != 11 {
		t.Errorf("the model was asked %d times, want 11", n)
	}
}

// Replies that mention nobody are made good like mentions, where the bot follows the thread and
// nobody else has answered: each once, however many processes start, and in threads that were
// archived since.
func TestFollowUpsOfAnOutage(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(slices.Repeat([]llmtest.Reply{said(0, "The answer.")}, 8)...))
	bob := w.guild.AddPerson("Bob", false)
	threads := make(map[string]string)
	for _, name := range []string{"young", "old", "overtaken", "heard", "archived"} {
		threads[name] = w.ada.Mention(w.general, "What is "+name+"?")
		w.answers(threads[name], 1)
	}
	w.ada.Say(threads["heard"], "thanks!")
	w.until("it was decided about", func() bool { return w.log.has("reason=small_talk") })
	w.stop()
	missed := func(by *discordtest.Person, name, text string, ago time.Duration) string {
		id := by.EarlierReply(threads[name], text, ago)
		w.discord.Newest(threads[name], id)
		return id
	}
	missed(w.ada, "young", "And on Linux?", 5*time.Minute)
	old := missed(w.ada, "old", "And in the cloud?", 3*time.Hour)
	missed(w.ada, "overtaken", "And on a Mac?", 6*time.Minute)
	missed(bob, "overtaken", "It is the same there.", 5*time.Minute)
	missed(w.ada, "archived", "And at night?", 5*time.Minute)
	w.discord.Archive(threads["archived"])
	w.stop = w.start()
	w.start() // another process, at the same time
	w.answers(threads["young"], 2)
	w.answers(threads["archived"], 2)
	w.until("the old one is asked about", func() bool { _, ok := w.asksAbout(threads["old"], old); return ok })
	w.until("the thread that people talked in was looked at", func() bool { return w.log.has("reason=overtaken") })
	w.stop()
	read, known := w.looks(threads["old"]), w.looks(threads["young"])
	w.stop = w.start()
	w.until("the third process has looked", func() bool { return w.looks(threads["old"]) > read })
	for name, want := range map[string]int{"young": 2, "old": 2, "overtaken": 1, "heard": 1, "archived": 2} {
		if got := w.discord.Answers(threads[name]); len(got) != want {
			t.Errorf("thread %s shows %d messages, want %d: %+v", name, len(got), want, got)
		}
	}
	if n := w.looks(threads["young"]); n > known {
		t.Error("a thread whose newest message is an answer was read after a start")
	}
	offer, _ := w.asksAbout(threads["old"], old)
	w.ada.Press(offer.Message, offer.Buttons[0])
	w.answers(threads["old"], 2)
}

func TestDirectMessagesOfAnOutage(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The first answer."), said(0, "The second answer.")))
	dm := w.ada.DM()
	w.ada.Say(dm, "Is anybody there?")
	w.answers(dm, 1)
	w.stop()
	w.ada.Earlier(dm, "And before?", 10*time.Minute)
	old := w.ada.Earlier(dm, "And long before?", 20*time.Hour)
	w.stop = w.start()
	w.until("the young one is answered and the old one asked about", func() bool {
		_, ok := w.asksAbout(dm, old)
		return ok && slices.ContainsFunc(w.discord.Answers(dm), func(v discordtest.Version) bool { return strings.HasPrefix(v.Content, "The second answer.") })
	})
}

// What had been taken in when every process went away is not left half-written, and not forgotten.
func TestTurnsOfAnOutage(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(
		llmtest.Reply{llmtest.Text("Half of a sentence, which goes on and on. "), llmtest.Hang()}, said(0, "All of it."), said(0, "The next answer."),
	), func(s *setting) { s.grace, s.maxAge = time.Millisecond, time.Nanosecond })
	question := w.ada.Mention(w.general, "What is it?")
	w.until("words appear", func() bool {
		got := w.discord.Answers(question)
		return len(got) == 1 && strings.Contains(got[0].Content, "Half of a sentence")
	})
	half := w.discord.Answers(question)[0].Message
	waiting := w.ada.Say(question, "And then?")
	w.until("it is said that the second question waits", func() bool {
		return slices.ContainsFunc(w.discord.Answers(question), func(v discordtest.Version) bool { return policy.IsNotice(v.Content) })
	})
	w.stop()
	w.stop = w.start()
	var broken discordtest.Version
	w.until("the half-written answer has an end, and the second question is asked about", func() bool {
		_, asked := w.asksAbout(question, waiting)
		for _, v := range w.discord.Answers(question) {
			if policy.IsNotice(v.Content) {
				return false
			}
			if v.Message == half {
				broken = v
			}
		}
		return asked && strings.Contains(broken.Content, "I was interrupted") && !strings.Contains(broken.Content, "Half of a sentence")
	})
	w.ada.Press(half, w.button2(half, "retry"))
	w.until("it is answered in its place", func() bool {
		return slices.ContainsFunc(w.discord.Answers(question), func(v discordtest.Version) bool {
			return v.Message == half && strings.HasPrefix(v.Content, "All of it.")
		})
	})
	offer, _ := w.asksAbout(question, waiting)
	w.ada.Press(offer.Message, offer.Buttons[0])
	w.until("the second one is answered", func() bool {
		_, asked := w.asksAbout(question, waiting)
		got := w.discord.Answers(question)
		return !asked && len(got) == 2 && strings.HasPrefix(got[1].Content, "The next answer.")
	})
}

// Text of an attempt that ended stays when its turn is stopped before the next attempt.
func TestStopBetweenAttemptsKeepsText(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(llmtest.Reply{llmtest.Text("Half of a sentence, which goes on and on. "), llmtest.Hang()}), func(s *setting) { s.grace = time.Millisecond })
	question := w.ada.Mention(w.general, "What is it?")
	w.until("words appear", func() bool {
		got := w.discord.Answers(question)
		return len(got) == 1 && strings.Contains(got[0].Content, "Half of a sentence")
	})
	half := w.discord.Answers(question)[0].Message
	w.stop()
	_, err := w.store.Request(w.ctx, session.StopRequest{
		Tenant: access.DefaultTenant, Ref: w.asked()[0].Session.Ref, By: session.Stopper{ID: w.ada.ID},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.stop = w.start()
	w.until("the answer has an end below its text", func() bool {
		got := w.discord.Answers(question)
		return len(got) == 1 && got[0].Message == half && strings.HasPrefix(got[0].Content, "Half of a sentence, which goes on and on.") &&
			strings.Contains(got[0].Content, "Stopped. What had been written is kept.")
	})
}

// Processes that serve the same shard all hear the same. What one says beside an answer is said
// once.
func TestProcessesOfOneShardSayThingsOnce(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	w := begin(t, llmtest.Native(llmtest.Reply{llmtest.Text("The first "), llmtest.Wait(hold), llmtest.Text("answer.")}, said(0, "The second answer."), said(0, "The third answer.")))
	w.start()
	w.until("both are connected", func() bool { n, _ := w.discord.Logins(); return n >= 2 })
	question := w.ada.Mention(w.general, "What is it?")
	w.until("words appear", func() bool { return len(w.discord.Answers(question)) == 1 })
	w.ada.Say(question, "And then?")
	w.until("it is said that the second question waits", func() bool { return len(w.discord.Answers(question)) == 2 })
	w.ada.Mention(w.general, strings.Repeat("long ", 30_000))
	posts := func() (n int) {
		for _, r := range w.discord.Requests() {
			if r.Method == "POST" && strings.HasSuffix(r.Path, "/channels/"+w.general+"/messages") {
				n++
			}
		}
		return n
	}
	w.until("both say that it is too long", func() bool { return posts() == 2 })
	close(hold)
	w.until("both are answered and nothing else is left", func() bool {
		got := w.discord.Answers(question)
		return len(got) == 2 && strings.HasPrefix(got[0].Content, "The first answer.") && strings.HasPrefix(got[1].Content, "The second answer.")
	})
	if got := w.discord.Answers(w.general); len(got) != 1 || !strings.Contains(got[0].Content, "can be read") {
		t.Errorf("the channel shows %+v", got)
	}
	if got := w.finished(w.ada.Ask(w.general, "And by command?")); !strings.HasPrefix(got.Content, "The third answer.") {
		t.Errorf("the command shows %+v", got)
	}
	if n := len(w.model.Requests()); n != 3 {
		t.Errorf("the model was asked %d times, want 3", n)
	}
}

// A command of which all processes of a shard hear is carried out by one of them: its answer is
// what that one found, and the trail has it once.
func TestProcessesOfOneShardCarryOutCommandsOnce(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(slices.Repeat([]llmtest.Reply{said(0, "The answer.")}, 3)...))
	w.start()
	w.start()
	w.until("all are connected", func() bool { n, _ := w.discord.Logins(); return n >= 3 })
	for i := range 3 {
		w.ada.Mention(w.general, fmt.Sprintf("What is number %d?", i))
	}
	w.until("all are answered", func() bool { return len(w.asked()) == 3 && w.model.Open() == 0 })
	for i, want := range []string{"3 questions", "Nothing is kept of you"} {
		w.told(w.ada.Command(w.general, "footnote", map[string]any{"forget-me": discordtest.Sub(map[string]any{"confirm": true})}), want)
		if got := w.deeds(session.PersonForgotten); got != i+1 {
			t.Errorf("the trail says %d times that somebody was forgotten, want %d", got, i+1)
		}
	}
}

// deeds counts the entries of the audit trail that are about something.
func (w *world) deeds(about session.Deed) (n int) {
	w.Helper()
	for e, err := range w.store.Trail(w.ctx, session.AuditQuery{Tenant: access.DefaultTenant}) {
		if err != nil {
			w.Fatal(err)
		}
		if e.Deed == about {
			n++
		}
	}
	return n
}

// button2 returns a button of a message.
func (w *world) button2(message, action string) (id string) {
	w.Helper()
	w.until("the button "+action+" is shown", func() bool {
		for _, v := range w.discord.Log(message) {
			for _, b := range v.Buttons {
				if strings.HasPrefix(b, "footnote:"+action+":") {
					id = b
				}
			}
		}
		return id != ""
	})
	return id
}
