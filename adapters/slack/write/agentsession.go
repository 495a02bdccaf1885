package write

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// maxSessionTitle is how long the title of an agent's session may be.
const maxSessionTitle = 200

// enoughRefusals is after how many in a row the workspace counts as one without agents' sessions. A
// single one may be about its thread.
const enoughRefusals = 3

// Working says that the bot is at work in a thread, which makes Slack show a stop button there,
// also before there are words and outside of streams; the session of the thread is named after what
// was asked when it is its first. It reports whether Rested has to end it, with an error perhaps
// too: not where the workspace knows no such sessions, nor when many have begun at once.
func (c *Writer) Working(ctx context.Context, to thread.Ref, asker, question string) (bool, error) {
	if !c.Sessions() || !c.slack.Sessions.Allow() {
		return false, nil
	}
	err := c.session(ctx, api.AgentSessionSetStatusParameters{
		Status: api.AgentSessionStatusProcessing, ChannelID: to.Channel, ThreadTS: to.Thread, Title: title(question, maxSessionTitle), InitiatorUserID: asker,
	})
	switch {
	case err == nil:
		c.refusals.Store(0)
		return true, nil
	case noMethod(err) || slices.Contains(codesNeverStream, call.Code(err)) || call.Code(err) == "missing_scope":
		c.refusals.Store(enoughRefusals)
	case !call.Transient(err):
		c.refusals.Add(1)
	}
	// Slack may have done it all the same
	perhaps := call.Code(err) == "" && !call.Unsent(err) && !errors.As(err, new(*api.RateLimitedError))
	return perhaps, fmt.Errorf("show that the bot is at work: %w", call.Explain("agents.sessions.setStatus", err))
}

// Sessions reports whether the workspace has agents' sessions, as far as is known.
func (c *Writer) Sessions() bool { return c.refusals.Load() < enoughRefusals }

// Rested says that the bot is done in a thread.
func (c *Writer) Rested(ctx context.Context, to thread.Ref) error {
	err := c.session(ctx, api.AgentSessionSetStatusParameters{Status: api.AgentSessionStatusActive, ChannelID: to.Channel, ThreadTS: to.Thread})
	if err != nil {
		return fmt.Errorf("show that the bot is done: %w", call.Explain("agents.sessions.setStatus", err))
	}
	return nil
}

func (c *Writer) session(ctx context.Context, p api.AgentSessionSetStatusParameters) error {
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	_, err := c.slack.API.SetAgentSessionStatusContext(ctx, p)
	return err
}
