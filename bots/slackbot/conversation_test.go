package slackbot_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// asked is all that the model was shown in its nth request.
func (s *stage) asked(n int) (text string, images int) {
	s.t.Helper()
	s.wait(fmt.Sprintf("request %d is made", n+1), func() bool { return len(s.model.Requests()) > n })
	for _, m := range s.model.Requests()[n].Messages {
		text += m.Text + "\n"
		images += len(m.Images)
	}
	return text, images
}

// sighted is a model that can look at pictures.
type sighted struct{ llm.Model }

func (s sighted) Info() llm.Info {
	info := s.Model.Info()
	info.Vision = true
	return info
}

func TestFilesOnMessagesAreRead(t *testing.T) {
	t.Parallel()
	var strangers atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers.Add(1) }))
	t.Cleanup(elsewhere.Close)
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 30, 25))); err != nil {
		t.Fatal(err)
	}
	notes := slacktest.File{Name: "notes.md", Media: "text/markdown", Data: []byte("# Plan\nThe tunnel port is 51820.")}
	tests := []struct {
		name   string
		text   string
		file   slacktest.File
		config slacktest.Config
		want   string // in the prompt
		shown  string // in the answer
		images int
	}{
		{name: "text", text: "which port?", file: notes, want: "The tunnel port is 51820."},
		{name: "no word beside it", file: notes, want: "What is this about?"},
		{name: "a picture", text: "what is this?", file: slacktest.File{Name: "a.png", Media: "image/png", Data: picture.Bytes()}, images: 1},
		{name: "a file that Slack tells of when asked", text: "which?", file: slacktest.File{Name: "b.txt", Media: "text/plain", Data: []byte("It is 42."), Ask: true}, want: "It is 42."},
		{name: "a file elsewhere", text: "what?", file: slacktest.File{Name: "c.txt", Media: "text/plain", URL: elsewhere.URL + "/c.txt"}, want: "kept outside of Slack", shown: "kept outside of Slack"},
		{name: "a file that is larger than it said", text: "what?", file: slacktest.File{Name: "d.txt", Media: "text/plain", Size: 5, Data: bytes.Repeat([]byte("a"), 11<<20)}, want: "larger than 10 MB"},
		{name: "a file that is too large", text: "what?", file: slacktest.File{Name: "d.txt", Media: "text/plain", Size: 11 << 20, Data: []byte("a")}, want: "larger than 10 MB", shown: "larger than 10 MB"},
		{name: "a sign-in page", text: "what?", file: slacktest.File{Name: "e.txt", Media: "text/plain", Data: []byte("secret"), NoAccess: true}, want: "did not hand it out"},
		{name: "a program", text: "what?", file: slacktest.File{Name: "f.exe", Media: "application/octet-stream", Data: []byte("MZ\x00\x01\x02")}, want: "cannot be read"},
	}
	for _, tt := range tests {
		for _, place := range []string{"mention", "direct"} {
			t.Run(tt.name+", "+place, func(t *testing.T) {
				t.Parallel()
				s := play(t, options{slack: tt.config, wrap: func(m llm.Model) llm.Model { return sighted{m} }}, llmtest.Answer("I have looked."))
				channel, root := s.general, ""
				if place == "direct" {
					channel = s.ann.OpenDM()
					root = s.ann.Send(channel, "", tt.text, tt.file)
				} else {
					root = s.ann.Send(channel, "", strings.TrimSpace(slacktest.Mention()+" "+tt.text), tt.file)
				}
				shown := s.answered(channel, root, 1)
				text, images := s.asked(0)
				if !strings.Contains(text, tt.want) || images != tt.images {
					t.Errorf("the model was shown %d pictures and %q, want %q", images, text, tt.want)
				}
				if strings.Contains(text, "Sign in") || !strings.Contains(shown[0], tt.shown) {
					t.Errorf("shown is %q, prompt %q", shown[0], text)
				}
			})
		}
	}
	t.Cleanup(func() {
		if n := strangers.Load(); n != 0 {
			t.Errorf("a stranger's server was asked %d times", n)
		}
	})
}

func TestThreadThatIsEnteredHalfWayIsReadOnce(t *testing.T) {
	t.Parallel()
	s := play(t, options{}, llmtest.Answer("I see."), llmtest.Answer("Go on."), llmtest.Answer("Right."))
	root := s.ann.Say(s.general, "", "the printer on floor 3 hums")
	for i := range 20 { // more than the first page
		s.bob.Say(s.general, root, fmt.Sprintf("idea number %d", i))
	}
	s.ann.Say(s.general, root, slacktest.Mention()+" what do you think?")
	s.answered(s.general, root, 1)
	text, _ := s.asked(0)
	for _, want := range []string{"ann: the printer on floor 3 hums", "bob: idea number 0", "bob: idea number 19"} {
		if !strings.Contains(text, want) {
			t.Errorf("the model was not shown %q", want)
		}
	}
	reads := len(s.Calls("conversations.replies"))
	s.bob.Say(s.general, root, "it stopped humming, by the way")
	s.ann.Say(s.general, root, slacktest.Mention()+" and now?")
	s.answered(s.general, root, 2)
	if text, _ = s.asked(1); strings.Count(text, "idea number 7") != 1 || !strings.Contains(text, "bob: it stopped humming") {
		t.Errorf("the model was shown %q", text)
	}
	if n := len(s.Calls("conversations.replies")) - reads; n != 1 {
		t.Errorf("the gap was read %d times", n)
	}
	s.ann.Say(s.general, root, slacktest.Mention()+" are you sure?")
	s.answered(s.general, root, 3)
	if n := len(s.Calls("conversations.replies")) - reads; n != 1 {
		t.Errorf("a thread in which nothing else was said was read again: %d times", n)
	}
}

func TestAppsThatMayReadLittleAnswerWithWhatTheyGet(t *testing.T) {
	t.Parallel()
	s := play(t, options{slack: slacktest.Config{Distributed: true}}, llmtest.Answer("I see."))
	s.looked() // before there is a thread to be looked into, which it may be once a minute
	root := s.ann.Say(s.general, "", "the printer hums")
	for i := range 30 {
		s.bob.Say(s.general, root, fmt.Sprintf("idea number %d", i))
	}
	s.ann.Say(s.general, root, slacktest.Mention()+" what do you think?")
	s.answered(s.general, root, 1)
	if text, _ := s.asked(0); !strings.Contains(text, "idea number 5") || !strings.Contains(text, "Not all of it could be read") {
		t.Errorf("the model was shown %q", text)
	}
}

func TestMentionOnlyAppAnswersWithoutHistory(t *testing.T) {
	t.Parallel()
	var scopes []string
	for _, scope := range call.Scopes {
		if scope.Mention {
			scopes = append(scopes, scope.Name)
		}
	}
	s := play(t, options{slack: slacktest.Config{Scopes: scopes}}, llmtest.Answer("Here I am."), llmtest.Answer("In private."))
	root := s.ann.Say(s.general, "", "the printer hums")
	s.ann.Say(s.general, root, slacktest.Mention()+" what do you think?")
	if shown := s.answered(s.general, root, 1); !strings.HasPrefix(shown[0], "Here I am.") {
		t.Errorf("the thread shows %q", shown)
	}
	dm, direct := s.ann.DM("", "and here?")
	s.answered(dm, direct, 1)
}

func TestConversationWithTheAgent(t *testing.T) {
	t.Parallel()
	seen := make(chan struct{})
	s := play(t, options{}, llmtest.Reply{llmtest.Wait(seen), llmtest.Text("With a key.")}, llmtest.Answer("With another key."))
	dm := s.ann.OpenDM()
	s.wait("questions are offered", func() bool { return len(s.Prompts()) == 1 })
	if p := s.Prompts()[0]; p.Channel != dm.ID || len(p.Prompts) != 1 || p.Prompts[0].Title != "VPN set-up" || p.Prompts[0].Message != "What do the documents say about “VPN set-up”?" {
		t.Errorf("offered is %+v", p)
	}
	s.ann.OpenDM()
	root := s.ann.Say(dm, "", "how do I open\nthe door?")
	s.wait("a status is shown", func() bool { return len(s.Statuses()) > 0 })
	s.wait("a stop button is shown", func() bool { return slices.Equal(s.Session(dm, root).Statuses, []string{"processing"}) })
	close(seen)
	s.answered(dm, root, 1)
	s.wait("the stop button is gone", func() bool { return slices.Equal(s.Session(dm, root).Statuses, []string{"processing", "active"}) })
	if got := s.Session(dm, root); got.Title != "how do I open the door?" || got.Initiator != s.ann.ID {
		t.Errorf("the session is %+v", got)
	}
	s.wait("the conversation is named", func() bool { return s.Title(dm, root) == "how do I open the door?" })
	s.ann.Say(dm, root, "and the other one?")
	s.answered(dm, root, 2)
	if got := s.Title(dm, root); got != "how do I open the door?" {
		t.Errorf("the conversation is now named %q", got)
	}
	if n := len(s.Prompts()); n != 1 {
		t.Errorf("questions were offered %d times", n)
	}
	if st := s.Statuses(); st[0].Thread != root || st[0].Text == "" {
		t.Errorf("statuses: %+v", st)
	}
}

// What is said beside an answer holds it up by nothing. It is not parallel: the answer has two
// seconds, which others could take from it.
func TestAnswerDoesNotWaitForItsSession(t *testing.T) {
	begun := make(chan struct{})
	s := play(t, options{}, llmtest.Reply{llmtest.Wait(begun), llmtest.Text("At once.")})
	s.Fail(slacktest.Fault{Method: "agents.sessions.setStatus", Delay: 2500 * time.Millisecond})
	root := s.ann.Say(s.general, "", slacktest.Mention()+" how so?")
	s.wait("a status is shown", func() bool { return len(s.Statuses()) > 0 })
	close(begun)
	s.answered(s.general, root, 1)
	answered := s.Versions()
	s.wait("the session was begun and ended", func() bool {
		return slices.Equal(s.Session(s.general, root).Statuses, []string{"processing", "active"})
	})
	for _, c := range s.Calls("agents.sessions.setStatus") {
		if last := answered[len(answered)-1].At; c.At.Before(last) {
			t.Errorf("the session began at %s, before the answer at %s", c.At, last)
		}
	}
}

func TestQuestionsThatNobodyWasThereForAreAnswered(t *testing.T) {
	t.Parallel()
	replies := []llmtest.Reply{llmtest.Answer("Before."), llmtest.Answer("Late one."), llmtest.Answer("Late two."), llmtest.Answer("Late three.")}
	s := play(t, options{slack: slacktest.Config{AckWithin: 10 * time.Millisecond, Redeliver: []time.Duration{}}}, replies...)
	old := s.ann.Say(s.general, "", slacktest.Mention()+" before?")
	s.answered(s.general, old, 1)
	s.settled(s.general, old)
	s.halt()
	root := s.ann.Say(s.general, "", slacktest.Mention()+" one?")
	talk := s.ann.Say(s.general, "", "hello Bob")
	reply := s.bob.Say(s.general, talk, slacktest.Mention()+" two?")
	s.ann.Say(s.general, "", "not for the bot")
	s.ann.Say(s.general, "", slacktest.Mention()+" stop")
	dm, direct := s.ann.DM("", "three?")
	s.wait("the events are given up", func() bool { return len(s.Undelivered()) == 0 })
	s.start(options{})
	s.answered(s.general, root, 1)
	s.answered(s.general, talk, 1)
	s.answered(dm, direct, 1)
	s.settled(s.general, reply)
	if n := len(s.model.Requests()); n != 4 {
		t.Errorf("the model was asked %d times, want 4", n)
	}
	s.halt()
	s.start(options{})
	s.wait("it has looked again", func() bool { return len(s.Calls("conversations.history")) >= 5 })
	if n := len(s.model.Requests()); n != 4 {
		t.Errorf("the model was asked %d times after another start", n)
	}
}

func TestWhatSlackTellsOfPeopleCountsAtOnce(t *testing.T) {
	t.Parallel()
	s := play(t, options{})
	members := access.NewAudience(access.DefaultTenant, access.Members, access.Channel("slack", s.general.ID))
	strangers := access.NewAudience(access.DefaultTenant, access.Channel("slack", s.general.ID))
	listens := func(want access.Audience) {
		t.Helper()
		s.wait("the channel's audience is "+want.Key(), func() bool {
			got, err := s.bot.Listeners(s.ctx, session.Turn{Session: session.Session{Ref: thread.Ref{Channel: s.general.ID}}})
			return err == nil && access.AudienceOf(got.Tenant, got.Held).Key() == want.Key()
		})
	}
	listens(members)
	s.bob.Become(func(p *slacktest.Person) { p.Guest = true })
	listens(strangers)
	s.bob.Become(func(p *slacktest.Person) { p.Guest = false })
	listens(members)
	partner := s.Person("partner", func(p *slacktest.Person) { p.Team = "T0OTHER" })
	partner.Join(s.general)
	listens(strangers)
	partner.Leave(s.general)
	listens(members)
	s.bob.Become(func(p *slacktest.Person) { p.Deleted = true })
	listens(strangers)
}

func TestBotsThatTalkToEachOtherComeToAnEnd(t *testing.T) {
	t.Parallel()
	for name, webhook := range map[string]bool{"a bot": false, "a webhook": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talk(t, webhook)
		})
	}
}

// talk has another bot answer each answer.
func talk(t *testing.T, webhook bool) {
	t.Helper()
	var replies []llmtest.Reply
	for i := range 8 {
		replies = append(replies, llmtest.Answer(fmt.Sprintf("Answer %d.", i)))
	}
	s := play(t, options{policy: said("bots", "true")}, replies...)
	parrot := s.Person("parrot", func(p *slacktest.Person) { p.Bot, p.Webhook = true, webhook })
	parrot.Join(s.general)
	root := parrot.Say(s.general, "", slacktest.Mention()+" say something")
	for i := 1; i < 8; i++ { // it answers each answer
		s.idle()
		if len(s.Answers(s.general, root)) < i {
			break
		}
		parrot.Say(s.general, root, slacktest.Mention()+" say something else")
	}
	s.idle()
	if n := len(s.model.Requests()); n != 3 {
		t.Errorf("the bots were answered %d times, want 3", n)
	}
	asked := len(s.model.Requests())
	s.ann.Say(s.general, root, slacktest.Mention()+" and you tell me?")
	s.wait("a person is answered", func() bool { return len(s.model.Requests()) == asked+1 })
}

// A message that only kept files has no turn, so the reply about them says that it was dealt with.
// A notice that asks whether an answer is still wanted does not.
func TestAReplyAboutFilesAnswersAMessage(t *testing.T) {
	t.Parallel()
	s := play(t, options{})
	root := s.ann.Say(s.general, "", "keep this")
	m := chat.Message{Ref: thread.Ref{Platform: "slack", Channel: s.general.ID, Thread: root}, ID: thread.MessageID(root)}
	for _, c := range []struct {
		subject            string
		answered, involved bool
	}{{string(m.ID), false, true}, {chat.ReplySubject(m.ID), true, true}} {
		if _, err := s.bot.Post(s.ctx, m.Ref, chat.Notice{To: m.ID, Subject: c.subject, Text: "Kept."}); err != nil {
			t.Fatal(err)
		}
		answered, err := s.bot.Answered(s.ctx, m, nil)
		involved, failed := s.bot.Involved(s.ctx, m, func(thread.MessageID) bool { return false })
		if err != nil || failed != nil || answered != c.answered || involved != c.involved {
			t.Errorf("after a notice about %q it is answered: %t (%v), the bot is involved: %t (%v)", c.subject, answered, err, involved, failed)
		}
	}
}
