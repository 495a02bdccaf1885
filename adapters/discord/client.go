package discord

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/gorilla/websocket"
)

// handshakeLimit bounds the opening of a WebSocket.
const handshakeLimit = 20 * time.Second

// Platform is Discord's name in thread references.
const Platform thread.Platform = "discord"

// Config sets a client up. Only Token is required; zero fields take the defaults given.
type Config struct {
	Token   string
	APIURL  string // DISCORD_API_URL: replaces https://discord.com/api, without a version
	Gateway GatewayConfig
	// CommandGuilds are the servers to which the commands are registered; none: everywhere, direct messages included.
	CommandGuilds []string
	// NoGateway takes only interactions, as signed requests (Handler): no messages and no reactions.
	NoGateway bool
	Interval  time.Duration // between two edits of one answer: 1.25 s
	// TokenLife is how long an interaction may be answered through its token: 15 min. A fifteenth of it is left unused.
	TokenLife time.Duration
	// Recent is how far back messages are looked for in channels that arrived while the bot was not connected: 2 h. In threads and direct
	// conversations it is a day at least.
	Recent time.Duration
	// StopReactions are the emoji that stop an answer: as they look, or a server's own by name or id. None: 🛑 and ⏹️.
	StopReactions []string
	// PublicKey is the application's, in hexadecimal: interactions come as signed requests (Handler). Empty: none do.
	PublicKey string
	// SecretKeys seal interaction tokens in the store: the first seals, all open. None: a key derived from Token.
	SecretKeys []string
	CAFile     string // of certificate authorities that are trusted beside the system's
	// Wrap, if set, is put around the transport of all calls of the API, to count them for example.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Changes tells other replicas of changes in who may read; nil: this process is the only one.
	Changes access.Changes
	Logger  *slog.Logger // nil: silent
}

func (c *Config) setDefaults() {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&c.Gateway.OpenLimit, defaultOpenLimit}, {&c.Gateway.Retry, firstRetry}, {&c.Gateway.Identify, identifyEvery},
		{&c.Interval, 1250 * time.Millisecond}, {&c.TokenLife, 15 * time.Minute}, {&c.Recent, 2 * time.Hour},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	if len(c.StopReactions) == 0 {
		c.StopReactions = []string{"🛑", "⏹️"}
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
	address   *url.URL // of the API
	key       ed25519.PublicKey
	files     *http.Client // fetches attachments

	mu        sync.Mutex
	bot       string // the bot's own id, once connected
	app       string
	shards    int                                                       // into which the bot's servers are divided
	connected map[int]bool                                              // shards whose events arrive
	guilds    map[int][]string                                          // by shard: to which servers the bot belongs, once that is known
	active    map[string]activity                                       // threads in which something was asked
	seen      map[string]sighting                                       // channels in which messages were handled
	acks      map[string]chan struct{}                                  // by interaction: closed when it is acknowledged
	inbound   func(*discordgo.Interaction, *discordgo.Channel, *inline) // takes an interaction that a request brought; nil while not running
}

// activity is when something was last asked in a thread, and the server to which that belongs.
type activity struct {
	guild string
	at    time.Time
}

// sighting is the newest message of a channel that was handled.
type sighting struct{ guild, message string }

// New returns a client. Nothing is sent before Run or Check.
func New(config Config) (*Client, error) {
	config.setDefaults()
	address, err := parseAPI(config.APIURL)
	var key ed25519.PublicKey
	if config.PublicKey != "" {
		var fault error
		key, fault = parsePublicKey(config.PublicKey)
		err = errors.Join(err, fault)
	}
	trusted, fault := outhttp.Trust(config.CAFile)
	err = errors.Join(err, fault)
	if config.Token == "" {
		err = errors.Join(err, errors.New("DISCORD_BOT_TOKEN is not set"))
	}
	if err != nil {
		return nil, fmt.Errorf("set up Discord: %w", err)
	}
	base := http.DefaultTransport.(*http.Transport).Clone() // with the proxy of the environment
	base.TLSClientConfig = trusted
	base.MaxIdleConnsPerHost = 16
	calls := http.RoundTripper(base)
	if config.Wrap != nil {
		calls = config.Wrap(base)
	}
	l := newLimits()
	a, err := newAPI(config.Token, &transport{api: address, base: calls, limits: l}, l)
	if err != nil {
		return nil, err
	}
	seal, err := newSealer(config.Token, config.SecretKeys)
	if err != nil {
		return nil, err
	}
	return &Client{
		config: config, api: a, dialer: &websocket.Dialer{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: trusted.Clone(), HandshakeTimeout: handshakeLimit,
		}, limits: l, directory: newDirectory(a, config.Changes, config.Gateway.Members && !config.NoGateway), sealer: seal,
		address: address, key: key, files: &http.Client{Transport: base, Timeout: filesLimit, CheckRedirect: stay},
		roots: newRoots(a), logger: config.Logger, shards: 1,
		connected: make(map[int]bool), guilds: make(map[int][]string), seen: make(map[string]sighting), active: make(map[string]activity),
		acks: make(map[string]chan struct{}),
	}, nil
}

// stay follows no redirection: a file's address leads to the file.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Handler decides about what happens on Discord. Its methods are called from several goroutines, in order for what happens in one
// channel.
type Handler interface {
	Servers
	// Message is told of new messages, Edited of ones that were changed, with what they say now.
	Message(ctx context.Context, m Message)
	Edited(ctx context.Context, m Message)
	// Stop is told of stop reactions and of deleted messages.
	Stop(ctx context.Context, s Stop)
	Interactor
}

// Servers is told of the servers that the bot belongs to.
type Servers interface {
	// Guilds tells to which servers the bot belongs, after each connect.
	Guilds(ctx context.Context, ids []string)
	// Joined tells that the bot belongs to a server: once for each after connecting, and when it is added to one.
	Joined(ctx context.Context, id string)
}

// Interactor is told of interactions. Each is to be answered within three seconds.
type Interactor interface {
	Command(ctx context.Context, c Command)
	Press(ctx context.Context, p Press)
	// Suggest returns values for an option that somebody is typing.
	Suggest(ctx context.Context, t Typing) []string
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
	handling.Go(func() { c.keepHearing(ctx) })
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
	c.planned(c.shards)
	return err
}

func (c *Client) setInbound(take func(*discordgo.Interaction, *discordgo.Channel, *inline)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inbound = take
}

// listen delivers events until ctx ends.
func (c *Client) listen(ctx context.Context, deliver func(shard int, event any)) error {
	if !c.config.NoGateway {
		g := &Gateway{config: c.config.Gateway, api: c.api, dialer: c.dialer, logger: c.logger, planned: c.planned, deliver: deliver}
		return g.run(ctx)
	}
	ready, err := c.introduce(ctx)
	if err != nil {
		return err
	}
	deliver(0, ready)
	for _, g := range ready.Guilds {
		if err := c.Survey(ctx, g.ID); err != nil { // what is not known is asked for when it matters
			c.logger.WarnContext(ctx, "server not looked at", "guild", g.ID, "error", err)
		}
		deliver(0, &joined{guild: g.ID})
	}
	<-ctx.Done()
	return nil
}

// joined stands in the place of GUILD_CREATE where there is no gateway.
type joined struct{ guild string }

// introduce asks what the gateway would have said first: who the bot is and where it belongs.
func (c *Client) introduce(ctx context.Context) (*discordgo.Ready, error) {
	ready := &discordgo.Ready{Application: &discordgo.Application{}}
	for wait := c.config.Gateway.Retry; ; wait = min(2*wait, lastRetry) {
		var err error
		for _, r := range []struct {
			request
			out any
		}{
			{request{doing: "look up the bot", method: http.MethodGet, url: discordgo.EndpointUser("@me"), bucket: "GET me"}, &ready.User},
			{request{doing: "list the bot's servers", method: http.MethodGet, url: discordgo.EndpointUserGuilds("@me"), bucket: "GET guilds"}, &ready.Guilds},
		} {
			if err == nil {
				err = c.api.do(ctx, r.request, r.out)
			}
		}
		if err == nil {
			ready.Application.ID, err = c.Application(ctx)
		}
		var stated *apiError
		switch {
		case err == nil, ctx.Err() != nil:
			return ready, nil
		case errors.As(err, &stated) && stated.status == http.StatusUnauthorized:
			return nil, &FatalError{Sentence: fatalSentences[closeNotAuthenticated], Code: closeNotAuthenticated}
		}
		c.logger.WarnContext(ctx, "Discord does not say who the bot is", "error", err, "again_in", wait.String())
		if sleep.For(ctx, jitter(wait)) != nil {
			return ready, nil
		}
	}
}

// Use has the bot's share of calls drawn from tiers that other processes draw from too. It is called once, before Run; without it each
// process takes its part.
func (c *Client) Use(tiers thread.Tiers) { c.limits.budget.use(tiers, globalKey(c.config.Token)) }

// Share says how many processes serve the bot, so that each takes no more than its part. It may change at any time.
func (c *Client) Share(processes int) { c.limits.budget.share(processes) }

// Close lets go of connections that are not in use. It is called last, when no Surface writes any more.
func (c *Client) Close() { c.api.client.CloseIdleConnections() }

// Shards tells of how many connections events arrive at present, of how many; 0 of 0 before it is known how many there are.
func (c *Client) Shards() (connected, of int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.connected), c.shards
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
func (c *Client) handled(guild, channel, message string) bool {
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
func (c *Client) baseline(channel, guild string) string {
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
func (c *Client) Asked(m Message) {
	c.roots.set(string(m.ID), m.Ref.Thread)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.active) >= maxPlaces {
		clear(c.active)
	}
	c.active[m.Ref.Thread] = activity{m.Ref.Workspace, time.Now()}
}

// recent lists the threads in which something was asked a short while ago, with their servers.
func (c *Client) recent() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make(map[string]string)
	for id, a := range c.active {
		if time.Since(a.at) < c.config.Recent {
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
func (c *Client) visited() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	oldest := idAt(time.Now().Add(-c.config.Recent))
	list := make(map[string]string)
	for id, s := range c.seen {
		if s.guild == "" || len(list) < maxVisited && newer(s.message, oldest) {
			list[id] = s.guild
		}
	}
	return list
}

// GuildName returns the name of a server, or its id where it is not known.
func (c *Client) GuildName(id string) string { return c.directory.guildName(id) }

// Say answers a message with a sentence, beside the answer to a question. It returns the id of what was said.
func (c *Client) Say(ctx context.Context, to Message, text string) (Note, error) {
	return c.tell(ctx, to, text, nil)
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
