// Package call makes Discord's API calls within the rate limits, and translates errors. It tracks
// the bot's identity and connected shards. It does not interpret or render messages.
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
	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/footnotehq/footnote/adapters/internal/pace"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/gorilla/websocket"
)

const handshakeLimit = 20 * time.Second

// Bot holds the API client and rate limits of one bot, its identity, and its connected shards. It
// is safe for concurrent use.
type Bot struct {
	Config  Config
	API     *API
	Dialer  *websocket.Dialer
	Limits  *limits
	Logger  *slog.Logger
	Address *url.URL // of the API
	Key     ed25519.PublicKey
	Files   *http.Client // fetches attachments; the caller limits the time
	// Histories limits the calls that read messages for the index.
	Histories *pace.Part

	mu        sync.Mutex
	bot       string // the bot's own id, once connected
	app       string
	shards    int              // total number; the bot's servers are divided among them
	connected map[int]bool     // shards whose events currently arrive
	guilds    map[int][]string // the bot's servers by shard, once known
}

// NewBot returns a bot with the given configuration, or an error if the configuration is invalid.
// It makes no API calls.
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
		Files:     &http.Client{Transport: base, CheckRedirect: refuseRedirect},
		Histories: pace.Quota{Every: cmp.Or(max(config.History, 0), historyQuota.Every), Burst: historyQuota.Burst}.Part(),
		shards:    1, connected: make(map[int]bool), guilds: make(map[int][]string),
	}, nil
}

// Is records the bot's own user id.
func (c *Bot) Is(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bot = id
}

// AppKnown returns the id of the bot's application, or an empty string if it is not known yet.
func (c *Bot) AppKnown() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.app
}

func parsePublicKey(s string) (ed25519.PublicKey, error) {
	key, err := hex.DecodeString(s)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, errors.New("DISCORD_PUBLIC_KEY is not a public key: copy the 64 characters from the Developer Portal (General Information → Public Key)")
	}
	return key, nil
}

// refuseRedirect makes an http.Client return a redirect response instead of following it.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Use makes the bot count its API calls in tiers, a rate limiter that all processes of the bot
// share. Call it once, before Run. Without it, each process is limited to an equal part of the
// bot's rate.
func (c *Bot) Use(tiers thread.Tiers) { c.Limits.budget.use(tiers, globalKey(c.Config.Token)) }

// Share sets the number of processes that serve the bot. Rate limits that the processes do not
// share are divided by this number. Share may be called at any time.
func (c *Bot) Share(processes int) {
	c.Limits.budget.share(processes)
	c.Histories.Share(max(processes, 1))
}

// Close closes idle HTTP connections. Call it after all messages have been written.
func (c *Bot) Close() { c.API.client.CloseIdleConnections() }

// Shards returns the number of shards (gateway connections) that receive events now, and the total
// number of shards. The total is 1 until Discord has recommended a number.
func (c *Bot) Shards() (connected, of int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.connected), c.shards
}

// SetConnected records whether a shard receives events.
func (c *Bot) SetConnected(shard int, yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if yes {
		c.connected[shard] = true
	} else {
		delete(c.connected, shard)
	}
}

// Planned sets the total number of shards. It marks all of them as not connected and forgets which
// servers they serve.
func (c *Bot) Planned(shards int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shards = shards
	clear(c.connected)
	clear(c.guilds)
}

// Self returns the bot's own user id. It is empty until the READY event arrives or WhoAmI fetches
// the id.
func (c *Bot) Self() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bot
}

// Welcome handles the READY event of a shard: it stores the bot's identity and the shard's servers.
// guilds are the ids of all shards' servers. complete is true after every shard has received READY.
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

// JoinedBy records that a shard receives the events of a server.
func (c *Bot) JoinedBy(shard int, guildID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.guilds[shard], guildID) {
		c.guilds[shard] = append(c.guilds[shard], guildID)
	}
}

// Hears returns the ids of the servers whose shards are connected.
func (c *Bot) Hears() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []string
	for shard := range c.connected {
		list = append(list, c.guilds[shard]...)
	}
	return list
}

// Application fetches the id of the bot's application. The invite link needs this id.
func (c *Bot) Application(ctx context.Context) (string, error) {
	var app struct {
		ID string `json:"id"`
	}
	err := c.API.Do(ctx, Request{
		Doing: "look up the Discord application", Method: http.MethodGet, URL: discordgo.EndpointAPI + "applications/@me", Bucket: "GET application",
	}, &app)
	return app.ID, err
}

// WhoAmI returns the bot's own user id. It fetches the id if the READY event has not arrived yet.
func (c *Bot) WhoAmI(ctx context.Context) (string, error) {
	if id := c.Self(); id != "" {
		return id, nil
	}
	var me struct{ ID string }
	err := c.API.Do(ctx, Request{Doing: "look up the bot", Method: http.MethodGet, URL: discordgo.EndpointUser("@me"), Bucket: "GET me"}, &me)
	if err != nil {
		return "", err
	}
	c.Is(me.ID)
	return me.ID, nil
}
