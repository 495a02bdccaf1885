package main_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// While Slack does not say who is in a channel, a question is answered from public documents alone.
// Once it does, the asker is offered another answer, which rests on all that everyone there may
// read.
func TestAnswerFromPublicDocumentsIsOfferedAgain(t *testing.T) {
	t.Parallel()
	c := newCrew(t, slacktest.Config{NoTiers: true})
	alice := c.slack.Person("alice", nil)
	room := c.slack.Channel("help", nil, alice)
	library(t, c.program, map[string]string{"wordmembers": "members", "wordpublic": "public"})
	c.serve(0)
	c.slack.Fail(slacktest.Fault{Method: "conversations.members", Times: 1000, Error: "internal_error"})
	words := []string{"wordmembers", "wordpublic"}
	if got := c.ask(0, alice, room, words...); !slices.Equal(got, words[1:]) {
		t.Fatalf("while it is not known who listens the prompts hold %v", got)
	}
	c.slack.Mend()
	var offer slacktest.Message
	c.until("the offer", func() bool {
		shown := c.slack.Ephemeral(alice)
		i := slices.IndexFunc(shown, func(m slacktest.Message) bool { return strings.Contains(m.Shown(), "Shall I answer this again") })
		if i >= 0 {
			offer = shown[i]
		}
		return i >= 0
	})
	action, value := buttonOf(t, offer)
	from := len(c.model.ChatRequests())
	c.does(0, func() { alice.Click(room, offer.TS, action, value) })
	c.until("the whole answer", func() bool { return slices.Contains(shown(c.model, from, words...), "wordmembers") })
}

// buttonOf returns the only button of a message.
func buttonOf(t *testing.T, m slacktest.Message) (action, value string) {
	t.Helper()
	var blocks []struct {
		Elements []struct {
			Type     string `json:"type"`
			ActionID string `json:"action_id"`
			Value    string `json:"value"`
		} `json:"elements"`
	}
	if err := json.Unmarshal(m.Blocks, &blocks); err != nil {
		t.Fatalf("%v: %s", err, m.Blocks)
	}
	for _, b := range blocks {
		for _, e := range b.Elements {
			if e.Type == "button" {
				return e.ActionID, e.Value
			}
		}
	}
	t.Fatalf("no button in %s", m.Blocks)
	return "", ""
}
