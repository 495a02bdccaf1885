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

// Config sets a client up. Only Token is required; zero fields take the defaults given.
type Config struct {
	Token   string
	APIURL  string // DISCORD_API_URL: replaces https://discord.com/api, without a version
	Gateway GatewayConfig
	// CommandGuilds are the servers to which the commands are registered; none: everywhere, direct
	// messages included.
	CommandGuilds []string
	// NoGateway takes only interactions, as signed requests (Handler): no messages and no reactions.
	NoGateway bool
	Interval  time.Duration // between two edits of one answer: 1.25 s
	// TokenLife is how long an interaction may be answered through its token: 15 min. A fifteenth
	// of it is left unused.
	TokenLife time.Duration
	// Recent is how far back messages are looked for in channels that arrived while the bot was not
	// connected: 2 h. In threads and direct conversations it is a day at least.
	Recent time.Duration
	// StopReactions are the emoji that stop an answer: as they look, or a server's own by name or
	// id. None: 🛑 and ⏹️.
	StopReactions []string
	// PublicKey is the application's, in hexadecimal: interactions come as signed requests
	// (Handler). Empty: none do.
	PublicKey string
	// SecretKeys seal interaction tokens in the store: the first seals, all open. None: a key
	// derived from Token.
	SecretKeys []string
	// History is the time between two calls that read what is indexed: 200 ms.
	History time.Duration
	CAFile  string // certificate authorities besides the system's
	// Wrap, if set, is put around the transport of all calls of the API, to count them for example.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Changes tells other replicas of changes in who may read; nil: this process is the only one.
	Changes access.Changes
	Logger  *slog.Logger // nil: silent
	// MaxFileTokens is how much text the files of one message may have together, in tokens: 100,000.
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

// Times of the gateway.
const (
	defaultOpenLimit = 30 * time.Second
	firstRetry       = time.Second
	LastRetry        = time.Minute
)

// GatewayConfig sets the connection up. Zero fields take the defaults given.
type GatewayConfig struct {
	// do not ask for the MESSAGE CONTENT intent: follow-ups need a mention then
	NoMessageContent bool
	Members          bool          // ask for the SERVER MEMBERS intent
	OpenLimit        time.Duration // for one attempt to connect: 30 s
	// before the second attempt to connect, then doubling: 1 s; a new session waits up to five
	// times that
	Retry    time.Duration
	Identify time.Duration // between two sessions that begin: 5.25 s
	// connections among which servers are divided: as many as Discord recommends
	Shards int
}

// Intents is what the bot asks for.
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

// Privileged names the intents that have to be enabled by hand.
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

// Without says how to do without them.
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

// identifyEvery is how long the platform wants between two sessions that begin under the same key,
// with a little to spare.
const identifyEvery = 5250 * time.Millisecond
