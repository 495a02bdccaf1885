// Package call is how Discord is called: the API with the limits that it states, what its errors
// mean, who the bot is, and which of its connections stand. What is said, read or shown does not
// belong here.
package call

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/internal/attachment"
	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/footnotehq/footnote/adapters/internal/pace"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/gorilla/websocket"
)

// handshakeLimit bounds the opening of a WebSocket.
const handshakeLimit = 20 * time.Second

// Bot is one bot as it is called: its connection to the API with its limits, who it is, and which
// of its shards are connected. It is safe for concurrent use.
type Bot struct {
	Config  Config
	API     *API
	Dialer  *websocket.Dialer
	Limits  *limits
	Logger  *slog.Logger
	Address *url.URL // of the API
	Key     ed25519.PublicKey
	Files   *http.Client // fetches attachments
	// Histories is for what is read to be indexed.
	Histories *pace.Part

	mu        sync.Mutex
	bot       string // the bot's own id, once connected
	app       string
	shards    int              // into which the bot's servers are divided
	connected map[int]bool     // shards whose events arrive
	guilds    map[int][]string // by shard: to which servers the bot belongs, once that is known
}

// NewBot returns a bot. Nothing is sent before it is used.
func NewBot(config Config) (*Bot, error) {
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
		return nil, err
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
	return &Bot{
		Config: config, API: a, Limits: l, Logger: config.Logger, Address: address, Key: key,
		Dialer:    &websocket.Dialer{Proxy: http.ProxyFromEnvironment, TLSClientConfig: trusted.Clone(), HandshakeTimeout: handshakeLimit},
		Files:     &http.Client{Transport: base, Timeout: attachment.FetchLimit, CheckRedirect: stay},
		Histories: pace.Quota{Every: cmp.Or(max(config.History, 0), historyQuota.Every), Burst: historyQuota.Burst}.Part(),
		shards:    1, connected: make(map[int]bool), guilds: make(map[int][]string),
	}, nil
}

// Is says who the bot is.
func (c *Bot) Is(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bot = id
}

// AppKnown returns the id of the bot's application; empty where that is not known yet.
func (c *Bot) AppKnown() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.app
}

// parsePublicKey reads the key of the application's General Information page, with which Discord
// signs its requests.
func parsePublicKey(s string) (ed25519.PublicKey, error) {
	key, err := hex.DecodeString(s)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, errors.New("DISCORD_PUBLIC_KEY is not a public key: copy the 64 characters from the Developer Portal (General Information → Public Key)")
	}
	return key, nil
}

// stay follows no redirection: a file's address leads to the file.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Use has the bot's share of calls drawn from tiers that other processes draw from too. It is
// called once, before Run; without it each process takes its part.
func (c *Bot) Use(tiers thread.Tiers) { c.Limits.budget.use(tiers, globalKey(c.Config.Token)) }

// Share says how many processes serve the bot, so that each takes no more than its part. It may
// change at any time.
func (c *Bot) Share(processes int) {
	c.Limits.budget.share(processes)
	c.Histories.Share(max(processes, 1))
}

// Close lets go of connections that are not in use. It is called last, when no Surface writes any
// more.
func (c *Bot) Close() { c.API.client.CloseIdleConnections() }

// Shards tells of how many connections events arrive at present, of how many; 0 of 0 before it is
// known how many there are.
func (c *Bot) Shards() (connected, of int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.connected), c.shards
}

// SetConnected notes whether the events of a shard arrive.
func (c *Bot) SetConnected(shard int, yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if yes {
		c.connected[shard] = true
	} else {
		delete(c.connected, shard)
	}
}

// Planned notes that the bot will connect by so many shards, none of which is connected yet.
func (c *Bot) Planned(shards int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shards = shards
	clear(c.connected)
	clear(c.guilds)
}

// Self returns the bot's own id.
func (c *Bot) Self() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bot
}

// Welcome notes who the bot is and to which servers a shard belongs. It returns all servers once
// every shard has told its own.
func (c *Bot) Welcome(shard int, r *discordgo.Ready) (guilds []string, complete bool) {
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

// JoinedBy notes a server that a shard tells of.
func (c *Bot) JoinedBy(shard int, guildID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.guilds[shard], guildID) {
		c.guilds[shard] = append(c.guilds[shard], guildID)
	}
}

// Hears lists the ids of the servers whose events arrive.
func (c *Bot) Hears() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []string
	for shard := range c.connected {
		list = append(list, c.guilds[shard]...)
	}
	return list
}

// Application returns the id of the token's application, which the invite link needs. It asks
// Discord.
func (c *Bot) Application(ctx context.Context) (string, error) {
	var app struct {
		ID string `json:"id"`
	}
	err := c.API.Do(ctx, Request{
		Doing: "look up the Discord application", Method: http.MethodGet, URL: discordgo.EndpointAPI + "applications/@me", Bucket: "GET application",
	}, &app)
	return app.ID, err
}

// WhoAmI returns the bot's own id, which it asks for where it is not connected.
func (c *Bot) WhoAmI(ctx context.Context) (string, error) {
	if id := c.Self(); id != "" {
		return id, nil
	}
	var me struct{ ID string }
	err := c.API.Do(ctx, Request{Doing: "look up the bot", Method: http.MethodGet, URL: discordgo.EndpointUser("@me"), Bucket: "GET me"}, &me)
	return me.ID, err
}
