// Package receive receives Discord's events over the gateway or as signed requests. It keeps events
// in order and fetches missed messages. It passes events to a handler in the types of package
// event.
package receive

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/directory"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/discord/gateway"
	"github.com/footnotehq/footnote/adapters/discord/read"
	"github.com/footnotehq/footnote/adapters/discord/write"
	"github.com/footnotehq/footnote/core/chat"
)

// Receiver receives Discord's events and passes them to a handler. It is safe for concurrent use.
type Receiver struct {
	discord   *call.Bot
	directory *directory.Directory
	reader    *read.Reader
	writer    *write.Writer

	mu sync.Mutex
	// threads with a recent question
	active map[string]activity
	// channels with handled messages
	seen map[string]sighting
	// channels with messages that could not be handled
	gaps map[string]gap
	// handles an interaction from an HTTP request; nil unless Run is running
	inbound func(*discordgo.Interaction, *discordgo.Channel, *event.Inline)
}

// NewReceiver returns a receiver. It receives nothing before Run.
func NewReceiver(b *call.Bot, d *directory.Directory, r *read.Reader, w *write.Writer) *Receiver {
	return &Receiver{discord: b, directory: d, reader: r, writer: w, seen: make(map[string]sighting), gaps: make(map[string]gap), active: make(map[string]activity)}
}

type activity struct {
	guild string
	at    time.Time
}

type sighting struct{ guild, message string }

// Run stays connected and passes events to h until ctx ends. It returns nil after all calls of h
// have returned. It returns a call.FatalError if an operator has to change something.
func (c *Receiver) Run(ctx context.Context, h chat.Handler, lookup event.Lookup) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events := make(chan arrival, 8192)
	in := newIntake(c, h, lookup)
	var handling sync.WaitGroup
	handling.Go(func() { in.run(ctx, events) })
	handling.Go(func() { c.directory.KeepHearing(ctx) })
	c.setInbound(func(i *discordgo.Interaction, ch *discordgo.Channel, source *event.Inline) {
		in.interactionFromRequest(ctx, i, ch, source)
	})
	err := c.listen(ctx, func(shard int, event any) {
		select {
		case events <- arrival{shard, event}:
		case <-ctx.Done():
		}
	})
	c.setInbound(nil)
	cancel()
	handling.Wait()
	_, of := c.discord.Shards()
	c.discord.Planned(of)
	return err
}

func (c *Receiver) setInbound(take func(*discordgo.Interaction, *discordgo.Channel, *event.Inline)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inbound = take
}

func (c *Receiver) listen(ctx context.Context, deliver func(shard int, event any)) error {
	if !c.discord.Config.NoGateway {
		g := &gateway.Gateway{Config: c.discord.Config.Gateway, API: c.discord.API, Dialer: c.discord.Dialer, Logger: c.discord.Logger, Planned: c.discord.Planned, Deliver: deliver}
		return g.Run(ctx)
	}
	ready, err := c.introduce(ctx)
	if err != nil {
		return err
	}
	deliver(0, ready)
	for _, g := range ready.Guilds {
		// a failure is only logged, because missing data is fetched when it is needed
		if err := c.directory.Survey(ctx, g.ID); err != nil {
			c.discord.Logger.WarnContext(ctx, "server not looked at", "guild", g.ID, "error", err)
		}
		deliver(0, &joined{guild: g.ID})
	}
	<-ctx.Done()
	return nil
}

// joined replaces the GUILD_CREATE event for a bot without a gateway.
type joined struct{ guild string }

// introduce builds a READY event from API calls, for a bot without a gateway. It retries until
// Discord answers, and fails only if Discord rejects the token.
func (c *Receiver) introduce(ctx context.Context) (*discordgo.Ready, error) {
	ready := &discordgo.Ready{Application: &discordgo.Application{}}
	err := gateway.UntilAnswered(ctx, c.discord.Config.Gateway, c.discord.Logger, "Discord does not say who the bot is", func() (err error) {
		for _, r := range []struct {
			call.Request
			out any
		}{
			{call.Request{Doing: "look up the bot", Method: http.MethodGet, URL: discordgo.EndpointUser("@me"), Bucket: "GET me"}, &ready.User},
			{call.Request{Doing: "list the bot's servers", Method: http.MethodGet, URL: discordgo.EndpointUserGuilds("@me"), Bucket: "GET guilds"}, &ready.Guilds},
		} {
			if err := c.discord.API.Do(ctx, r.Request, r.out); err != nil {
				return err
			}
		}
		ready.Application.ID, err = c.discord.Application(ctx)
		return err
	})
	return ready, err
}

// handled records that a message is handled. It returns false if this message or a newer one of the
// channel was recorded before. In a channel with a gap, it always returns true, because earlier
// messages may not be handled.
func (c *Receiver) handled(guild, channel, message string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.seen) >= directory.MaxPlaces {
		clear(c.seen) // the age limit bounds how much is read again
	}
	last, known := c.seen[channel]
	if known && !call.Newer(message, last.message) {
		_, gap := c.gaps[channel]
		return gap
	}
	c.seen[channel] = sighting{guild, message}
	return true
}

// baseline returns the message id after which a channel may hold unhandled messages.
func (c *Receiver) baseline(channel, guild string) string {
	oldest := call.IdAt(c.earliestMissed(channel, guild))
	c.mu.Lock()
	defer c.mu.Unlock()
	if g, known := c.gaps[channel]; known {
		if call.Newer(g.after, oldest) {
			return g.after
		}
		return oldest
	}
	if last, known := c.seen[channel]; known && call.Newer(last.message, oldest) {
		return last.message
	}
	return oldest
}

// Asked records that a message was accepted as a question. Its deletion is then reported, and its
// thread is searched for missed messages after an interruption.
func (c *Receiver) Asked(m chat.Message) {
	c.reader.Roots.Set(string(m.ID), m.Ref.Thread)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.active) >= directory.MaxPlaces {
		clear(c.active)
	}
	c.active[m.Ref.Thread] = activity{m.Ref.Workspace, time.Now()}
}

func (c *Receiver) recent() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make(map[string]string)
	for id, a := range c.active {
		if time.Since(a.at) < c.discord.Config.Recent {
			list[id] = a.guild
		} else {
			delete(c.active, id)
		}
	}
	return list
}

// maxVisited limits the server channels with recent messages that visited returns. Direct
// conversations are not limited.
const maxVisited = 100

// visited returns the ids of channels to search for missed messages, with the ids of their servers.
// These are channels with recent messages and all direct conversations.
func (c *Receiver) visited() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	oldest := call.IdAt(time.Now().Add(-c.discord.Config.Recent))
	list := make(map[string]string)
	for id, s := range c.seen {
		if s.guild == "" || len(list) < maxVisited && call.Newer(s.message, oldest) {
			list[id] = s.guild
		}
	}
	return list
}

// longAgo is the minimum time for which threads and direct conversations are searched for missed
// messages.
const longAgo = 24 * time.Hour

func (c *Receiver) earliestMissed(channel, guild string) time.Time {
	ago := c.discord.Config.Recent
	if p, known := c.directory.Peek(channel); known && p.Thread || !known && guild == "" {
		ago = max(ago, longAgo)
	}
	return time.Now().Add(-ago)
}
