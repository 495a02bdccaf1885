package consolebot

import (
	"context"
	"crypto/rand"

	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Act does something to an answer of this conversation, with a text where the action takes one, and returns what to tell the person. Of a
// retry the reply names the turn to Wait for.
func (b *Bot) Act(ctx context.Context, do thread.Action, id session.TurnID, text string) (action.Reply, error) {
	return b.service.Actions.Act(ctx, action.Request{
		Do: do, Tenant: b.config.Audience.Tenant(), Ref: b.ref, Turn: id, Key: rand.Text(), By: b.asker, Text: text, Submitted: true,
	})
}
