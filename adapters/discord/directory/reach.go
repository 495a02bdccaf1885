package directory

import (
	"github.com/bwmarrin/discordgo"
)

// Reach describes who may read a channel's message history.
type Reach struct {
	Own bool // the bot may read them
	All bool // every full member of the server may read them
	// Whole reports whether everyone who may open the channel may also read its earlier messages.
	// It is false if that is not certain.
	Whole bool
}

// Reach returns who may read a channel's message history, from cached data only. user and roles are
// those of the bot.
func (d *Directory) Reach(channel, user string, roles []string) Reach {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, known := d.places[channel]
	g := d.guilds[p.Guild]
	if !known || g == nil {
		return Reach{}
	}
	const needed = discordgo.PermissionViewChannel | discordgo.PermissionReadMessageHistory
	reach := Reach{Own: d.permissions(p, user, roles)&needed == needed}
	everyone := g.roles[p.Guild].permissions
	var denied int64 // to some people, by overwrites
	for _, o := range p.overwrites {
		switch {
		case o.Type == discordgo.PermissionOverwriteTypeRole && o.ID == p.Guild:
			everyone = everyone&^o.Deny | o.Allow
		case o.Type == discordgo.PermissionOverwriteTypeMember && o.ID == user:
		default:
			denied |= o.Deny
		}
	}
	reach.Whole = everyone&discordgo.PermissionReadMessageHistory != 0 && denied&discordgo.PermissionReadMessageHistory == 0
	reach.All = reach.Whole && everyone&discordgo.PermissionViewChannel != 0 && denied&discordgo.PermissionViewChannel == 0
	return reach
}
