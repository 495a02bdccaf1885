// Package history reads the messages of a server's channels as documents. Each thread or forum post
// is one document. Outside threads, the messages of a channel are one document per day. The package
// does not read direct messages, private threads or the bot's own messages. It does not read
// threads that the bot opened for its answers.
package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/directory"
	"github.com/footnotehq/footnote/adapters/internal/transcript"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Kind identifies Discord as the kind of a document source.
const Kind document.Kind = "discord"

// Subject returns the subject of an index.Hint about a change in a channel. key is the id of the
// changed thread or message. If key is empty, the channel's permissions changed.
func Subject(channel, key string) string { return transcript.Subject(channel, key) }

// Reading configures which channels a source reads, how far back it reads, and how often.
type Reading = transcript.Options

// Options configures a connector for one server. Zero fields have their defaults.
type Options struct {
	Reading
	Guild string // id of the server
	// Open grants further access to the channels that every member of the server can open. It is
	// access.Members or access.Public. Empty means access.Members if Alone returns true. Otherwise
	// it grants no further access.
	Open access.Principal
	// Alone reports whether members of this server count as access.Members. Nil means that they do.
	Alone func(ctx context.Context) (bool, error)
}

func (o Options) validate() error {
	err := o.Validate()
	if timeOf(o.Guild).IsZero() {
		err = errors.Join(err, fmt.Errorf("%q is no id of a server: switch on Developer Mode in Discord (Settings → Advanced), and copy the id from the server's menu", o.Guild))
	}
	if o.Open != "" && o.Open != access.Members && o.Open != access.Public {
		err = errors.Join(err, fmt.Errorf("public channels are read by members or public, and not by %s", o.Open))
	}
	return err
}

// reading is the version of the rules that convert messages to documents. Increase it when the
// rules change. All messages are then read again.
const reading = 1

// Server reads messages of the bot's servers for the search index. All sources of a process use the
// same Server and share its rate limit. It is safe for concurrent use.
type Server struct {
	discord   *call.Bot
	directory *directory.Directory

	mu       sync.Mutex
	archives map[string]*archive // by source and channel; each is used by one run at a time
}

// NewServer returns a Server. It makes no API call. It uses only the API settings of config.
func NewServer(config call.Config) (*Server, error) {
	b, err := call.NewBot(config)
	if err != nil {
		return nil, err
	}
	return &Server{discord: b, directory: directory.NewDirectory(b), archives: make(map[string]*archive)}, nil
}

// New returns a connector for one source. The connector makes no API call before Sync.
func New(s *Server, options Options) (*transcript.Connector, error) {
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("set up Discord history: %w", err)
	}
	rules := transcript.Rules{Source: SourceOf(options.Name), Settings: fmt.Sprintf("discord history %d", reading), Absent: sayAbsent, At: timeOf}
	return transcript.New(&reader{Server: s, name: options.Name, guild: options.Guild, open: options.Open, isAlone: options.Alone}, rules, options.Reading)
}

const sayAbsent = "The bot can read no channel of this name or id: give its role View Channel and Read Message History there, or correct the name. Ids outlast renaming."

// SourceOf returns the source with the given name in the configuration.
func SourceOf(name string) document.Source {
	return document.Source{ID: document.SourceID("discord-" + name), Kind: Kind, Name: name}
}

// timeOf returns the creation time in an id. It returns the zero time if the text is not an id.
func timeOf(id string) time.Time {
	at, err := discordgo.SnowflakeTimestamp(id)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

type reader struct {
	*Server
	name    string // of the source
	guild   string
	open    access.Principal
	isAlone func(ctx context.Context) (bool, error)

	self     string
	alone    bool
	own      []string                     // roles that only the bot has
	channels map[string]discordgo.Channel // as last listed
	active   []post
	activeAt time.Time
}

var _ transcript.Platform = (*reader)(nil)

// Connect implements transcript.Platform.
func (r *reader) Connect(ctx context.Context) (string, error) {
	self, err := r.discord.WhoAmI(ctx)
	if err != nil {
		return "", r.revoked(err)
	}
	r.self, r.active, r.activeAt = self, nil, time.Time{}
	r.discord.Is(self)
	r.directory.Learn(&discordgo.Ready{User: &discordgo.User{ID: self}})
	return r.guild, nil
}

// Channels implements transcript.Platform.
func (r *reader) Channels(ctx context.Context) ([]transcript.Channel, error) {
	survey, err := r.discord.HistoryOf(ctx, r.guild)
	if err != nil {
		return nil, r.revoked(err)
	}
	if survey.Guild.Channels == nil {
		return nil, errors.New("list the server's channels: Discord's answer holds no list")
	}
	r.alone = true
	if r.isAlone != nil {
		if r.alone, err = r.isAlone(ctx); err != nil {
			return nil, err
		}
	}
	r.directory.Learn(survey)
	me, err := r.directory.MemberOf(ctx, r.guild, r.self)
	if err != nil {
		return nil, r.revoked(err)
	}
	r.own = r.directory.OwnRoles(r.guild)
	r.channels = make(map[string]discordgo.Channel)
	var found []transcript.Channel
	for _, c := range survey.Guild.Channels {
		if !slices.Contains(kinds, c.Type) {
			continue
		}
		reach := r.directory.Reach(c.ID, r.self, me.Roles)
		if !reach.Own {
			continue
		}
		r.channels[c.ID] = *c
		channel := transcript.Channel{ID: c.ID, Name: c.Name, Private: !reach.All, ACL: r.acl(c.ID, reach)}
		if !reach.Whole {
			channel.Barred = sayBarred
		}
		found = append(found, channel)
	}
	return found, nil
}

var kinds = []discordgo.ChannelType{
	discordgo.ChannelTypeGuildText, discordgo.ChannelTypeGuildNews, discordgo.ChannelTypeGuildForum, discordgo.ChannelTypeGuildMedia,
}

const sayBarred = "Not everybody who can open this channel may read what was said there earlier, so that it is not read: give @everyone Read Message History there."

func (r *reader) acl(channel string, reach directory.Reach) access.ACL {
	inside := access.Channel(string(call.Platform), channel)
	switch {
	case !reach.All, !r.alone && r.open == "":
		return access.ACL{inside}
	case r.open == access.Public:
		return access.ACL{access.Public}
	default:
		return access.ACL{inside, access.Members}
	}
}

// Reads implements transcript.Platform.
func (r *reader) Reads(ctx context.Context, channel string) (bool, error) {
	c, err := r.discord.OldChannel(ctx, channel)
	switch {
	case isGone(err):
		return false, nil
	case err != nil:
		return false, r.revoked(err)
	case c.GuildID != r.guild:
		return false, nil
	}
	r.directory.Learn(&discordgo.ChannelUpdate{Channel: c})
	me, err := r.directory.MemberOf(ctx, r.guild, r.self)
	return r.directory.Reach(channel, r.self, me.Roles).Own, err
}

// isGone reports whether an error means that the object does not exist, or that the bot cannot see
// it.
func isGone(err error) bool {
	return call.Code(err) == call.CodeUnknownChannel || call.Code(err) == call.CodeMissingAccess
}

// revoked adds index.ErrRevoked to err if Discord rejects the token or the bot left the server. All
// documents of the source are then hidden.
func (r *reader) revoked(err error) error {
	switch {
	case call.Status(err) == 401:
		return fmt.Errorf("%s (%w; %w)", call.FatalSentences[call.CloseNotAuthenticated], err, index.ErrRevoked)
	case call.Code(err) == call.CodeUnknownGuild, call.Code(err) == call.CodeMissingAccess:
		return fmt.Errorf("the bot is not in the server %s any more: invite it again (footnote discord invite), or take the source out of footnote.yaml (%w; %w)", r.guild, err, index.ErrRevoked)
	}
	return err
}
