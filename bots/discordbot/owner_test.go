package discordbot_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/thread"
)

// The message that asks an owner notifies the owner alone, whatever names and questions hold.
func TestOwnerAloneIsNotified(t *testing.T) {
	t.Parallel()
	s := beginTalk(t, common.Setting{Owned: true}).(*talkStage)
	question := s.Mention(common.Ann, common.Place{}, "where is **it**, @everyone <@"+s.people[common.Chief].ID+">? See https://evil.example")
	at := common.Place{Thread: question}
	s.until("the answer is there", func() bool { return len(s.Shown(at)) == 1 && s.Shown(at)[0].Done })
	s.Press(common.Ann, s.Shown(at)[0].ID, thread.ActionOwner)
	var asked discordtest.Version
	s.until("the owner is asked", func() bool {
		all := s.discord.Versions()
		i := slices.IndexFunc(all, func(v discordtest.Version) bool { return strings.Contains(v.Content, "You own the nearest page") })
		if i >= 0 {
			asked = all[i]
		}
		return i >= 0
	})
	if !slices.Equal(asked.Pings, []string{s.people[common.Bob].ID}) {
		t.Errorf("%q notifies %v", asked.Content, asked.Pings)
	}
	if !strings.Contains(asked.Content, "\n> where is \\*\\*it") || strings.Contains(asked.Content, " https://evil") {
		t.Errorf("the message is %q", asked.Content)
	}
}
