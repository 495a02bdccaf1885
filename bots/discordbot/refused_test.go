package discordbot_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/thread"
)

// What Discord says of a body that it will not take: now, and when it is asked again.
const (
	invalidForm = `{"message": "Invalid Form Body", "code": 50035, "errors": {"payload_json": {"_errors": [{"code": "BASE_TYPE_REQUIRED", "message": "This field is required"}]}}}`
	blocked     = `{"message": "Message was blocked by automatic moderation", "code": 200000}`
)

// undelivered waits until a question's turn is done, and returns why its answer does not stand
// there.
func (w *world) undelivered(channel, message string) (why string) {
	w.Helper()
	w.until("the answer was abandoned", func() bool {
		t, err := w.store.TurnOf(w.ctx, access.DefaultTenant, thread.Ref{Platform: "discord", Workspace: w.guild.ID, Channel: channel}, thread.MessageID(message))
		why = t.Undelivered
		return err == nil && why != ""
	})
	return why
}

// always is more often than anything is tried.
const always = 1000

// long is an answer that takes more messages than an answer is given, and its last sentence.
func long(sentences int) []string { return append(words(sentences), "The very end.") }

// writing reports whether a message is still being written.
func writing(v discordtest.Version) bool {
	return strings.Contains(v.Content, "▌") || slices.ContainsFunc(v.Buttons, func(id string) bool { return strings.Contains(id, ":stop:") })
}

// A long answer of which the file is not taken goes on in messages, in the same thread, to its end.
func TestLongAnswerWhereNoFileCanBeAttached(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*setting)
		before func(*world)
	}{
		{"the role may not attach files", nil, func(w *world) { w.discord.Deny(w.general, discordtest.AttachFiles) }},
		{"the file is too large", func(s *setting) { s.server.MaxFile = 1000 }, nil},
		{"a server that takes no message in several parts", nil, func(w *world) {
			w.discord.Inject(discordtest.Fault{Holds: "form-data", Times: always, Status: http.StatusBadRequest, Body: invalidForm})
		}},
		{"a proxy that takes none so large", nil, func(w *world) {
			w.discord.Inject(discordtest.Fault{Holds: "form-data", Times: always, Status: http.StatusRequestEntityTooLarge, Body: "<html>too large</html>"})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := begin(t, llmtest.Native(said(0, long(400)...), said(0, "The second answer.")), func(s *setting) {
				if tt.change != nil {
					tt.change(s)
				}
				s.before = tt.before
			})
			question := w.ada.Mention(w.general, "Tell me everything.")
			w.until("the end of it is shown", func() bool {
				return slices.ContainsFunc(w.discord.Answers(question), func(v discordtest.Version) bool { return strings.Contains(v.Content, "The very end.") })
			})
			w.ada.Say(question, "And then?")
			w.until("the next question is answered", func() bool {
				return slices.ContainsFunc(w.discord.Answers(question), func(v discordtest.Version) bool {
					return !writing(v) && strings.HasPrefix(v.Content, "The second answer.")
				})
			})
			all := ""
			for _, v := range w.discord.Answers(question) {
				all += v.Content + "\n"
				if v.File != "" || writing(v) {
					t.Errorf("a message is %+v", v)
				}
			}
			for _, sentence := range long(400) {
				if !strings.Contains(all, strings.TrimSpace(sentence)) {
					t.Fatalf("%q is not shown", sentence)
				}
			}
			if strings.Contains(all, "answer.md") {
				t.Error("a file is spoken of")
			}
			if got := w.discord.Answers(w.ada.DM()); len(got) != 0 {
				t.Errorf("Ada is told %q", got[0].Content)
			}
			if got := w.discord.Answers(w.general); len(got) != 0 {
				t.Errorf("it went on in the channel: %q", got[0].Content)
			}
		})
	}
}

// Of one that is longer than all messages that an answer may have, the end says that it is cut.
func TestAnswerThatIsTooLongForMessages(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, long(1500)...)), func(s *setting) {
		s.before = func(w *world) { w.discord.Deny(w.general, discordtest.AttachFiles) }
	})
	question := w.ada.Mention(w.general, "Tell me everything.")
	w.button(question, "up")
	got := w.discord.Answers(question)
	if len(got) < 10 || len(got) > 11 || !strings.Contains(got[9].Content, "longer than fits here, and no file can be attached") { // sources may follow
		t.Errorf("%d messages, the last of them %q", len(got), got[len(got)-1].Content)
	}
}

// Buttons lead to what Discord takes for addresses; other sources stand in the list, and the answer
// stands.
func TestSourcesAtBareHosts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		host   string
		button bool
	}{
		{"https://docs.example", true}, {"http://10.0.0.7:8080", true}, {"https://xn--bcher-kva.example", true}, {"https://a.b.co.uk:8443", true},
		{"http://wiki:8080", false}, {"http://localhost", false}, {"http://wiki.", false}, {"http://[::1]:80", false}, {"https://docs.example/" + strings.Repeat("x", 500), false},
	} {
		t.Run(tt.host, func(t *testing.T) {
			t.Parallel()
			w := begin(t, llmtest.Native(searched(), said(0, "Set it [1].")), func(s *setting) {
				s.before = func(w *world) { w.library.host = tt.host }
			})
			question := w.ada.Mention(w.general, "How?")
			w.button(question, "up")
			got := w.discord.Answers(question)[0]
			if button := len(got.Links) > 0; button != tt.button || !tt.button && !strings.Contains(got.Content, "REPLICATION") {
				t.Errorf("the answer is %q with the links %q", got.Content, got.Links)
			}
			for _, r := range w.discord.Requests() {
				if r.Code == 50035 {
					t.Errorf("Discord refused %s", r.Body)
				}
			}
		})
	}
}

// Whatever the platform refuses for good: what it takes instead stands there, and the thread's next
// question is answered.
func TestFinalEditThatIsRefusedForGood(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault discordtest.Fault
		want  string // that the thread shows instead
		gone  bool   // it shows nothing of the answer
		why   string
	}{
		{"its link buttons", discordtest.Fault{Holds: `"url":`, Body: invalidForm}, "Set it", false, ""},
		{"all its buttons", discordtest.Fault{Holds: `:up:`, Body: invalidForm}, "Set it", false, ""},
		{"its text", discordtest.Fault{Holds: "at the end", Body: blocked}, "The answer could not be posted", false, "refused the answer's messages"},
		{"all that is written", discordtest.Fault{Method: http.MethodPatch, Path: "/messages/", Body: invalidForm}, "", true, "refused the answer's messages"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			shown := make(chan struct{})
			w := begin(t, llmtest.Native(searched(),
				llmtest.Reply{llmtest.Text("Set it first of all, as they say [1]. "), llmtest.Wait(shown), llmtest.Text("And at the end.")}, said(0, "The second answer.")))
			question := w.ada.Mention(w.general, "How?")
			w.until("words appear", func() bool { return len(w.discord.Answers(question)) == 1 })
			tt.fault.Times, tt.fault.Status = always, http.StatusBadRequest
			w.discord.Inject(tt.fault)
			close(shown)
			if tt.why != "" {
				if why := w.undelivered(w.general, question); !strings.Contains(why, tt.why) {
					t.Errorf("it is explained by %q", why)
				}
				if !w.log.has("the answer was abandoned") {
					t.Error("the log says nothing")
				}
			}
			w.ada.Say(question, "And then?")
			w.until("the next question is answered", func() bool {
				return slices.ContainsFunc(w.discord.Answers(question), func(v discordtest.Version) bool { return strings.HasPrefix(v.Content, "The second answer.") })
			})
			first := w.discord.Answers(question)[0]
			if strings.Contains(first.Content, "▌") || slices.ContainsFunc(first.Buttons, func(id string) bool { return strings.Contains(id, ":stop:") }) {
				t.Errorf("it looks as if it were being written: %+v", first)
			}
			if tt.gone != strings.HasPrefix(first.Content, "The second answer.") || !strings.HasPrefix(first.Content, tt.want) {
				t.Errorf("the thread shows %q", first.Content)
			}
			told := w.discord.Answers(w.ada.DM())
			if tt.gone && (len(told) != 1 || !strings.Contains(told[0].Content, "Discord refused my answer")) || !tt.gone && len(told) != 0 {
				t.Errorf("Ada is told %+v", told)
			}
		})
	}
}

// A thread that is locked takes no word, and nothing of what stands there can be changed; it can be
// deleted as long as the thread is active.
func TestLockedThreadKeepsNothingHalfWritten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		inside bool // the question stands in the thread, so that there is no other place
	}{{"the question stands in the channel", false}, {"the question stands in the thread", true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			locked := make(chan struct{})
			replies := []llmtest.Reply{{llmtest.Text(strings.Join(words(150), "")), llmtest.Wait(locked), llmtest.Text("The end.")}}
			if tt.inside {
				replies = append([]llmtest.Reply{said(0, "The first answer.")}, replies...)
			}
			w := begin(t, llmtest.Native(replies...))
			question := w.ada.Mention(w.general, "What is it?")
			asked, pages := question, 2
			if tt.inside {
				w.answers(question, 1)
				w.button(question, "up")
				asked, pages = w.ada.Say(question, "Tell me more?"), 3
			}
			w.until("words appear", func() bool { return len(w.discord.Answers(question)) == pages })
			w.discord.Lock(question)
			close(locked)
			if tt.inside {
				if why := w.undelivered(w.general, asked); !strings.Contains(why, "not permitted") {
					t.Errorf("it is explained by %q", why)
				}
				w.until("Ada is told", func() bool { return len(w.discord.Answers(w.ada.DM())) == 1 })
				if got := w.discord.Answers(w.ada.DM())[0].Content; !strings.Contains(got, "The thread was locked before my answer was complete") {
					t.Errorf("Ada is told %q", got)
				}
				if got := w.discord.Answers(question); len(got) != 1 || !strings.HasPrefix(got[0].Content, "The first answer.") {
					t.Errorf("the thread shows %+v", got)
				}
				return
			}
			got := w.answers(w.general, 2)
			if !strings.HasPrefix(got[0], "Sentence 0 ") || !strings.HasSuffix(got[1], "The end.") {
				t.Errorf("the channel shows %q", got)
			}
			w.until("nothing of it is left in the thread", func() bool { return len(w.discord.Answers(question)) == 0 })
		})
	}
}

// A file goes with the answer that it belonged to.
func TestFileOfARemovedAnswerIsRemoved(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, long(400)...)))
	mod := w.guild.AddPerson("Mod", true)
	question := w.ada.Mention(w.general, "Tell me everything.")
	w.button(question, "up")
	shown := w.discord.Answers(question)
	if shown[len(shown)-1].File == "" {
		t.Fatal("no file is attached")
	}
	remove := mod.Menu(shown[0].Message, "Remove answer")
	w.until("a form is shown", func() bool { return remove.State().Kind == 9 })
	w.told(mod.Submit(remove, "wrong"), "removed")
	w.until("the answer is gone", func() bool {
		got := w.discord.Answers(question)
		return len(got) == 1 && got[0].Content == "This answer was removed." && got[0].File == ""
	})
}
