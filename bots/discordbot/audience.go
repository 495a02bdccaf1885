package discordbot

import (
	"context"
	"slices"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// channel is the audience of an answer that everybody in a channel sees: those of a role as well where nobody opens the channel without it.
// Without the members intent nobody knows whether they are full members, and in a server that is not bound it is anybody at all.
// Where Discord cannot be asked it is anybody as well, and the error says so.
func (b *Bot) channel(ctx context.Context, ref thread.Ref) (access.Audience, error) {
	var held []access.Principal
	if b.binding.allows(ref.Workspace) {
		needed, err := b.client.Needed(ctx, ref.Workspace, ref.Channel)
		if err != nil {
			return access.NewAudience(b.tenant(ref)), err
		}
		held = append(held, access.Channel(string(discord.Platform), ref.Channel))
		for _, role := range needed {
			held = append(held, RoleGroup(role))
		}
		if b.config.Members {
			held = append(held, access.Members)
		}
	}
	return access.NewAudience(b.tenant(ref), held...), nil
}

// alone is the audience of an answer that one person sees: the person's own account, and, in servers of the tenant, what the person is
// there. Where a server cannot be asked the person is nothing in it, and the error says so.
func (b *Bot) alone(ctx context.Context, ref thread.Ref, person string) (access.Audience, error) {
	held, err := b.holds(ctx, ref, person)
	return access.AudienceOf(b.tenant(ref), held), err
}

// holds returns what somebody is, and where that comes from.
func (b *Bot) holds(ctx context.Context, ref thread.Ref, person string) (held []access.Held, err error) {
	held = []access.Held{{Principal: access.User(string(discord.Platform), person), From: "your Discord account"}}
	tenant := b.tenant(ref)
	for _, guild := range b.binding.guilds(tenant) {
		m, failed := b.client.Membership(ctx, guild, person)
		if failed != nil {
			err = failed
			continue
		}
		if !m.Full {
			continue
		}
		name := b.client.GuildName(guild)
		if !slices.ContainsFunc(held, func(h access.Held) bool { return h.Principal == access.Members }) {
			held = append(held, access.Held{Principal: access.Members, From: "you are a member of the server " + name})
		}
		for _, role := range m.Roles {
			held = append(held, access.Held{Principal: RoleGroup(role), From: "your role " + b.client.RoleName(guild, role) + " in the server " + name})
		}
		for _, id := range m.Channels {
			held = append(held, access.Held{Principal: access.Channel(string(discord.Platform), id), From: "you can open the channel " + b.client.ChannelName(id)})
		}
	}
	return held, err
}

// RoleGroup is the group of everybody who has a role in a server.
func RoleGroup(role string) access.Principal { return access.Group("discord:" + role) }

// Listeners implements answer.Surfaces.
func (b *Bot) Listeners(ctx context.Context, t session.Turn) (access.Audience, error) {
	return b.audience(ctx, t.Session.Ref, t.Asker.ID, t.Direct || t.Session.Owner != "")
}

func (b *Bot) audience(ctx context.Context, ref thread.Ref, person string, alone bool) (access.Audience, error) {
	if alone {
		return b.alone(ctx, ref, person)
	}
	return b.channel(ctx, ref)
}
