package directory

import (
	"context"
	"net/http"
	"slices"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
)

// TextChannels returns the ids of a server's cached channels that hold messages, without threads.
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

// Survey fetches the roles and channels of a server and caches them. Only a bot without a gateway
// needs it.
func (d *Directory) Survey(ctx context.Context, guild string) error {
	found, err := d.discord.API.Survey(ctx, guild)
	if err == nil {
		d.Learn(found)
	}
	return err
}

// Guild is a server that the bot belongs to.
type Guild struct{ ID, Name string }

// BelongsTo fetches the servers that the bot belongs to. It returns at most 200.
func (d *Directory) BelongsTo(ctx context.Context) ([]Guild, error) {
	var list []Guild
	err := d.discord.API.Do(ctx, call.Request{
		Doing: "list the bot's servers", Method: http.MethodGet, URL: discordgo.EndpointUserGuilds("@me"), Bucket: "GET guilds",
	}, &list)
	return list, err
}
