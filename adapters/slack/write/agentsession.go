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

// maxSessionTitle is the maximum length of an agent session's title, in characters.
const maxSessionTitle = 200

// enoughRefusals is the number of consecutive refusals after which agent sessions count as
// unavailable in the workspace. A single refusal may be specific to a thread.
const enoughRefusals = 3

// Working tells Slack that the bot works in a thread, so that Slack shows a stop button there. The
// question becomes the title of a new session.
//
// It returns true, even with an error, if the call may have taken effect. The caller must then call
// Rested. It returns false without an error if agent sessions are unavailable or the rate limit is
// reached.
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
	// Slack may have set the status in spite of the error
	perhaps := call.Code(err) == "" && !call.Unsent(err) && !errors.As(err, new(*api.RateLimitedError))
	return perhaps, fmt.Errorf("show that the bot is at work: %w", call.Explain("agents.sessions.setStatus", err))
}

// Sessions reports whether the workspace appears to support agent sessions.
func (c *Writer) Sessions() bool { return c.refusals.Load() < enoughRefusals }

// Rested tells Slack that the bot has finished working in a thread.
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
