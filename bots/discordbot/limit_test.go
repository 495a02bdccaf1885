package discordbot_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// words is a long answer in many pieces.
func words(n int) []string {
	var pieces []string
	for i := range n {
		pieces = append(pieces, fmt.Sprintf("Sentence %d is here. ", i))
	}
	return pieces
}

func TestRefusalsAreObeyedAndTheFinalTextLands(t *testing.T) {
	t.Parallel()
	const pause = 700 * time.Millisecond
	for _, tt := range []struct {
		name   string
		fault  discordtest.Fault
		global bool
	}{
		{"of the route", discordtest.Fault{Method: "PATCH", Path: "/messages/", RetryAfter: pause}, false},
		{"of everything", discordtest.Fault{Method: "PATCH", Path: "/messages/", RetryAfter: pause, Global: true}, true},
		{"of everything, as a page of HTML", discordtest.Fault{Method: "PATCH", Path: "/messages/", RetryAfter: time.Second, HTML: true}, true},
		{"twice, so that only the final write is left", discordtest.Fault{Method: "PATCH", Path: "/messages/", RetryAfter: pause, Times: 2}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := begin(t, llmtest.Native(said(20*time.Millisecond, words(60)...)))
			w.discord.Inject(tt.fault)
			question := w.ada.Mention(w.general, "Tell me everything.")
			got := w.answers(question, 1)[0]
			if want := strings.TrimSpace(strings.Join(words(60), "")); got != want {
				t.Errorf("the answer is %q, want %q", got, want)
			}
			times := tt.fault.Times
			if times == 0 {
				times = 1
			}
			if n := w.discord.Count(http.StatusTooManyRequests); n != times {
				t.Errorf("%d calls were refused, want %d", n, times)
			}
			w.obeyed(tt.global, tt.fault.RetryAfter)
		})
	}
}

// obeyed wants no call of the refused kind within the pause after a refusal.
func (w *world) obeyed(global bool, pause time.Duration) {
	w.Helper()
	var refused discordtest.Request
	for _, r := range w.discord.Requests() {
		if r.Status == http.StatusTooManyRequests {
			refused = r
			continue
		}
		same := r.Method == refused.Method && r.Path == refused.Path
		if early := r.At.Sub(refused.At); (same || global) && !refused.At.IsZero() && early < pause {
			w.Errorf("%s %s came %s after a refusal that asked for %s", r.Method, r.Path, early, pause)
		}
	}
}

func TestFiftyAnswersAtOnceAreNeverRefused(t *testing.T) {
	t.Parallel()
	const n = 50
	for _, tt := range []struct {
		name     string
		inPlace  bool // all answers in one channel
		channels bool // each question in a channel of its own
	}{{"each in its thread", false, false}, {"all in one channel", true, false}, {"each in its channel", true, true}} {
		t.Run(tt.name, func(t *testing.T) { // one after the other: each is work enough
			var replies []llmtest.Reply
			for range n {
				replies = append(replies, said(20*time.Millisecond, words(20)...))
			}
			w := begin(t, llmtest.Native(replies...), func(s *setting) {
				if tt.inPlace {
					s.policies = holding(func(p *policy.Policy) { p.Reply = policy.ReplyInPlace })
				}
				s.server.BucketWindow = 500 * time.Millisecond
			})
			var places []string
			for i := range n {
				channel := w.general
				if tt.channels {
					channel = w.guild.AddText(fmt.Sprintf("channel-%d", i)).ID
				}
				question := w.ada.Mention(channel, fmt.Sprintf("Question %d?", i))
				switch {
				case tt.channels:
					places = append(places, channel)
				case tt.inPlace:
					places = []string{w.general}
				default:
					places = append(places, question)
				}
			}
			want := strings.TrimSpace(strings.Join(words(20), ""))
			for _, place := range places {
				for _, got := range w.answers(place, n/len(places)) {
					if got != want {
						t.Errorf("an answer is %q", got)
					}
				}
			}
			w.neverRefused()
		})
	}
}

// neverRefused wants no call to have met a limit, and shows what came before one that did.
func (w *world) neverRefused() {
	w.Helper()
	all := w.discord.Requests()
	for i, r := range all {
		if r.Status != http.StatusTooManyRequests {
			continue
		}
		var before strings.Builder
		for _, b := range all[:i] {
			if ago := r.At.Sub(b.At); ago < time.Second {
				fmt.Fprintf(&before, "\n%8s before: %s %s (%d)", ago, b.Method, b.Path, b.Status)
			}
		}
		w.Errorf("%s %s was refused%s", r.Method, r.Path, before.String())
	}
}

func TestAnAnswerWhosePostIsLostIsNotPostedTwice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault discordtest.Fault
	}{
		{"the answer to the call is lost", discordtest.Fault{Method: "POST", Path: "/messages", Drop: true, Done: true}},
		{"the call is lost", discordtest.Fault{Method: "POST", Path: "/messages", Drop: true}},
		{"Discord fails", discordtest.Fault{Method: "POST", Path: "/messages", Status: 500, Body: "oops"}},
		{"a gateway on the way fails", discordtest.Fault{Method: "POST", Path: "/messages", Status: 502, Body: "<html></html>"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := begin(t, llmtest.Native(said(20*time.Millisecond, words(20)...)))
			w.discord.Inject(tt.fault)
			question := w.ada.Mention(w.general, "Tell me everything.")
			if got, want := w.answers(question, 1)[0], strings.TrimSpace(strings.Join(words(20), "")); got != want {
				t.Errorf("the answer is %q, want %q", got, want)
			}
		})
	}
}

func TestFinalEditIsRetriedUntilItLands(t *testing.T) {
	t.Parallel()
	var once sync.Once
	var w *world
	fail := func() {
		once.Do(func() { w.discord.Inject(discordtest.Fault{Method: "PATCH", Status: 503, Body: "{}", Times: 3}) })
	}
	ready := make(chan struct{})
	reply := append(said(60*time.Millisecond, "It begins with a whole sentence. "), llmtest.Wait(ready), llmtest.Do(func() { fail() }), llmtest.Text("And ends."))
	w = begin(t, llmtest.Native(reply))
	question := w.ada.Mention(w.general, "What is it?")
	w.until("words appear", func() bool { return len(w.discord.Answers(question)) == 1 })
	close(ready)
	w.until("the answer is finished", func() bool {
		return strings.HasPrefix(w.discord.Answers(question)[0].Content, "It begins with a whole sentence. And ends.")
	})
}

func TestWhatHappensToTheAnswersPlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil func(w *world, thread string)
	}{
		{"the thread is archived", func(w *world, thread string) { w.discord.Archive(thread) }},
		{"the message grows old", func(w *world, thread string) { w.discord.Age(w.discord.Answers(thread)[0].Message, 2*time.Hour) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			spoiled := make(chan struct{})
			w := begin(t, llmtest.Native(llmtest.Reply{llmtest.Text("It begins with a whole sentence. "), llmtest.Wait(spoiled), llmtest.Text("And ends.")}))
			thread := w.ada.Mention(w.general, "What is it?")
			w.until("words appear", func() bool { return len(w.discord.Answers(thread)) == 1 })
			tt.spoil(w, thread)
			close(spoiled)
			w.until("the answer is finished", func() bool {
				got := w.discord.Answers(thread)
				return len(got) == 1 && strings.HasPrefix(got[0].Content, "It begins with a whole sentence. And ends.")
			})
		})
	}
}

func TestVeryLongAnswer(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, words(1000)...)))
	question := w.ada.Mention(w.general, "Tell me everything.")
	var file string
	w.until("the whole of it is attached", func() bool {
		for _, v := range w.discord.Answers(question) {
			file += v.File
		}
		return file != ""
	})
	if !strings.Contains(file, "Sentence 0 is here.") || !strings.Contains(file, "Sentence 999 is here.") {
		t.Errorf("the attached file has %d characters", len(file))
	}
	got := w.discord.Answers(question)
	if !strings.HasPrefix(got[0].Content, "Sentence 0 is here.") {
		t.Errorf("the first page begins %.40q", got[0].Content)
	}
	w.harmless()
}
