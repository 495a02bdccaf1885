package call

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Platform identifies Discord in references to threads.
const Platform thread.Platform = "discord"

// Config configures a Discord bot. Only Token is required. A zero field means its default, which
// the field's comment states.
type Config struct {
	Token   string
	APIURL  string // DISCORD_API_URL: replaces https://discord.com/api, without a version
	Gateway GatewayConfig
	// CommandGuilds are the servers in which to register the commands. If it is empty, the commands
	// are registered everywhere, including direct messages.
	CommandGuilds []string
	// NoGateway disables the gateway. The bot then receives only interactions, as signed requests
	// (Handler). It receives no messages and no reactions.
	NoGateway bool
	Interval  time.Duration // minimum time between two edits of one answer: 1.25 s
	// TokenLife is how long an interaction's token is valid. The default is 15 min. The bot stops
	// using the token when a fifteenth of that time is left.
	TokenLife time.Duration
	// Recent is how far back the bot looks for messages that arrived while it was disconnected. The
	// default is 2 h. In threads and direct messages it looks back at least a day.
	Recent time.Duration
	// StopReactions are the emoji that stop an answer. Each entry is an emoji, or the name or id of
	// a server's emoji. The default is 🛑 and ⏹️.
	StopReactions []string
	// PublicKey is the application's public key in hexadecimal. It verifies interactions that
	// arrive as signed requests (Handler). If it is empty, such requests are rejected.
	PublicKey string
	// SecretKeys encrypt interaction tokens in the store. The first key encrypts, and all keys
	// decrypt. If it is empty, a key derived from Token is used.
	SecretKeys []string
	// History is the time between two calls that read messages for the index. The default is 200
	// ms.
	History time.Duration
	CAFile  string // certificate authorities in addition to the system's
	// Wrap, if set, wraps the transport of all API calls, for example to count them.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Changes notifies other replicas of permission changes. It is nil if there are no other
	// replicas.
	Changes access.Changes
	Logger  *slog.Logger // nil: silent
	// MaxFileTokens limits the total text of a message's files, in tokens. The default is 100,000.
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

const (
	defaultOpenLimit = 30 * time.Second
	firstRetry       = time.Second
	LastRetry        = time.Minute
)

// GatewayConfig configures the connection to Discord's gateway. A zero field means its default,
// which the field's comment states.
type GatewayConfig struct {
	// do not request the MESSAGE CONTENT intent; follow-ups then need a mention
	NoMessageContent bool
	Members          bool          // request the SERVER MEMBERS intent
	OpenLimit        time.Duration // time for one attempt to connect: 30 s
	// wait before the second attempt to connect; it doubles with each failure, up to a minute;
	// default 1 s
	Retry    time.Duration
	Identify time.Duration // minimum time between two new sessions: 5.25 s
	// number of connections that share the servers; by default as many as Discord recommends
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

// Privileged returns the names of the requested privileged intents. An operator has to enable them
// in Discord.
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

// Without returns the end of a sentence that tells an operator how to run without the privileged
// intents. For example, it returns ", or set DISCORD_MEMBERS=false: …".
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

// identifyEvery is the default of GatewayConfig.Identify, the minimum time between two new
// sessions. Discord requires 5 s.
const identifyEvery = 5250 * time.Millisecond
