// Package slack is everything that is known of Slack: what arrives from it (sockets or signed
// requests), what is posted to it, who is asking and who listens, the app manifest, and how an
// answer looks there. It decides no policy.
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

// Platform is Slack's name in thread references and principals.
const Platform = call.Platform

// Config is how a workspace is reached.
type Config = call.Config

// Client is one workspace. It is safe for concurrent use.
type Client struct {
	*directory.Directory
	*read.Reader
	*write.Writer
	*receive.Receiver
	slack *call.Workspace
}

// New returns a client; nothing is called before Connect.
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

// Connect finds out who the bot is. It is called before anything else; its errors are sentences
// that say what to do.
func (c *Client) Connect(ctx context.Context) (call.Identity, error) { return c.slack.Connect(ctx) }

// Identity is who the bot is, as Connect found it.
func (c *Client) Identity() call.Identity { return c.slack.Identity() }

// Share says how many processes serve the workspace, so that each takes no more than its part of
// the tiers. It may change at any time.
func (c *Client) Share(processes int) { c.slack.Share(processes) }

// Pacing is the budget that all answers of the workspace share.
func (c *Client) Pacing() *call.Pacing { return c.slack.Pacing() }

// Connected counts the sockets that are open.
func (c *Client) Connected() int { return c.slack.Connected() }

// Interruptions tells when events come again after none could for longer than Config.Interruption:
// the value is since when. Two that were not received are reported as one.
func (c *Client) Interruptions() <-chan time.Time { return c.slack.Interruptions() }
