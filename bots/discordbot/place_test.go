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

// Where a channel is switched off, whoever asks is told so, and nobody else is answered.
func TestChannelWhereNobodyMayAsk(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "Never said.")), func(s *setting) {
		s.policies = holding(func(p *policy.Policy) { p.Enabled = false })
	})
	w.ada.Mention(w.general, "May I ask?")
	w.until("Ada is told", func() bool {
		for _, m := range w.discord.Shown(w.general) {
			if strings.Contains(m.Content, "do not answer questions in this channel") {
				return true
			}
		}
		return false
	})
	asked := w.ada.Ask(w.general, "May I ask so?")
	w.until("the command is answered", func() bool { return strings.Contains(asked.State().Content, "do not answer questions in this channel") })
	if n := len(w.model.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}

// Replies take the permission to read what was written before; where the bot lacks it, answers stand by themselves.
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
	e := policy.Settle(policy.Said{Key: "follow", Value: string(policy.FollowDialogue)})
	h(&e.Policy)
	return e, nil
}

// Accept implements command.Policies.
func (h holding) Accept(context.Context, access.TenantID, session.Place, string, string) error {
	return nil
}

// Hash implements command.Policies.
func (h holding) Hash(context.Context) (string, error) { return "test", nil }
