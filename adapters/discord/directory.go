package discord

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// directory remembers what the gateway tells of servers, channels and threads, and asks for what it did not tell. It is safe for
// concurrent use.
type directory struct {
	api *api

	mu     sync.Mutex
	guilds map[string]*guild
	places map[string]place // channels and threads
	member map[[2]string]membership
}

// guild is a Discord server.
type guild struct {
	name  string
	owner string
	roles map[string]int64 // permissions
}

// place is a channel or thread.
type place struct {
	id, guild, parent, name string
	thread                  bool
	forum                   bool // its threads are posts
}

// membership is what was last asked about somebody.
type membership struct {
	in    bool
	until time.Time
}

const (
	// membershipAge is how long an answer about somebody's membership is believed.
	membershipAge = 5 * time.Minute
	maxPlaces     = 50_000
)

func newDirectory(a *api) *directory {
	return &directory{api: a, guilds: make(map[string]*guild), places: make(map[string]place), member: make(map[[2]string]membership)}
}

// learn takes in an event.
func (d *directory) learn(event any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e := event.(type) {
	case *discordgo.GuildCreate:
		d.learnGuild(e.Guild)
		for _, c := range append(e.Channels, e.Threads...) {
			c.GuildID = e.ID
			d.remember(c)
		}
	case *discordgo.GuildUpdate:
		d.learnGuild(e.Guild)
	case *discordgo.GuildDelete:
		if !e.Unavailable { // an outage is not a goodbye
			delete(d.guilds, e.ID)
		}
	case *discordgo.GuildRoleCreate:
		d.learnRole(e.GuildID, e.Role)
	case *discordgo.GuildRoleUpdate:
		d.learnRole(e.GuildID, e.Role)
	case *discordgo.GuildRoleDelete:
		if g := d.guilds[e.GuildID]; g != nil {
			delete(g.roles, e.RoleID)
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

func (d *directory) learnGuild(g *discordgo.Guild) {
	known := &guild{name: g.Name, owner: g.OwnerID, roles: make(map[string]int64)}
	for _, r := range g.Roles {
		known.roles[r.ID] = r.Permissions
	}
	d.guilds[g.ID] = known
}

func (d *directory) learnRole(guild string, r *discordgo.Role) {
	if g := d.guilds[guild]; g != nil {
		g.roles[r.ID] = r.Permissions
	}
}

func (d *directory) remember(c *discordgo.Channel) place {
	if len(d.places) >= maxPlaces {
		for id := range d.places { // any: what is needed again is asked for again
			delete(d.places, id)
			break
		}
	}
	p := place{id: c.ID, guild: c.GuildID, parent: c.ParentID, name: c.Name, thread: c.IsThread()}
	p.forum = c.Type == discordgo.ChannelTypeGuildForum || c.Type == discordgo.ChannelTypeGuildMedia
	d.places[c.ID] = p
	return p
}

// place returns a channel or thread, asking for it if need be.
func (d *directory) place(ctx context.Context, id string) (place, error) {
	d.mu.Lock()
	p, known := d.places[id]
	d.mu.Unlock()
	if known {
		return p, nil
	}
	c, err := d.api.channel(ctx, id)
	if err != nil {
		return place{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.remember(c), nil
}

// moderates reports whether somebody with these roles may manage messages: whoever may delete an answer may stop it.
func (d *directory) moderates(guildID, user string, roles []string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.guilds[guildID]
	if g == nil {
		return false
	}
	if user == g.owner {
		return true
	}
	held := g.roles[guildID] // of everyone
	for _, r := range roles {
		held |= g.roles[r]
	}
	return held&moderator != 0
}

// guildName returns the name of a guild, or its id.
func (d *directory) guildName(id string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if g := d.guilds[id]; g != nil && g.name != "" {
		return g.name
	}
	return id
}

// isMember reports whether somebody is a full member of a guild at present, or was a few minutes ago.
func (d *directory) isMember(ctx context.Context, guildID, user string) (bool, error) {
	key := [2]string{guildID, user}
	d.mu.Lock()
	m, known := d.member[key]
	d.mu.Unlock()
	if known && time.Now().Before(m.until) {
		return m.in, nil
	}
	in, err := d.api.isMember(ctx, guildID, user)
	if err != nil {
		return false, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.member) >= maxPlaces {
		clear(d.member)
	}
	d.member[key] = membership{in: in, until: time.Now().Add(membershipAge)}
	return in, nil
}

// timeOf is when something with this id was made: a snowflake counts milliseconds since 2015.
func timeOf(id string) time.Time {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(n>>22 + discordEpoch)
}

const discordEpoch = 1420070400000

// idAt is the smallest id of a moment.
func idAt(t time.Time) string { return strconv.FormatInt((t.UnixMilli()-discordEpoch)<<22, 10) }

// newer reports whether id a was given after id b. An empty id is older than all.
func newer(a, b string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}

// peek returns a place that is known already.
func (d *directory) peek(id string) (place, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, known := d.places[id]
	return p, known
}
