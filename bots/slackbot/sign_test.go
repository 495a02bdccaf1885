package slackbot_test

import (
	"fmt"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// Of fifty questions that are asked at once each one gets a sign that it was seen, although the
// words of most answers wait for Slack's tiers: the sign neither waits for other threads nor ends
// with the first word that nobody can read yet.
func TestEveryQuestionOfACrowdGetsItsSign(t *testing.T) {
	t.Parallel()
	const questions = 50
	signed := make(chan struct{})
	var replies []llmtest.Reply
	for range questions {
		replies = append(replies, llmtest.Reply{
			llmtest.Text("These words are worth a message of their own, and wait. "), llmtest.Wait(signed), llmtest.Text("The end."),
		})
	}
	s := play(t, options{}, replies...)
	channels := []*slacktest.Channel{s.general}
	for i := range 9 {
		channels = append(channels, s.Channel(fmt.Sprint("room-", i), nil, s.ann, s.bob))
	}
	var roots []string
	for i := range questions {
		roots = append(roots, s.ann.Say(channels[i%len(channels)], "", slacktest.Mention()+fmt.Sprintf(" question %d?", i)))
	}
	s.wait("every question has its sign", func() bool {
		with := make(map[string]bool)
		for _, status := range s.Statuses() {
			with[status.Thread] = true
		}
		return len(with) == questions
	})
	close(signed)
	for i, root := range roots {
		s.answered(channels[i%len(channels)], root, 1)
	}
	if n := s.Limited(); n != 0 {
		t.Errorf("%d calls were refused because of their rate", n)
	}
}
