package slackbot_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/slackbot"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// named is a model beside the first one, which is called "scripted".
func named(name string, replies ...llmtest.Reply) *llmtest.Model {
	return llmtest.New(llm.Info{Name: name, NativeTools: true}, replies...)
}

// of is what a model's reply shows, of those in a thread.
func of(t *testing.T, shown []string, model string) string {
	t.Helper()
	i := slices.IndexFunc(shown, func(s string) bool { return strings.Contains(s, "**`"+model+"`**") })
	if i < 0 {
		t.Fatalf("no reply is labelled %s: %q", model, shown)
	}
	return shown[i]
}

// voted waits until the only vote is for a model.
func (s *stage) voted(model string) {
	s.t.Helper()
	s.wait("the vote is for "+model, func() bool {
		list, err := s.store.Feedback(s.ctx, session.FeedbackQuery{Tenant: access.DefaultTenant})
		return err == nil && len(list) == 1 && list[0].Up && list[0].Model == model
	})
}

func TestEachOfSeveralModelsHasItsReply(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]slacktest.Config{"streamed": {}, "edited": {NoStreams: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cited := make(chan struct{})
			other := named("other", look(), llmtest.Reply{llmtest.Wait(cited), llmtest.Text("The client comes first [1], the passwords after it [2].")})
			s := play(t, options{slack: c, secret: access.ACL{access.Public}, beside: []llm.Model{other}},
				look(), llmtest.Reply{llmtest.Text("Passwords are kept apart [2].")})
			root := s.ann.Say(s.general, "", slacktest.Mention()+" how do I set the VPN up?")
			s.wait("the first model's reply is complete while the other one waits", func() bool {
				return slices.ContainsFunc(s.Answers(s.general, root), func(m slacktest.Message) bool {
					return finished(m) && strings.Contains(m.Shown(), "Passwords are kept apart")
				})
			})
			close(cited)
			shown := s.answered(s.general, root, 2)
			if len(shown) != 2 {
				t.Fatalf("%d messages: %q", len(shown), shown)
			}
			first, second := of(t, shown, "scripted"), of(t, shown, "other")
			if !strings.Contains(first, "kept apart") || !strings.Contains(second, "client comes first") {
				t.Errorf("the replies are %q and %q", first, second)
			}
			// One numbering: what the first reply cites as 1 is 1 in the other one as well.
			if !strings.Contains(first, "[[1]](https://docs.example/secret)") || !strings.Contains(second, "[[2]](https://docs.example/vpn)") ||
				!strings.Contains(second, "[[1]](https://docs.example/secret)") {
				t.Errorf("the numbers are not one numbering: %q and %q", first, second)
			}
			// A vote says which is preferred.
			at := slices.IndexFunc(s.Answers(s.general, root), func(m slacktest.Message) bool { return m.Shown() == second })
			s.click(s.bob, s.general, s.Answers(s.general, root)[at], thread.ActionUp)
			s.voted("other")
			s.click(s.bob, s.general, s.Answers(s.general, root)[1-at], thread.ActionUp)
			s.voted("scripted")
		})
	}
}

func TestOneModelThatFailsTakesNothingFromTheOthers(t *testing.T) {
	t.Parallel()
	s := play(t, options{beside: []llm.Model{named("other", llmtest.Reply{llmtest.Fail(llm.ErrNotFound)})}}, llmtest.Answer("All is well."))
	root := s.ann.Say(s.general, "", slacktest.Mention()+" how is it?")
	shown := s.answered(s.general, root, 2)
	if got := of(t, shown, "scripted"); !strings.Contains(got, "All is well.") {
		t.Errorf("the reply that stands: %q", got)
	}
	if got := of(t, shown, "other"); !strings.Contains(got, "Reference: ") {
		t.Errorf("the reply of the model that failed does not say so: %q", got)
	}
}

func TestOneStopEndsAllReplies(t *testing.T) {
	t.Parallel()
	endless := func() llmtest.Reply {
		return llmtest.Reply{llmtest.Text("This much was written before the stop. "), llmtest.Sleep(300 * time.Millisecond), llmtest.Text("And this.\n\n"), llmtest.Hang()}
	}
	other := named("other", endless())
	s := play(t, options{beside: []llm.Model{other}}, endless())
	root := s.ann.Say(s.general, "", slacktest.Mention()+" tell me everything")
	s.wait("both have written", func() bool { return len(s.Answers(s.general, root)) == 2 })
	s.ann.React(s.general, s.Answers(s.general, root)[1].TS, "octagonal_sign")
	for _, shown := range s.answered(s.general, root, 2) {
		if !strings.Contains(shown, "This much was written before the stop.") || !strings.Contains(shown, "Stopped") {
			t.Errorf("a reply shows %q", shown)
		}
	}
	if s.model.Open()+other.Open() != 0 {
		t.Error("a model is still being read")
	}
}

func TestCommandNamesItsModels(t *testing.T) {
	t.Parallel()
	s := play(t, options{
		bot:    func(c *slackbot.Config) { c.Models = func() []string { return []string{"other", "scripted", "third"} } },
		beside: []llm.Model{named("other", llmtest.Answer("The other answer.")), named("third", llmtest.Answer("The third answer."))},
	}, llmtest.Answer("The one answer."))
	for text, want := range map[string]string{
		"models:gpt-9,other Which?":       "There is no model `gpt-9`. Choose among other, scripted, third.",
		"models:other,scripted":           "Ask like this",
		"private models:nonesuch Is it?":  "There is no model",
		"models:scripted,nonesuch Is it?": "There is no model `nonesuch`",
	} {
		s.replied(s.ann, s.ann.Slash(s.general, "/ask", text), want)
	}
	s.ann.Slash(s.general, "/ask", "models:third,scripted Which?")
	root := ""
	s.wait("the question stands in the channel", func() bool {
		for _, m := range s.Versions() {
			if m.User == slacktest.BotUser && strings.Contains(m.Shown(), "Which?") {
				root = m.TS
			}
		}
		return root != ""
	})
	shown := s.answered(s.general, root, 2)
	if len(shown) != 2 || !strings.Contains(of(t, shown, "third"), "The third answer.") || !strings.Contains(of(t, shown, "scripted"), "The one answer.") {
		t.Errorf("the thread shows %q", shown)
	}
}
