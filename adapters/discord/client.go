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

// Platform is Discord's name in thread references.
const Platform = call.Platform

// Config sets up the bot.
type Config = call.Config

// Client is one bot on Discord. It passes events to a Handler, and writes answers through Surfaces.
// It is safe for concurrent use.
type Client struct {
	*directory.Directory
	*read.Reader
	*write.Writer
	*receive.Receiver
	discord *call.Bot
}

// New returns a client. The client sends nothing before Run or Check.
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

// Use makes the bot's API calls share rate limits (tiers) with other processes. Call it once,
// before Run. Without shared tiers, each process uses only its part of the bot's rate.
func (c *Client) Use(tiers thread.Tiers) { c.discord.Use(tiers) }

// Share sets the number of processes that serve the bot. Each process then uses only its part of
// the rate limit. The number may change at any time.
func (c *Client) Share(processes int) { c.discord.Share(processes) }

// Close closes idle connections. Call it after every Surface has finished writing.
func (c *Client) Close() { c.discord.Close() }

// Shards returns the number of shards (gateway connections) that receive events now, and the total
// number of shards. The total is 1 until Discord has recommended a number.
func (c *Client) Shards() (connected, of int) { return c.discord.Shards() }
