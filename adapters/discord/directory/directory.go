// Package directory caches servers, channels, roles and members. It computes who may open which
// channel, and reports changes. It writes nothing to Discord.
package directory

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
	"golang.org/x/sync/singleflight"
)

// Directory caches the servers, channels, roles and members that gateway events report. It fetches
// missing entries. It is safe for concurrent use.
type Directory struct {
	discord *call.Bot
	// how long a membership is trusted if no event reports a change
	age     time.Duration
	changes access.Changes // nil if this process is the only replica
	asking  singleflight.Group

	mu     sync.Mutex
	bot    string // the bot's id, once connected
	guilds map[string]*guild
	places map[string]Place // channels and threads
	member map[[2]string]membership

	versions map[string]access.Version // by server: the version before its data was fetched
	learned  uint64                    // number of changes so far
	// scopes whose change other replicas do not know yet, by server, with the number of the last
	// change
	owed map[string]map[string]uint64
}

type guild struct {
	name  string
	owner string
	roles map[string]role
}

type role struct {
	name        string
	permissions int64
	position    int
	managed     bool // by an integration such as a bot
}

// Place is a channel or thread of a server.
type Place struct {
	ID, Guild, Parent, Name string
	Owner                   string // who opened the thread
	Thread                  bool
	Enclosed                bool // a private thread: few people of its channel can open it
	Forum                   bool // its threads are posts
	Text                    bool // people write in it
	overwrites              []*discordgo.PermissionOverwrite
}

type membership struct {
	in    bool // a full member, who has accepted the server's rules
	Roles []string
	until time.Time

	// version from before the fetch; empty if an event reported the membership, because a fetch
	// must then confirm it if there are other replicas
	version access.Version
}

const (
	// membershipAge is the lifetime of a cached membership if the bot receives member events.
	// Otherwise the lifetime is unheardAge.
	membershipAge = 5 * time.Minute
	unheardAge    = time.Minute
	MaxPlaces     = 50_000
)

// NewDirectory returns an empty directory of a bot. Events and look-ups fill it.
func NewDirectory(b *call.Bot) *Directory {
	age := unheardAge
	if b.Config.Gateway.Members && !b.Config.NoGateway {
		age = membershipAge
	}
	return &Directory{
		discord: b, age: age, changes: b.Config.Changes, guilds: make(map[string]*guild), places: make(map[string]Place), member: make(map[[2]string]membership),
		versions: make(map[string]access.Version), owed: make(map[string]map[string]uint64),
	}
}

// Learn updates the cache from a gateway event. If the event may change permissions, Learn records
// the change for other replicas, which may have missed the event. A GUILD_CREATE event, with which
// each session begins, counts only if it changes cached data.
func (d *Directory) Learn(event any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	guildID := serverOf(event)
	before := d.digest(guildID)
	d.apply(event)
	if _, whole := event.(*discordgo.GuildCreate); guildID != "" && (!whole || before != "" && before != d.digest(guildID)) {
		d.markChanged(guildID, access.Everything)
	}
}

// apply updates the cache from a gateway event. The caller must hold the lock.
func (d *Directory) apply(event any) {
	switch e := event.(type) {
	case *discordgo.Ready:
		if e.User != nil {
			d.bot = e.User.ID
		}
		for _, g := range e.Guilds { // in a new session, no event reports missed changes of members
			delete(d.versions, g.ID)
			maps.DeleteFunc(d.member, func(key [2]string, _ membership) bool { return key[0] == g.ID && key[1] != d.bot })
		}
	case *discordgo.GuildCreate:
		if e.Unavailable {
			return // an outage: keep the cached data
		}
		d.learnGuild(e.Guild)
		maps.DeleteFunc(d.places, func(_ string, p Place) bool { return p.Guild == e.ID && !p.Thread })
		for _, c := range append(e.Channels, e.Threads...) {
			c.GuildID = e.ID
			d.remember(c)
		}
		for _, m := range e.Members {
			if m.User != nil {
				d.cacheMember(e.ID, m.User.ID, m, false)
			}
		}
	case *discordgo.GuildUpdate:
		d.learnGuild(e.Guild)
	case *discordgo.GuildDelete:
		if !e.Unavailable { // in an outage, the bot is still a member
			d.forget(e.ID)
		}
	case *discordgo.GuildRoleCreate:
		d.learnRole(e.GuildID, e.Role)
	case *discordgo.GuildRoleUpdate:
		d.learnRole(e.GuildID, e.Role)
	case *discordgo.GuildRoleDelete:
		if g := d.guilds[e.GuildID]; g != nil {
			delete(g.roles, e.RoleID)
		}
	case *discordgo.GuildMemberUpdate:
		if e.Member != nil && e.User != nil {
			d.cacheMember(e.GuildID, e.User.ID, e.Member, true)
		}
	case *discordgo.GuildMemberRemove:
		if e.Member != nil && e.User != nil {
			d.member[[2]string{e.GuildID, e.User.ID}] = membership{until: time.Now().Add(d.age)}
			d.markChanged(e.GuildID, e.User.ID)
		}
	case *discordgo.GuildMemberAdd:
		if e.Member != nil && e.User != nil {
			d.cacheMember(e.GuildID, e.User.ID, e.Member, true)
		}
	case *discordgo.MessageCreate:
		if e.Member != nil && e.Author != nil && e.WebhookID == "" {
			d.cacheMember(e.GuildID, e.Author.ID, e.Member, false)
		}
	case *discordgo.ChannelCreate:
		d.remember(e.Channel)
	case *discordgo.ChannelUpdate:
		d.remember(e.Channel)
	case *discordgo.ThreadCreate:
		d.remember(e.Channel)
	case *discordgo.ThreadUpdate:
		d.remember(e.Channel)
	case *discordgo.ChannelDelete:
		delete(d.places, e.ID)
	case *discordgo.ThreadDelete:
		delete(d.places, e.ID)
	}
}

// forget deletes the data of a server that the bot has left. The caller must hold the lock.
func (d *Directory) forget(guildID string) {
	delete(d.guilds, guildID)
	maps.DeleteFunc(d.member, func(key [2]string, _ membership) bool { return key[0] == guildID })
	maps.DeleteFunc(d.places, func(_ string, p Place) bool { return p.Guild == guildID })
}

func (d *Directory) learnGuild(g *discordgo.Guild) {
	known := &guild{name: g.Name, owner: g.OwnerID, roles: make(map[string]role)}
	for _, r := range g.Roles {
		known.roles[r.ID] = roleOf(r)
	}
	d.guilds[g.ID] = known
}

func (d *Directory) learnRole(guild string, r *discordgo.Role) {
	if g := d.guilds[guild]; g != nil {
		g.roles[r.ID] = roleOf(r)
	}
}

func roleOf(r *discordgo.Role) role {
	return role{name: r.Name, permissions: r.Permissions, position: r.Position, managed: r.Managed}
}

// OwnRoles returns the ids of the bot's managed roles in a server, which no other member has.
// People may mention such a role instead of the bot.
func (d *Directory) OwnRoles(guildID string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.guilds[guildID]
	if g == nil {
		return nil
	}
	var own []string
	for _, id := range d.member[[2]string{guildID, d.bot}].Roles {
		if g.roles[id].managed { // by an integration; a bot has only its own such role
			own = append(own, id)
		}
	}
	return own
}

func (d *Directory) remember(c *discordgo.Channel) Place {
	if len(d.places) >= MaxPlaces {
		for id := range d.places { // any: a needed entry is fetched again
			delete(d.places, id)
			break
		}
	}
	p := Place{
		ID: c.ID, Guild: c.GuildID, Parent: c.ParentID, Name: c.Name, Owner: c.OwnerID, Thread: c.IsThread(), overwrites: c.PermissionOverwrites,
	}
	p.Enclosed = c.Type == discordgo.ChannelTypeGuildPrivateThread
	p.Forum = c.Type == discordgo.ChannelTypeGuildForum || c.Type == discordgo.ChannelTypeGuildMedia
	p.Text = p.Forum || c.Type == discordgo.ChannelTypeGuildText || c.Type == discordgo.ChannelTypeGuildNews
	d.places[c.ID] = p
	return p
}

// Place returns a channel or thread from the cache, or else fetches it.
func (d *Directory) Place(ctx context.Context, id string) (Place, error) {
	d.mu.Lock()
	p, known := d.places[id]
	d.mu.Unlock()
	if known {
		return p, nil
	}
	c, err := d.discord.API.Channel(ctx, id)
	if err != nil {
		return Place{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.remember(c), nil
}

// Moderates reports whether a member with these roles may stop other people's answers in a channel.
// It requires a permission in [call.Moderator].
func (d *Directory) Moderates(channel, user string, roles []string) bool {
	return d.may(channel, user, roles, call.Moderator)
}

func (d *Directory) guildName(id string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if g := d.guilds[id]; g != nil && g.name != "" {
		return g.name
	}
	return id
}

// MemberOf returns a person's membership of a server. It fetches the membership if the cached one
// has expired or may be outdated.
func (d *Directory) MemberOf(ctx context.Context, guildID, user string) (membership, error) {
	version, err := d.version(ctx, guildID, user)
	if err != nil {
		return membership{}, err
	}
	d.mu.Lock()
	m, known := d.member[[2]string{guildID, user}]
	d.mu.Unlock()
	if known && time.Now().Before(m.until) && (d.changes == nil || version != "" && m.version == version) {
		return m, nil
	}
	var found *discordgo.Member
	err = patiently(ctx, func() (err error) { found, err = d.discord.API.Member(ctx, guildID, user); return err })
	if err != nil {
		return membership{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	m = membership{until: time.Now().Add(d.age), version: version}
	if found != nil {
		m.in, m.Roles = !found.Pending, found.Roles
	}
	d.storeMember(guildID, user, m)
	return m, nil
}

// cacheMember caches a membership that an event contains. Set changed if the event reports a change
// of the membership. The change is recorded for other replicas. The caller must hold the lock.
func (d *Directory) cacheMember(guildID, user string, m *discordgo.Member, changed bool) {
	kept := membership{in: !m.Pending, Roles: m.Roles, until: time.Now().Add(d.age)}
	before, known := d.member[[2]string{guildID, user}]
	switch same := known && before.in == kept.in && slices.Equal(slices.Sorted(slices.Values(before.Roles)), slices.Sorted(slices.Values(kept.Roles))); {
	case changed || known && !same:
		d.markChanged(guildID, user)
	case same:
		kept.version = before.version
	}
	d.storeMember(guildID, user, kept)
}

func (d *Directory) storeMember(guildID, user string, m membership) {
	if len(d.member) >= MaxPlaces {
		clear(d.member)
	}
	d.member[[2]string{guildID, user}] = m
}

// Met caches the membership that Discord sent with a person's interaction.
func (d *Directory) Met(guildID, user string, m *discordgo.Member) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cacheMember(guildID, user, m, false)
}

// Meet caches a channel that Discord sent with an interaction, unless the channel is already
// cached.
func (d *Directory) Meet(c *discordgo.Channel) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.places[c.ID]; !known {
		d.remember(c)
	}
}

// Peek returns a channel or thread from the cache. It makes no call.
func (d *Directory) Peek(id string) (Place, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, known := d.places[id]
	return p, known
}

// KnownName returns the name of a cached channel, or an empty string.
func (d *Directory) KnownName(id string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.places[id].Name
}

// Home returns the [thread.Ref] of a channel or thread. For a thread, it contains the parent
// channel and the thread. If guild is empty, channel is a direct conversation, and Thread equals
// Channel.
func (d *Directory) Home(ctx context.Context, guild, channel string) (thread.Ref, error) {
	ref := thread.Ref{Platform: call.Platform, Workspace: guild, Channel: channel}
	if guild == "" {
		ref.Thread = channel
		return ref, nil
	}
	p, err := d.Place(ctx, channel)
	if err != nil {
		return ref, err
	}
	if p.Thread {
		ref.Channel, ref.Thread = p.Parent, p.ID
	}
	return ref, nil
}

// GuildName returns the name of a server, or its id if the name is unknown.
func (d *Directory) GuildName(id string) string { return d.guildName(id) }
