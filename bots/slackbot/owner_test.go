package slackbot_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/thread"
)

// The message that asks an owner mentions the owner alone, whatever names and questions hold.
func TestOwnerAloneIsMentioned(t *testing.T) {
	t.Parallel()
	s := beginTalk(t, common.Setting{Owned: true}).(*talkStage)
	question := s.Mention(common.Ann, common.Place{}, "where is *it*, <!channel> @here? See https://evil.example and <@U0EVIL>")
	at := common.Place{Thread: question}
	s.wait("the answer is there", func() bool { return len(s.Shown(at)) == 1 && s.Shown(at)[0].Done })
	s.Press(common.Ann, s.Shown(at)[0].ID, thread.ActionOwner)
	var asked slacktest.Message
	s.wait("the owner is asked", func() bool {
		all := s.all(s.general)
		i := slices.IndexFunc(all, func(m slacktest.Message) bool { return strings.Contains(m.Text, "You own the nearest page") })
		if i >= 0 {
			asked = all[i]
		}
		return i >= 0
	})
	blocks := string(asked.Blocks)
	if asked.Thread != string(question) || strings.Count(blocks, `"type":"user"`) != 1 || !strings.Contains(blocks, `"user_id":"`+s.bob.ID+`"`) || !strings.Contains(blocks, "rich_text_quote") {
		t.Errorf("the message in %s is %s", asked.Thread, blocks)
	}
	for _, element := range []string{`"broadcast"`, `"link"`, `"usergroup"`, `"channel"`, `"mrkdwn"`} {
		if strings.Contains(blocks, `"type":`+element) {
			t.Errorf("it holds %s: %s", element, blocks)
		}
	}
	if got := strings.Count(asked.Text, "<"); got != 1 || !strings.HasPrefix(asked.Text, "<@"+s.bob.ID+"> ") {
		t.Errorf("the notification is %q", asked.Text)
	}
}
