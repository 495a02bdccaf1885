package discord

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
	"golang.org/x/sync/singleflight"
)

// Directory remembers what the gateway tells of servers, channels and threads, and asks for what it did not tell. It is safe for
// concurrent use.
type Directory struct {
	discord *Bot
	age     time.Duration  // how long an answer about somebody's membership is believed where no event told of a change
	changes access.Changes // nil: this process is the only one, and its own events say all
	asking  singleflight.Group

	mu     sync.Mutex
	bot    string // its id, once connected
	guilds map[string]*guild
	places map[string]place // channels and threads
	member map[[2]string]membership

	versions map[string]access.Version  // of servers, from before they were surveyed
	owed     map[string]map[string]bool // scopes by server: what has changed and other replicas were not told of
}

// guild is a Discord server.
type guild struct {
	name  string
	owner string
	roles map[string]role
}

// role is what is known of a role.
type role struct {
	name        string
	permissions int64
	position    int
	managed     bool // by an integration, such as a bot
}

// place is a channel or thread.
type place struct {
	id, guild, parent, name string
	owner                   string // who began the thread
	thread                  bool
	forum                   bool // its threads are posts
	text                    bool // people write there
	overwrites              []*discordgo.PermissionOverwrite
}

// membership is what was last said about somebody in a server.
type membership struct {
	in    bool // a full member: one who has yet to accept the server's rules is not
	roles []string
	until time.Time

	version access.Version // from before it was asked; empty where an event told it, on which others do not rely
}

const (
	// membershipAge is how long an answer about somebody's membership is believed where no event told of a change, and unheardAge where none would:
	// without the SERVER MEMBERS intent.
	membershipAge = 5 * time.Minute
	unheardAge    = time.Minute
	maxPlaces     = 50_000
)

// NewDirectory returns what is known of servers and people: nothing yet.
func NewDirectory(b *Bot) *Directory {
	age := unheardAge
	if b.config.Gateway.Members && !b.config.NoGateway {
		age = membershipAge
	}
	return &Directory{
		discord: b, age: age, changes: b.config.Changes, guilds: make(map[string]*guild), places: make(map[string]place), member: make(map[[2]string]membership),
		versions: make(map[string]access.Version), owed: make(map[string]map[string]bool),
	}
}

// learn takes in an event. What counts of it is owed to other replicas.
func (d *Directory) learn(event any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	guildID := serverOf(event)
	before := d.digest(guildID)
	d.apply(event)
	if before != "" && before != d.digest(guildID) {
		d.owe(guildID, access.Everything)
	}
}

// apply takes in an event. It is called with the lock held.
func (d *Directory) apply(event any) {
	switch e := event.(type) {
	case *discordgo.Ready:
		if e.User != nil {
			d.bot = e.User.ID
		}
		for _, g := range e.Guilds { // in a new session nobody tells what was missed of people
			delete(d.versions, g.ID)
			maps.DeleteFunc(d.member, func(key [2]string, _ membership) bool { return key[0] == g.ID && key[1] != d.bot })
		}
	case *discordgo.GuildCreate:
		if e.Unavailable {
			return // in an outage nothing else is told
		}
		d.learnGuild(e.Guild)
		maps.DeleteFunc(d.places, func(_ string, p place) bool { return p.guild == e.ID && !p.thread })
		for _, c := range append(e.Channels, e.Threads...) {
			c.GuildID = e.ID
			d.remember(c)
		}
		for _, m := range e.Members {
			if m.User != nil {
				d.keep(e.ID, m.User.ID, m, false)
			}
		}
	case *discordgo.GuildUpdate:
		d.learnGuild(e.Guild)
	case *discordgo.GuildDelete:
		if !e.Unavailable { // an outage is not a goodbye
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
			d.keep(e.GuildID, e.User.ID, e.Member, true)
		}
	case *discordgo.GuildMemberRemove:
		if e.Member != nil && e.User != nil {
			d.member[[2]string{e.GuildID, e.User.ID}] = membership{until: time.Now().Add(d.age)}
			d.owe(e.GuildID, e.User.ID)
		}
	case *discordgo.GuildMemberAdd:
		if e.Member != nil && e.User != nil {
			d.keep(e.GuildID, e.User.ID, e.Member, true)
		}
	case *discordgo.MessageCreate:
		if e.Member != nil && e.Author != nil && e.WebhookID == "" {
			d.keep(e.GuildID, e.Author.ID, e.Member, false)
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

// forget ends what is known of a server that the bot belongs to no more. It is called with the lock held.
func (d *Directory) forget(guildID string) {
	delete(d.guilds, guildID)
	maps.DeleteFunc(d.member, func(key [2]string, _ membership) bool { return key[0] == guildID })
	maps.DeleteFunc(d.places, func(_ string, p place) bool { return p.guild == guildID })
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

// ownRoles are the roles that stand for the bot alone in a server: when people begin to write its name, Discord offers them its role as well.
func (d *Directory) ownRoles(guildID string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.guilds[guildID]
	if g == nil {
		return nil
	}
	var own []string
	for _, id := range d.member[[2]string{guildID, d.bot}].roles {
		if g.roles[id].managed { // by an integration, of which a bot has no other
			own = append(own, id)
		}
	}
	return own
}

func (d *Directory) remember(c *discordgo.Channel) place {
	if len(d.places) >= maxPlaces {
		for id := range d.places { // any: what is needed again is asked for again
			delete(d.places, id)
			break
		}
	}
	p := place{
		id: c.ID, guild: c.GuildID, parent: c.ParentID, name: c.Name, owner: c.OwnerID, thread: c.IsThread(), overwrites: c.PermissionOverwrites,
	}
	p.forum = c.Type == discordgo.ChannelTypeGuildForum || c.Type == discordgo.ChannelTypeGuildMedia
	p.text = p.forum || c.Type == discordgo.ChannelTypeGuildText || c.Type == discordgo.ChannelTypeGuildNews
	d.places[c.ID] = p
	return p
}

// place returns a channel or thread, asking for it if need be.
func (d *Directory) place(ctx context.Context, id string) (place, error) {
	d.mu.Lock()
	p, known := d.places[id]
	d.mu.Unlock()
	if known {
		return p, nil
	}
	c, err := d.discord.api.channel(ctx, id)
	if err != nil {
		return place{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.remember(c), nil
}

// moderates reports whether somebody with these roles may manage messages in a channel: whoever may delete an answer may stop it.
func (d *Directory) moderates(channel, user string, roles []string) bool {
	return d.may(channel, user, roles, moderator)
}

// guildName returns the name of a guild, or its id.
func (d *Directory) guildName(id string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if g := d.guilds[id]; g != nil && g.name != "" {
		return g.name
	}
	return id
}

// membership returns what holds for somebody in a server.
func (d *Directory) membership(ctx context.Context, guildID, user string) (membership, error) {
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
	err = patiently(ctx, func() (err error) { found, err = d.discord.api.member(ctx, guildID, user); return err })
	if err != nil {
		return membership{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	m = membership{until: time.Now().Add(d.age), version: version}
	if found != nil {
		m.in, m.roles = !found.Pending, found.Roles
	}
	d.put(guildID, user, m)
	return m, nil
}

// keep notes what an event said of somebody; changed says that it tells of a change, and not of something else. It is called with the lock held.
func (d *Directory) keep(guildID, user string, m *discordgo.Member, changed bool) {
	kept := membership{in: !m.Pending, roles: m.Roles, until: time.Now().Add(d.age)}
	before, known := d.member[[2]string{guildID, user}]
	if known && before.in == kept.in && slices.Equal(slices.Sorted(slices.Values(before.roles)), slices.Sorted(slices.Values(kept.roles))) {
		kept.version = before.version
	} else if known || changed {
		d.owe(guildID, user)
	}
	d.put(guildID, user, kept)
}

func (d *Directory) put(guildID, user string, m membership) {
	if len(d.member) >= maxPlaces {
		clear(d.member)
	}
	d.member[[2]string{guildID, user}] = m
}

// met notes what an interaction says of its user.
func (d *Directory) met(guildID, user string, m *discordgo.Member) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keep(guildID, user, m, false)
}

// meet notes a channel that an interaction tells of, unless more is known of it.
func (d *Directory) meet(c *discordgo.Channel) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.places[c.ID]; !known {
		d.remember(c)
	}
}

// peek returns a place that is known already.
func (d *Directory) peek(id string) (place, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, known := d.places[id]
	return p, known
}

func (d *Directory) channelName(id string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.places[id].name
}

// home returns the reference of a place, without its thread: messages of a thread belong to the channel that it hangs on.
func (d *Directory) home(ctx context.Context, guild, channel string) (thread.Ref, error) {
	ref := thread.Ref{Platform: Platform, Workspace: guild, Channel: channel}
	if guild == "" {
		ref.Thread = channel
		return ref, nil
	}
	p, err := d.place(ctx, channel)
	if err != nil {
		return ref, err
	}
	if p.thread {
		ref.Channel, ref.Thread = p.parent, p.id
	}
	return ref, nil
}

// GuildName returns the name of a server, or its id where it is not known.
func (d *Directory) GuildName(id string) string { return d.guildName(id) }
