package discord

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/sleep"
)

// Receiver takes in what happens on Discord. It is safe for concurrent use.
type Receiver struct {
	discord   *Bot
	directory *Directory
	reader    *Reader
	writer    *Writer

	mu      sync.Mutex
	active  map[string]activity                                       // threads in which something was asked
	seen    map[string]sighting                                       // channels in which messages were handled
	inbound func(*discordgo.Interaction, *discordgo.Channel, *inline) // takes an interaction that a request brought; nil while not running
}

// NewReceiver returns a receiver.
func NewReceiver(b *Bot, d *Directory, r *Reader, w *Writer) *Receiver {
	return &Receiver{discord: b, directory: d, reader: r, writer: w, seen: make(map[string]sighting), active: make(map[string]activity)}
}

// activity is when something was last asked in a thread, and the server to which that belongs.
type activity struct {
	guild string
	at    time.Time
}

// sighting is the newest message of a channel that was handled.
type sighting struct{ guild, message string }

// Run stays connected and hands events to h until ctx ends; then it returns nil once no call of h runs any more. A FatalError says what
// has to be changed before it can work.
func (c *Receiver) Run(ctx context.Context, h Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events := make(chan arrival, 8192)
	in := newIntake(c, h)
	var handling sync.WaitGroup
	handling.Go(func() { in.run(ctx, events) })
	handling.Go(func() { c.directory.keepHearing(ctx) })
	c.setInbound(func(i *discordgo.Interaction, ch *discordgo.Channel, source *inline) { in.brought(ctx, i, ch, source) })
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
	c.discord.planned(of)
	return err
}

func (c *Receiver) setInbound(take func(*discordgo.Interaction, *discordgo.Channel, *inline)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inbound = take
}

// listen delivers events until ctx ends.
func (c *Receiver) listen(ctx context.Context, deliver func(shard int, event any)) error {
	if !c.discord.config.NoGateway {
		g := &Gateway{config: c.discord.config.Gateway, api: c.discord.api, dialer: c.discord.dialer, logger: c.discord.logger, planned: c.discord.planned, deliver: deliver}
		return g.run(ctx)
	}
	ready, err := c.introduce(ctx)
	if err != nil {
		return err
	}
	deliver(0, ready)
	for _, g := range ready.Guilds {
		if err := c.directory.Survey(ctx, g.ID); err != nil { // what is not known is asked for when it matters
			c.discord.logger.WarnContext(ctx, "server not looked at", "guild", g.ID, "error", err)
		}
		deliver(0, &joined{guild: g.ID})
	}
	<-ctx.Done()
	return nil
}

// joined stands in the place of GUILD_CREATE where there is no gateway.
type joined struct{ guild string }

// introduce asks what the gateway would have said first: who the bot is and where it belongs.
func (c *Receiver) introduce(ctx context.Context) (*discordgo.Ready, error) {
	ready := &discordgo.Ready{Application: &discordgo.Application{}}
	for wait := c.discord.config.Gateway.Retry; ; wait = min(2*wait, lastRetry) {
		var err error
		for _, r := range []struct {
			request
			out any
		}{
			{request{doing: "look up the bot", method: http.MethodGet, url: discordgo.EndpointUser("@me"), bucket: "GET me"}, &ready.User},
			{request{doing: "list the bot's servers", method: http.MethodGet, url: discordgo.EndpointUserGuilds("@me"), bucket: "GET guilds"}, &ready.Guilds},
		} {
			if err == nil {
				err = c.discord.api.do(ctx, r.request, r.out)
			}
		}
		if err == nil {
			ready.Application.ID, err = c.discord.Application(ctx)
		}
		var stated *apiError
		switch {
		case err == nil, ctx.Err() != nil:
			return ready, nil
		case errors.As(err, &stated) && stated.status == http.StatusUnauthorized:
			return nil, &FatalError{Sentence: fatalSentences[closeNotAuthenticated], Code: closeNotAuthenticated}
		}
		c.discord.logger.WarnContext(ctx, "Discord does not say who the bot is", "error", err, "again_in", wait.String())
		if sleep.For(ctx, jitter(wait)) != nil {
			return ready, nil
		}
	}
}

// handled notes the newest message of a channel that was handled, and reports whether this one is newer than all before.
func (c *Receiver) handled(guild, channel, message string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.seen) >= maxPlaces {
		clear(c.seen) // the age of what is looked for limits how much is read again
	}
	last, known := c.seen[channel]
	if known && !newer(message, last.message) {
		return false
	}
	c.seen[channel] = sighting{guild, message}
	return true
}

// baseline is the message after which a channel may hold some that nobody handled.
func (c *Receiver) baseline(channel, guild string) string {
	oldest := idAt(c.looksBack(channel, guild))
	c.mu.Lock()
	defer c.mu.Unlock()
	if last, known := c.seen[channel]; known && newer(last.message, oldest) {
		return last.message
	}
	return oldest
}

// Asked notes that a message was taken in as a question: its deletion counts from now on, and after an interruption its thread is
// looked at for what was missed.
func (c *Receiver) Asked(m Message) {
	c.reader.roots.set(string(m.ID), m.Ref.Thread)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.active) >= maxPlaces {
		clear(c.active)
	}
	c.active[m.Ref.Thread] = activity{m.Ref.Workspace, time.Now()}
}

// recent lists the threads in which something was asked a short while ago, with their servers.
func (c *Receiver) recent() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make(map[string]string)
	for id, a := range c.active {
		if time.Since(a.at) < c.discord.config.Recent {
			list[id] = a.guild
		} else {
			delete(c.active, id)
		}
	}
	return list
}

// maxVisited is how many channels are looked at after a new session began because people wrote there; servers tell of the others.
const maxVisited = 100

// visited lists the channels in which something was written a short while ago, with their servers: all direct conversations among them,
// of which nobody tells whether something is new.
func (c *Receiver) visited() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	oldest := idAt(time.Now().Add(-c.discord.config.Recent))
	list := make(map[string]string)
	for id, s := range c.seen {
		if s.guild == "" || len(list) < maxVisited && newer(s.message, oldest) {
			list[id] = s.guild
		}
	}
	return list
}

// longAgo is how far back threads and direct conversations are looked into: there are few messages in them, and they go on for days.
const longAgo = 24 * time.Hour

// looksBack is since when a channel is looked into for what nobody was there for.
func (c *Receiver) looksBack(channel, guild string) time.Time {
	ago := c.discord.config.Recent
	if p, known := c.directory.peek(channel); known && p.thread || !known && guild == "" {
		ago = max(ago, longAgo)
	}
	return time.Now().Add(-ago)
}
