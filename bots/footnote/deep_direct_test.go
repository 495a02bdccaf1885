package main_test

import (
	"slices"
	"strings"
	"testing"
)

// In a direct message, outside of threads, a deep search shows its plan and its report, is changed,
// started and stopped by what is said there.
func TestDeepSearchInDirectMessages(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	defer close(hold)
	o := newWorkplace(t, researcher(hold), "FOOTNOTE_CONFIG="+folder(t, map[string]string{"footnote.yaml": confirming})+"/footnote.yaml")
	slack, alice := o.slack, o.alice
	defer o.serve().stop(t)
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
		o.until(what, func() bool {
			return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(all(root), text) })
		})
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
