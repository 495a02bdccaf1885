// Package discord is the adapter for Discord: it receives events, posts answers, looks up people
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

// Platform is Discord's name in thread references.
const Platform = call.Platform

// Config sets up the bot.
type Config = call.Config

// Client is one bot on Discord. It passes events to a Handler, and Surfaces write the answers. It
// is safe for concurrent use.
type Client struct {
	*directory.Directory
	*read.Reader
	*write.Writer
	*receive.Receiver
	discord *call.Bot
}

// New returns a client. It sends nothing before Run or Check.
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

// Use makes the bot draw its API calls from tiers, rate limits that all processes share. Call it
// once, before Run. Without it, each process limits itself to its part of the bot's rate.
func (c *Client) Use(tiers thread.Tiers) { c.discord.Use(tiers) }

// Share sets the number of processes that serve the bot, so that each uses only its part of the
// rate limit. The number may change at any time.
func (c *Client) Share(processes int) { c.discord.Share(processes) }

// Close closes idle connections. Call it last, when no Surface writes any more.
func (c *Client) Close() { c.discord.Close() }

// Shards returns how many of the bot's shards (gateway connections) receive events now, and how
// many there are. Both are 0 until the total is known.
func (c *Client) Shards() (connected, of int) { return c.discord.Shards() }
