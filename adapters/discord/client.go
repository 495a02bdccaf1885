// Package discord is the adapter for Discord. It receives events, posts answers, looks up people
// and their permissions, and registers commands. It decides no policy.
package discord

import (
	"fmt"

	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/directory"
	"github.com/footnotehq/footnote/adapters/discord/read"
	"github.com/footnotehq/footnote/adapters/discord/receive"
	"github.com/footnotehq/footnote/adapters/discord/write"
	"github.com/footnotehq/footnote/core/thread"
)

// Platform identifies Discord in references to threads.
const Platform = call.Platform

// Config configures the bot. Only Token is required.
type Config = call.Config

// Client is one bot on Discord. It receives events, posts answers, and looks up people and their
// permissions. It is safe for concurrent use.
type Client struct {
	*directory.Directory
	*read.Reader
	*write.Writer
	*receive.Receiver
	discord *call.Bot
}

// New returns a client. The client makes no API call before Run or Check.
func New(config Config) (*Client, error) {
	b, err := call.NewBot(config)
	if err != nil {
		return nil, fmt.Errorf("set up Discord: %w", err)
	}
	c := &Client{Directory: directory.NewDirectory(b), discord: b}
	c.Reader = read.NewReader(b, c.Directory)
	if c.Writer, err = write.NewWriter(b, c.Directory); err != nil {
		return nil, fmt.Errorf("set up Discord: %w", err)
	}
	c.Receiver = receive.NewReceiver(b, c.Directory, c.Reader, c.Writer)
	return c, nil
}

// Use makes the bot count its API calls in tiers, a rate limiter that all processes of the bot
// share. Call it once, before Run. Without it, each process is limited to an equal part of the
// bot's rate.
func (c *Client) Use(tiers thread.Tiers) { c.discord.Use(tiers) }

// Share sets the number of processes that serve the bot. Rate limits that the processes do not
// share are divided by this number. Share may be called at any time.
func (c *Client) Share(processes int) { c.discord.Share(processes) }

// Close closes idle HTTP connections. Call it after all messages have been written.
func (c *Client) Close() { c.discord.Close() }

// Shards returns the number of shards (gateway connections) that receive events now, and the total
// number of shards. The total is 1 until Discord has recommended a number.
func (c *Client) Shards() (connected, of int) { return c.discord.Shards() }
