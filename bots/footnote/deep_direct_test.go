package main_test

import (
	"context"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// In a direct message, outside of threads, a deep search shows its plan and its report, is changed, started and stopped by what is said there.
func TestDeepSearchInDirectMessages(t *testing.T) {
	t.Parallel()
	model, hold := openaitest.New(t), make(chan struct{})
	defer close(hold)
	model.Otherwise(researcher(hold))
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	p := withModel(t, model, socketSettings(slack, "FOOTNOTE_CONFIG="+folder(t, map[string]string{"footnote.yaml": confirming})+"/footnote.yaml")...)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	alice := slack.Person("alice", nil)
	s := serve(t, p)
	defer s.stop(t)
	s.inSlack(ctx, t, slack)
	dm, root := alice.DM("", "deep: "+twoMatters)
	all := func(root string) (text string) {
		for _, m := range append(slack.Roots(dm), slack.Answers(dm, root)...) {
			if m.Bot {
				text += m.Shown() + string(m.Blocks) + "\n"
			}
		}
		return text
	}
	until := func(what string, texts ...string) {
		t.Helper()
		if err := slack.Wait(ctx, what, func() bool {
			shown := all(root)
			for _, text := range texts {
				if !strings.Contains(shown, text) {
					return false
				}
			}
			return true
		}); err != nil {
			t.Fatalf("%v\n%s\n%s", err, all(root), s.log)
		}
	}
	until("the plan waits", "footnote:start:", whoIsPaged)
	alice.DM("", "start")
	until("a row has its finding", "thirty vacation days")
	alice.DM("", "stop")
	until("what was found is shown", "Stopped. What had been found by then is shown.")

	_, root = alice.DM("", "deep: "+strings.ToUpper(twoMatters))
	until("another plan waits", "I would look into")
	alice.DM("", "drop 2")
	until("it is small enough to begin", "Left out.", "footnote:up:")
}
