package call

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Platform is Discord's name in thread references.
const Platform thread.Platform = "discord"

// Config sets up a client. Only Token is required; zero fields have the given defaults.
type Config struct {
	Token   string
	APIURL  string // DISCORD_API_URL: replaces https://discord.com/api, without a version
	Gateway GatewayConfig
	// CommandGuilds are the servers where the commands are registered. None means everywhere,
	// including direct messages.
	CommandGuilds []string
	// NoGateway makes the bot receive only interactions, as signed requests (Handler). It then gets
	// no messages and no reactions.
	NoGateway bool
	Interval  time.Duration // minimum time between two edits of one answer: 1.25 s
	// TokenLife is how long an interaction's token is valid: 15 min. The bot does not use the last
	// fifteenth of it.
	TokenLife time.Duration
	// Recent is how far back the bot looks for messages that arrived in channels while it was
	// disconnected: 2 h. In threads and direct messages it is at least a day.
	Recent time.Duration
	// StopReactions are the emoji that stop an answer: the emoji itself, or the name or id of a
	// server's emoji. None: 🛑 and ⏹️.
	StopReactions []string
	// PublicKey is the application's public key in hexadecimal. Interactions then arrive as signed
	// requests (Handler). Empty: none do.
	PublicKey string
	// SecretKeys encrypt interaction tokens in the store. The first key encrypts; all keys decrypt.
	// None: a key derived from Token.
	SecretKeys []string
	// History is the time between two calls that read messages for the index: 200 ms.
	History time.Duration
	CAFile  string // certificate authorities in addition to the system's
	// Wrap, if set, wraps the transport of all API calls, for example to count them.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Changes notifies other replicas of permission changes; nil if there are none.
	Changes access.Changes
	Logger  *slog.Logger // nil: silent
	// MaxFileTokens limits the text of a message's files together, in tokens: 100,000.
	MaxFileTokens int
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

// Times and limits of the gateway.
const (
	defaultOpenLimit = 30 * time.Second
	firstRetry       = time.Second
	LastRetry        = time.Minute
)

// GatewayConfig sets up the gateway connection. Zero fields have the given defaults.
type GatewayConfig struct {
	// do not request the MESSAGE CONTENT intent; follow-ups then need a mention
	NoMessageContent bool
	Members          bool          // request the SERVER MEMBERS intent
	OpenLimit        time.Duration // time for one attempt to connect: 30 s
	// wait before the second attempt to connect, then doubling: 1 s; up to five times that before a
	// new session
	Retry    time.Duration
	Identify time.Duration // minimum time between two new sessions: 5.25 s
	// number of connections that share the servers: as many as Discord recommends
	Shards int
}

// Intents returns the gateway intents that the bot requests.
func (c GatewayConfig) Intents() discordgo.Intent {
	intents := discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentGuildMessageReactions |
		discordgo.IntentDirectMessages | discordgo.IntentDirectMessageReactions
	if !c.NoMessageContent {
		intents |= discordgo.IntentMessageContent
	}
	if c.Members {
		intents |= discordgo.IntentGuildMembers
	}
	return intents
}

// Privileged returns the names of the requested intents that an operator has to enable in Discord.
func (c GatewayConfig) Privileged() string {
	switch {
	case c.Members && !c.NoMessageContent:
		return "MESSAGE CONTENT INTENT and SERVER MEMBERS INTENT"
	case c.Members:
		return "SERVER MEMBERS INTENT"
	default:
		return "MESSAGE CONTENT INTENT"
	}
}

// Without says how to run without the privileged intents.
func (c GatewayConfig) Without() string {
	var ways string
	if !c.NoMessageContent {
		ways += ", or set DISCORD_MESSAGE_CONTENT=false: then follow-ups in a thread need a mention"
	}
	if c.Members {
		ways += ", or set DISCORD_MEMBERS=false: then servers see public documents only"
	}
	return ways
}

// identifyEvery is the minimum time between two new sessions under the same key, with a small
// margin.
const identifyEvery = 5250 * time.Millisecond
