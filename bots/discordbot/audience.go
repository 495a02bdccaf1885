package discordbot

import (
	"context"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// present returns the audience of an answer that everyone in a channel can see. People whom the bot
// does not know, such as administrators, may always join.
//
// In an unbound server, the audience is anyone. If Discord cannot be asked, it is also anyone, and
// present returns the error.
func (b *Bot) present(ctx context.Context, ref thread.Ref) (access.Presence, error) {
	there := access.Presence{Tenant: b.tenant(ref), Open: true, Outsiders: true}
	if !b.binding.allows(ref.Workspace) {
		return there, nil
	}
	needed, err := b.client.Needed(ctx, ref.Workspace, ref.Channel)
	if err != nil {
		return there, err
	}
	there.Held = append(there.Held, access.Held{Principal: access.Channel(string(discord.Platform), ref.Channel), From: "everybody here can open this channel"})
	for _, role := range needed {
		there.Held = append(there.Held, b.ofRole(role, "everyone who can open this channel has the role "+b.client.RoleName(ref.Workspace, role))...)
	}
	if b.config.Members {
		there.Held = append(there.Held, access.Held{Principal: access.Members, From: "everybody here is a member of the server"})
		there.Outsiders = false
	}
	return there, nil
}

// alone returns a person as the only reader of an answer. If a server cannot be asked, its
// memberships are missing and alone returns the error.
func (b *Bot) alone(ctx context.Context, ref thread.Ref, person string) (access.Presence, error) {
	held, err := b.holds(ctx, ref, person)
	// account ids are the same in all servers
	account := access.Account{Workspace: access.Workspace{Platform: string(discord.Platform)}, ID: person}
	account.Full = slices.ContainsFunc(held, func(h access.Held) bool { return h.Principal == access.Members })
	account.Gone = err == nil && !account.Full
	return access.Presence{Tenant: b.tenant(ref), Held: held, People: []access.Account{account}}, err
}

// holds returns everything that it found out even if it returns an error.
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
			held = append(held, b.ofRole(role, "your role "+b.client.RoleName(guild, role)+" in the server "+name)...)
		}
		for _, id := range m.Channels {
			held = append(held, access.Held{Principal: access.Channel(string(discord.Platform), id), From: "you can open the channel " + b.client.ChannelName(id)})
		}
	}
	return held, err
}

// RoleGroup returns the principal for all members with a role in a server.
func RoleGroup(role string) access.Principal { return access.Group("discord:" + role) }

// ofRole also returns the groups that footnote.yaml binds to the role.
func (b *Bot) ofRole(role, from string) []access.Held {
	held := []access.Held{{Principal: RoleGroup(role), From: from}}
	if b.config.Groups == nil {
		return held
	}
	for _, g := range b.config.Groups() {
		if g.ID == role {
			held = append(held, access.Held{Principal: access.Group(g.Name), From: from + ", to which footnote.yaml binds it"})
		}
	}
	return held
}

// Listeners implements chat.Platform.
func (b *Bot) Listeners(ctx context.Context, t session.Turn) (access.Presence, error) {
	return b.presenceOf(ctx, t.Session.Ref, t.Asker.ID, t.Direct || t.Session.Owner != "")
}

// Room implements chat.Platform. A channel is open if @everyone can read it and all full members of
// the tenant are members of this server.
func (b *Bot) Room(ctx context.Context, at thread.Ref) (chat.Room, error) {
	place, err := b.client.Place(ctx, at.Channel)
	if err != nil {
		return chat.Room{}, err
	}
	if place.Thread || place.Guild == "" || !place.Text {
		return chat.Room{}, fmt.Errorf("look up a channel: %w: %s is no text channel of a server", thread.ErrNotPermitted, at.Channel)
	}
	ref := thread.Ref{Platform: discord.Platform, Workspace: place.Guild, Channel: at.Channel}
	there, err := b.present(ctx, ref)
	if err != nil {
		return chat.Room{}, err
	}
	guilds := b.binding.guilds(b.tenant(ref))
	alone := len(guilds) == 1 && guilds[0] == ref.Workspace
	return chat.Room{Ref: ref, Present: there, Open: b.config.Members && alone && b.client.Reach(at.Channel, "", nil).All}, nil
}

func (b *Bot) presenceOf(ctx context.Context, ref thread.Ref, person string, alone bool) (access.Presence, error) {
	if alone {
		return b.alone(ctx, ref, person)
	}
	return b.present(ctx, ref)
}

// listens returns the audience as far as Discord knows it. Access to sources is looked up when the
// answer is made.
func (b *Bot) listens(ctx context.Context, ref thread.Ref, person string, alone bool) access.Audience {
	there, err := b.presenceOf(ctx, ref, person, alone)
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "cannot look up the audience; the answer uses public documents only", "error", err)
	}
	return access.AudienceOf(there.Tenant, there.Held)
}
