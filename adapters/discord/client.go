// Package discord is everything that is known of Discord: what arrives from its gateway or as
// signed requests, what is posted there, who is asking and who listens, its commands, and how an
// answer looks there. It decides no policy.
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

// Config is how the bot is set up.
type Config = call.Config

// Client is one bot on Discord: what happens there goes to a Handler, what is written goes through
// Surfaces. It is safe for concurrent use.
type Client struct {
	*directory.Directory
	*read.Reader
	*write.Writer
	*receive.Receiver
	discord *call.Bot
}

// New returns a client. Nothing is sent before Run or Check.
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

// Use has the bot's share of calls drawn from tiers that other processes draw from too. It is
// called once, before Run; without it each process takes its part.
func (c *Client) Use(tiers thread.Tiers) { c.discord.Use(tiers) }

// Share says how many processes serve the bot, so that each takes no more than its part. It may
// change at any time.
func (c *Client) Share(processes int) { c.discord.Share(processes) }

// Close lets go of connections that are not in use. It is called last, when no Surface writes any
// more.
func (c *Client) Close() { c.discord.Close() }

// Shards tells of how many connections events arrive at present, of how many; 0 of 0 before it is
// known how many there are.
func (c *Client) Shards() (connected, of int) { return c.discord.Shards() }
