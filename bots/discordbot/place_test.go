package discordbot_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
)

// Replies take the permission to read what was written before; where the bot lacks it, answers
// stand by themselves.
func TestChannelWhereTheBotMayNotReply(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The answer.")))
	w.discord.Deny(w.general, discordtest.ReadMessageHistory|discordtest.CreatePublicThreads)
	w.ada.Mention(w.general, "")
	w.until("Ada is told that she asked nothing", func() bool {
		return slices.ContainsFunc(w.discord.Shown(w.general), func(v discordtest.Version) bool { return strings.Contains(v.Content, "no question") })
	})
	w.ada.Mention(w.general, "What is it?")
	w.until("the answer is shown", func() bool {
		return slices.ContainsFunc(w.discord.Shown(w.general), func(v discordtest.Version) bool { return strings.HasPrefix(v.Content, "The answer.") })
	})
}

// holding is what holds in every channel.
type holding func(*policy.Policy)

// Policy implements command.Policies.
func (h holding) Policy(context.Context, access.TenantID, session.Place) (policy.Effective, error) {
	e := policy.Resolve(policy.SettingValue{Key: "follow", Value: string(policy.FollowDialogue)})
	h(&e.Policy)
	return e, nil
}

// Accept implements command.Policies.
func (h holding) Accept(context.Context, access.TenantID, session.Place, string, string) error {
	return nil
}

// Hash implements command.Policies.
func (h holding) Hash(context.Context) (string, error) { return "test", nil }
