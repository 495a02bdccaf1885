package discord

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/gorilla/websocket"
)

// handshakeLimit bounds the opening of a WebSocket.
const handshakeLimit = 20 * time.Second

// Platform is Discord's name in thread references.
const Platform thread.Platform = "discord"

// Config sets a client up. Only Token is required; zero fields take the defaults given.
type Config struct {
	Token    string
	APIURL   string // DISCORD_API_URL: replaces https://discord.com/api, without a version
	Gateway  GatewayConfig
	InPlace  bool          // answer in the channel, as a reply, instead of in a thread of its own
	Interval time.Duration // between two edits of one answer: 1.25 s
	// TokenLife is how long an interaction may be answered through its token: 15 min. A fifteenth of it is left unused.
	TokenLife time.Duration
	// Recent is how far back messages are looked for that arrived while the bot was not connected: 15 min.
	Recent time.Duration
	TLS    *tls.Config  // nil: the system's certificate authorities
	Logger *slog.Logger // nil: silent
}

func (c *Config) setDefaults() {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&c.Gateway.OpenLimit, defaultOpenLimit}, {&c.Gateway.Retry, firstRetry}, {&c.Gateway.Identify, identifyEvery},
		{&c.Interval, 1250 * time.Millisecond}, {&c.TokenLife, 15 * time.Minute}, {&c.Recent, 15 * time.Minute},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
}

// Client is one bot on Discord: what happens there goes to a Handler, what is written goes through Surfaces. It is safe for concurrent
// use.
type Client struct {
	config    Config
	api       *api
	dialer    *websocket.Dialer
	limits    *limits
	directory *directory
	sealer    sealer
	roots     *roots
	logger    *slog.Logger

	mu        sync.Mutex
	bot       string // the bot's own id, once connected
	app       string
	shards    int                      // into which the bot's servers are divided
	connected map[int]bool             // shards whose events arrive
	guilds    map[int][]string         // by shard: to which servers the bot belongs, once that is known
	active    map[string]time.Time     // threads, to when something was last asked there
	seen      map[string]string        // channel to the last message that was handled
	acks      map[string]chan struct{} // by interaction: closed when it is acknowledged
}

// New returns a client. Nothing is sent before Run or Check.
func New(config Config) (*Client, error) {
	config.setDefaults()
	address, err := parseAPI(config.APIURL)
	if config.Token == "" {
		err = errors.Join(err, errors.New("DISCORD_BOT_TOKEN is not set"))
	}
	if err != nil {
		return nil, fmt.Errorf("set up Discord: %w", err)
	}
	base := http.DefaultTransport.(*http.Transport).Clone() // with the proxy of the environment
	base.TLSClientConfig = config.TLS
	base.MaxIdleConnsPerHost = 16
	l := newLimits()
	a, err := newAPI(config.Token, &transport{api: address, base: base, limits: l}, l)
	if err != nil {
		return nil, err
	}
	seal, err := newSealer(config.Token)
	if err != nil {
		return nil, err
	}
	return &Client{
		config: config, api: a, dialer: &websocket.Dialer{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: config.TLS, HandshakeTimeout: handshakeLimit,
		}, limits: l, directory: newDirectory(a), sealer: seal,
		roots: newRoots(a), logger: config.Logger, shards: 1, connected: make(map[int]bool), guilds: make(map[int][]string), seen: make(map[string]string), active: make(map[string]time.Time), acks: make(map[string]chan struct{}),
	}, nil
}

// Handler decides about what happens on Discord. Its methods are called from several goroutines, in order for what happens in one
// channel.
type Handler interface {
	// Guilds tells to which servers the bot belongs, after each connect.
	Guilds(ctx context.Context, ids []string)
	// Joined tells that the bot was added to a server.
	Joined(ctx context.Context, id string)
	Message(ctx context.Context, m Message)
	Command(ctx context.Context, c Command)
	// Stop is told of stop reactions and of deleted messages.
	Stop(ctx context.Context, s Stop)
}

// Run stays connected and hands events to h until ctx ends; then it returns nil once no call of h runs any more. A FatalError says what
// has to be changed before it can work.
func (c *Client) Run(ctx context.Context, h Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events := make(chan arrival, 8192)
	in := newIntake(c, h)
	var handling sync.WaitGroup
	handling.Go(func() { in.run(ctx, events) })
	g := &Gateway{config: c.config.Gateway, api: c.api, dialer: c.dialer, logger: c.logger, planned: c.planned, deliver: func(shard int, event any) {
		select {
		case events <- arrival{shard, event}:
		case <-ctx.Done():
		}
	}}
	err := g.run(ctx)
	cancel()
	handling.Wait()
	c.planned(c.shards)
	return err
}

// Close lets go of connections that are not in use. It is called last, when no Surface writes any more.
func (c *Client) Close() { c.api.client.CloseIdleConnections() }

// Connected reports whether all events arrive at present, for health checks.
func (c *Client) Connected() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.connected) == c.shards
}

func (c *Client) setConnected(shard int, yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if yes {
		c.connected[shard] = true
	} else {
		delete(c.connected, shard)
	}
}

// planned notes that the bot will connect by so many shards, none of which is connected yet.
func (c *Client) planned(shards int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shards = shards
	clear(c.connected)
	clear(c.guilds)
}

// self returns the bot's own id.
func (c *Client) self() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bot
}

// welcome notes who the bot is and to which servers a shard belongs. It returns all servers once every shard has told its own.
func (c *Client) welcome(shard int, r *discordgo.Ready) (guilds []string, complete bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.connected[shard] = true
	if r.User != nil {
		c.bot, c.app = r.User.ID, r.User.ID
	}
	if r.Application != nil && r.Application.ID != "" {
		c.app = r.Application.ID
	}
	c.guilds[shard] = nil
	for _, g := range r.Guilds {
		c.guilds[shard] = append(c.guilds[shard], g.ID)
	}
	for _, own := range c.guilds {
		guilds = append(guilds, own...)
	}
	return guilds, len(c.guilds) == c.shards
}

// handled notes the newest message of a channel that was handled, and reports whether this one is newer than all before.
func (c *Client) handled(channel, message string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.seen) >= maxPlaces {
		clear(c.seen) // the age of what is looked for limits how much is read again
	}
	last, known := c.seen[channel]
	if known && !newer(message, last) {
		return false
	}
	c.seen[channel] = message
	return true
}

// baseline is the message after which a channel may hold some that nobody handled.
func (c *Client) baseline(channel string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	oldest := idAt(time.Now().Add(-c.config.Recent))
	if last, known := c.seen[channel]; known && newer(last, oldest) {
		return last
	}
	return oldest
}

// Asked notes that a message was taken in as a question: its deletion counts from now on, and after an interruption its thread is
// looked at for what was missed.
func (c *Client) Asked(m Message) {
	c.roots.set(string(m.ID), m.Ref.Thread)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.active) >= maxPlaces {
		clear(c.active)
	}
	c.active[m.Ref.Thread] = time.Now()
}

// recent lists the threads in which something was asked a short while ago.
func (c *Client) recent() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ids []string
	for id, at := range c.active {
		if time.Since(at) < c.config.Recent {
			ids = append(ids, id)
		} else {
			delete(c.active, id)
		}
	}
	return ids
}

// IsMember reports whether somebody is a full member of a server. The answer may be some minutes old.
func (c *Client) IsMember(ctx context.Context, guild, user string) (bool, error) {
	return c.directory.isMember(ctx, guild, user)
}

// GuildName returns the name of a server, or its id where it is not known.
func (c *Client) GuildName(id string) string { return c.directory.guildName(id) }

// Say answers a message with a sentence, beside the answer to a question. It returns the id of what was said.
func (c *Client) Say(ctx context.Context, to Message, text string) (Note, error) {
	var made posted
	body := sentence(text)
	body.Reference = &reference{MessageID: string(to.ID)}
	err := c.api.do(ctx, request{
		doing: "say something", method: http.MethodPost, url: discordgo.EndpointChannelMessages(to.channel), bucket: createBucket(to.channel),
		body: body,
	}, &made)
	return Note{channel: to.channel, id: made.ID}, err
}

// Note is something that was said beside an answer.
type Note struct{ channel, id string }

// Unsay takes a note back. One that has gone is no error.
func (c *Client) Unsay(ctx context.Context, n Note) error {
	err := c.api.do(ctx, request{
		doing: "take something back", method: http.MethodDelete, url: discordgo.EndpointChannelMessage(n.channel, n.id),
		bucket: "DELETE messages " + n.channel,
	}, nil)
	if errors.Is(err, thread.ErrMessageGone) {
		return nil
	}
	return err
}
