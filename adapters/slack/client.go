// Package slack is the adapter for Slack. It receives events over sockets or as signed requests,
// posts answers, and looks up people and audiences. It also contains the app manifest and Slack's
// message format. It decides no policy.
package slack

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/directory"
	"github.com/footnotehq/footnote/adapters/slack/read"
	"github.com/footnotehq/footnote/adapters/slack/receive"
	"github.com/footnotehq/footnote/adapters/slack/write"
	"github.com/footnotehq/footnote/core/access"
)

// Platform identifies Slack in references to threads and in permissions.
const Platform = call.Platform

// Config holds the credentials and limits for calling a workspace.
type Config = call.Config

// Done holds what a search for unheard messages has read.
type Done = read.Done

// Client receives events of one workspace, posts answers there, and looks up people and channels.
// It is safe for concurrent use.
type Client struct {
	*directory.Directory
	*read.Reader
	*write.Writer
	*receive.Receiver
	slack *call.Workspace
}

// New returns a client. It makes no calls before Connect.
func New(config Config) (*Client, error) {
	w, err := call.NewWorkspace(config)
	if err != nil {
		return nil, err
	}
	alone := access.NewLocal()
	if config.Changes == nil {
		config.Changes = alone
	}
	if config.People == nil {
		config.People = alone
	}
	if config.Accounts == nil {
		config.Accounts = alone
	}
	c := &Client{Directory: directory.NewDirectory(w, config.Changes, config.People, config.Accounts), Reader: read.NewReader(w), Writer: write.NewWriter(w), slack: w}
	c.Receiver = receive.NewReceiver(w, c.Directory, c.Reader, c.Writer)
	return c, nil
}

// Connect signs in and returns the bot's identity. Call Connect before any other method. The text
// of an error tells an operator what to do.
func (c *Client) Connect(ctx context.Context) (call.Identity, error) { return c.slack.Connect(ctx) }

// Identity returns the bot's identity. It is zero before Connect has succeeded.
func (c *Client) Identity() call.Identity { return c.slack.Identity() }

// Share sets the number of processes that serve the workspace. Each process then uses only its part
// of Slack's rate limits. Share may be called at any time.
func (c *Client) Share(processes int) { c.slack.Share(processes) }

// Pacing returns the rate limiter that all answers of the workspace share.
func (c *Client) Pacing() *call.Pacing { return c.slack.Pacing() }

// Connected returns the number of open sockets of this process.
func (c *Client) Connected() int { return c.slack.Connected() }

// Interruptions returns a channel that receives the start time of each interruption after it has
// ended. An interruption is a period of at least Config.Interruption without an open socket. If a
// time is not received before the next interruption, only the earlier one is kept.
func (c *Client) Interruptions() <-chan time.Time { return c.slack.Interruptions() }
