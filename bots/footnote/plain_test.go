package main_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// A thread says once that nothing was found, names no page that has nothing to do with the
// question, and gets quotations while the model is down.
func TestSlackSaysOnceThatNothingAnswersAndQuotesWhileTheModelIsDown(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	slack := slacktest.Start(slacktest.Config{NoTiers: true})
	t.Cleanup(slack.Close)
	alice := slack.Person("alice", nil)
	room := slack.Channel("help", nil, alice)
	const denial = "The documents do not say anything about parking."
	model := openaitest.New(t)
	model.Otherwise(func(r openaitest.Request) openaitest.Reply {
		switch {
		case strings.Contains(r.Last("user").Text(), "vacation"):
			return openaitest.Reply{Fault: openaitest.Overloaded}
		case r.Last("tool").Text() == "":
			return openaitest.Reply{Calls: []openaitest.Call{{Name: "internal_search", Arguments: `{"queries":["rent a parking lot at the host"]}`}}}
		}
		return openaitest.Reply{Text: denial}
	})
	p := newProgram(t, "OPENAI_BASE_URL="+model.URL(), "LLM_MODEL=test-model")
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example")
	r := footnotetest.Serve(t, binary, footnotetest.Environment(socketSettings(slack, p.env...)...))
	r.Ready()
	answer := func(question, end string) string {
		t.Helper()
		root := alice.Say(room, "", slacktest.Mention()+" "+question)
		var shown string
		if err := slack.Wait(ctx, "the answer", func() bool {
			a := slack.Answers(room, root)
			if len(a) == 1 {
				shown = a[0].Shown() + string(a[0].Blocks)
			}
			return len(a) == 1 && !a[0].Streaming && strings.Contains(shown, end)
		}); err != nil {
			t.Fatalf("%v\n%+v", err, slack.Answers(room, root))
		}
		return shown
	}
	if shown := answer("Where can I rent a parking lot for my motorcycle at the host?", "footnote:up"); !strings.Contains(shown, denial) ||
		strings.Contains(shown, "I found nothing") || strings.Contains(shown, "These may help") {
		t.Errorf("the answer shows\n%s", shown)
	}
	shown := answer("How many vacation days does every employee have?", "footnote:up")
	code := regexp.MustCompile(`^I can't reach the language model right now\. Here is what your documents say: \(code ([a-z0-9]{10})\)`).FindStringSubmatch(shown)
	if code == nil || !strings.Contains(shown, "thirty vacation days") || strings.Contains(shown, "configured") {
		t.Fatalf("the answer shows\n%s", shown)
	}
	why := p.run(t, "why", code[1]).stdout
	for _, part := range []string{"Asked by " + alice.ID, time.Now().UTC().Format("2006-01-02"), "Cause: the model's endpoint could not be reached or was not available.", "`footnote doctor` tries it."} {
		if !strings.Contains(why, part) {
			t.Errorf("why says\n%s\nand not %q", why, part)
		}
	}
	if strings.Contains(why, model.URL()) {
		t.Errorf("why names the endpoint\n%s", why)
	}
}
