package directory

import (
	"cmp"
	"context"
	"slices"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
)

// everything is the set of all permissions, which owners and administrators have.
const everything int64 = -1

// permissions computes a member's permissions in a channel by Discord's rules. A thread has the
// permissions of its channel. The caller must hold the lock.
func (d *Directory) permissions(p Place, user string, roles []string) int64 {
	g := d.guilds[p.Guild]
	if g == nil {
		return 0
	}
	if user == g.owner && user != "" {
		return everything
	}
	held := g.roles[p.Guild].permissions // of everyone
	for _, r := range roles {
		held |= g.roles[r].permissions
	}
	if held&discordgo.PermissionAdministrator != 0 {
		return everything
	}
	if p.Thread {
		parent, known := d.places[p.Parent]
		if !known {
			return 0
		}
		p.overwrites = parent.overwrites
	}
	var everyone, own, all discordgo.PermissionOverwrite
	for _, o := range p.overwrites {
		switch {
		case o.Type == discordgo.PermissionOverwriteTypeMember && o.ID == user:
			own = *o
		case o.Type == discordgo.PermissionOverwriteTypeMember:
		case o.ID == p.Guild:
			everyone = *o
		case slices.Contains(roles, o.ID):
			all.Allow |= o.Allow
			all.Deny |= o.Deny
		}
	}
	for _, o := range []discordgo.PermissionOverwrite{everyone, all, own} {
		held = held&^o.Deny | o.Allow
	}
	if held&discordgo.PermissionViewChannel == 0 {
		return 0
	}
	return held
}

// may reports whether a member with these roles has at least one of the permissions in any. It
// returns false for a channel that is not cached.
func (d *Directory) may(channel, user string, roles []string, any int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, known := d.places[channel]
	return known && d.permissions(p, user, roles)&any != 0
}

// Membership describes what a person may open in a server. It is zero for anyone who is not a full
// member.
type Membership struct {
	Full     bool     // a full member
	Roles    []string // ids, without the role of everyone
	Channels []string // ids of the known channels that the person can open
}

// Membership returns what a person may open in a server. If Discord sends no member events
// (DISCORD_MEMBERS=false), the result may be a minute old.
func (d *Directory) Membership(ctx context.Context, guild, user string) (Membership, error) {
	if err := d.refresh(ctx, guild); err != nil {
		return Membership{}, err
	}
	m, err := d.MemberOf(ctx, guild, user)
	if err != nil || !m.in {
		return Membership{}, err
	}
	out := Membership{Full: true, Roles: m.Roles}
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, p := range d.places {
		if p.Guild == guild && !p.Thread && p.Text && d.permissions(p, user, m.Roles)&discordgo.PermissionViewChannel != 0 {
			out.Channels = append(out.Channels, id)
		}
	}
	slices.Sort(out.Channels)
	return out, nil
}

// maxNamed is the maximum number of people with a permission overwrite whom [Directory.Needed]
// looks up. If there are more, Needed returns nil.
const maxNamed = 10

// Needed returns the ids of the roles that a member must have to open a channel. It returns nil if
// it cannot be certain of any role. It ignores the server's owner and administrators who can give
// themselves such a role.
func (d *Directory) Needed(ctx context.Context, guildID, channel string) ([]string, error) {
	if err := d.refresh(ctx, guildID); err != nil {
		return nil, err
	}
	d.mu.Lock()
	p, known := d.places[channel]
	g := d.guilds[guildID]
	if !known || g == nil || p.Guild != guildID {
		d.mu.Unlock()
		return nil, nil
	}
	var needed, named []string
	for id := range g.roles {
		if id != guildID && d.needs(g, p, id) {
			needed = append(needed, id)
		}
	}
	for _, o := range p.overwrites {
		if o.Type == discordgo.PermissionOverwriteTypeMember && o.Allow&discordgo.PermissionViewChannel != 0 && o.ID != d.discord.Self() && o.ID != g.owner {
			named = append(named, o.ID)
		}
	}
	d.mu.Unlock()
	if len(named) > maxNamed {
		return nil, nil
	}
	for _, user := range named { // they can open the channel whatever their roles
		if len(needed) == 0 {
			return nil, nil
		}
		m, err := d.MemberOf(ctx, guildID, user)
		if err != nil {
			return nil, err
		}
		needed = slices.DeleteFunc(needed, func(role string) bool { return m.in && !slices.Contains(m.Roles, role) })
	}
	if len(needed) == 0 {
		return nil, nil
	}
	slices.Sort(needed)
	return needed, nil
}

// needs reports whether a member must have a role to open a channel. It ignores overwrites for
// people. It tests every other role alone, which covers all combinations of roles. The caller must
// hold the lock.
func (d *Directory) needs(g *guild, p Place, needed string) bool {
	const stranger = "" // is no one's id
	if d.permissions(p, stranger, nil)&discordgo.PermissionViewChannel != 0 {
		return false
	}
	for id, r := range g.roles {
		if id == p.Guild || id == needed || r.permissions&discordgo.PermissionAdministrator != 0 && r.position > g.roles[needed].position {
			continue
		}
		if d.permissions(p, stranger, []string{id})&discordgo.PermissionViewChannel != 0 && !d.onlyBotHas(id, p.Guild) {
			return false
		}
	}
	return true
}

// onlyBotHas reports whether only the bot has a role. The caller must hold the lock.
func (d *Directory) onlyBotHas(role, guildID string) bool {
	return d.guilds[guildID].roles[role].managed && slices.Contains(d.member[[2]string{guildID, d.bot}].Roles, role)
}

// RoleName returns the name of a role, or its id if the name is unknown.
func (d *Directory) RoleName(guild, role string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if g := d.guilds[guild]; g != nil && g.roles[role].name != "" {
		return g.roles[role].name
	}
	return role
}

// ChannelName returns the name of a channel, or its id if the name is unknown.
func (d *Directory) ChannelName(id string) string { return cmp.Or(d.KnownName(id), id) }

// Lacking is a channel in which the bot lacks permissions.
type Lacking struct {
	Channel, Name string
	Permissions   []call.Permission
}

// Lacking lists a server's channels in which the bot lacks permissions, sorted by name. It checks
// the channels that the bot can see. If only is not empty, it checks exactly those channels, even
// if the bot cannot see them.
func (d *Directory) Lacking(ctx context.Context, guild string, only []string) ([]Lacking, error) {
	self, err := d.discord.WhoAmI(ctx)
	if err != nil {
		return nil, err
	}
	me, err := d.MemberOf(ctx, guild, self)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []Lacking
	for id, p := range d.places {
		asked := slices.Contains(only, id)
		if p.Guild != guild || p.Thread || !p.Text || len(only) > 0 && !asked {
			continue
		}
		held := d.permissions(p, self, me.Roles)
		if held&discordgo.PermissionViewChannel == 0 && !asked {
			continue // not meant for the bot
		}
		lacking := Lacking{Channel: id, Name: p.Name}
		for _, needed := range call.Permissions() {
			if held&needed.Bit == 0 && !(p.Forum && needed.Bit == discordgo.PermissionCreatePublicThreads) {
				lacking.Permissions = append(lacking.Permissions, needed)
			}
		}
		if len(lacking.Permissions) > 0 {
			list = append(list, lacking)
		}
	}
	slices.SortFunc(list, func(a, b Lacking) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Channel, b.Channel)) })
	return list, nil
}
