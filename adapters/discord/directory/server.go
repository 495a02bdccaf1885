package directory

import (
	"context"
	"net/http"
	"slices"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
)

// TextChannels lists the channels of a server in which people write, as far as they are known.
func (d *Directory) TextChannels(guild string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ids []string
	for id, p := range d.places {
		if p.Guild == guild && p.Text && !p.Thread {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Survey asks for what the gateway would tell of a server: its roles, its channels, and what the
// bot is there.
func (d *Directory) Survey(ctx context.Context, guild string) error {
	found, err := d.discord.API.Survey(ctx, guild)
	if err == nil {
		d.Learn(found)
	}
	return err
}

// Guild is a server that the bot belongs to.
type Guild struct{ ID, Name string }

// BelongsTo asks to which servers the bot belongs, at most 200 of them.
func (d *Directory) BelongsTo(ctx context.Context) ([]Guild, error) {
	var list []Guild
	err := d.discord.API.Do(ctx, call.Request{
		Doing: "list the bot's servers", Method: http.MethodGet, URL: discordgo.EndpointUserGuilds("@me"), Bucket: "GET guilds",
	}, &list)
	return list, err
}
