package answer_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

func TestTalkIsToldFromQuestions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]policy.Talk{
		"hello": policy.Greeting, "👍": policy.Greeting, "ok": policy.Greeting,
		"thanks, that helped a lot": policy.Thanks, "cheers": policy.Thanks, "thnks!": policy.Thanks, "thank you so much footnote": policy.Thanks,
		"bye": policy.Goodbye, "thanks, bye": policy.Goodbye, "See you later!": policy.Goodbye, "good night": policy.Goodbye, "<@U1> bye bye": policy.Goodbye,
		"what can you do?": policy.About, "are you a bot?": policy.About, "hi, are you a bot": policy.About, "who are you": policy.About, "HELP": policy.About, "Hi bot, who are you?": policy.About, "help, please!": policy.About,
		"<@U1> what can u do ?": policy.About, "thanks, and what about b?": policy.NoTalk, "help with the printer": policy.NoTalk, "who are you to contact for a loan?": policy.NoTalk,
		"bye-laws": policy.NoTalk, "what can you do about mould?": policy.NoTalk, "thanks giving policy": policy.NoTalk, "how do you work from home": policy.NoTalk,
		"good night shift rates": policy.NoTalk, "`help`": policy.NoTalk, "": policy.NoTalk, "<@U1>": policy.NoTalk, "how does this work?": policy.NoTalk, "help desk": policy.NoTalk,
	} {
		if got := policy.TalkOf(text); got != want {
			t.Errorf("TalkOf(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestWhoCanOnlyQuoteAnswersTalk(t *testing.T) {
	t.Parallel()
	for said, reply := range map[string]string{"hello": "Ask me a question", "thanks, that helped a lot": "You're welcome.", "bye": "Goodbye.", "who are you": "I answer questions"} {
		for name, extractive := range map[string]bool{"quotations": true, "a model that talks": false} {
			t.Run(said+", "+name, func(t *testing.T) {
				t.Parallel()
				bare(t, func(s *stage) {
					s.publish("hello", access.Members)
					m := s.store
					r := serve(s, answer.Deps{
						Store: m, Prompts: m,
						Signal: s.signal, Engine: s, Setups: quoting{[]llm.Model{llmtest.New(llm.Info{Extractive: extractive})}}, Library: s, Surfaces: s,
					}, answer.Config{}, action.Deps{Store: m}, command.Deps{Store: m})
					s.Cleanup(s.run(r))
					s.ask(r, said)
					s.settle()
					if seen := strings.Join(s.seen(""), ""); strings.Contains(seen, reply) != extractive || strings.Contains(seen, "hello says so") && extractive {
						t.Errorf("%q is answered with %q", said, seen)
					}
				})
			})
		}
	}
}
