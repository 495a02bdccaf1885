package discordbot

import (
	"context"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// channel is the audience of an answer that everybody in a channel sees. Without the members intent nobody knows who that is.
func (b *Bot) channel(ref thread.Ref) access.Audience {
	held := []access.Principal{access.Channel(string(discord.Platform), ref.Channel)}
	if b.config.Members && b.binding.allows(ref.Workspace) {
		held = append(held, access.Members)
	}
	return access.NewAudience(b.config.Tenant, held...)
}

// alone is the audience of an answer that one person sees.
func (b *Bot) alone(ctx context.Context, person string) access.Audience {
	held := []access.Principal{access.User(string(discord.Platform), person)}
	for _, guild := range b.binding.guilds() {
		in, err := b.client.IsMember(ctx, guild, person)
		if err != nil {
			b.deps.Logger.WarnContext(ctx, "membership not known; the answer uses public documents only", "guild", guild, "error", err)
			continue
		}
		if in {
			held = append(held, access.Members)
			break
		}
	}
	return access.NewAudience(b.config.Tenant, held...)
}

// Listeners implements answer.Surfaces.
func (b *Bot) Listeners(ctx context.Context, t session.Turn) (access.Audience, error) {
	return b.audience(ctx, t.Session.Ref, t.Asker.ID, t.Direct || t.Session.Owner != ""), nil
}

func (b *Bot) audience(ctx context.Context, ref thread.Ref, person string, alone bool) access.Audience {
	if alone {
		return b.alone(ctx, person)
	}
	return b.channel(ref)
}
