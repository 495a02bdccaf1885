package directory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

func workspace(guildID string) access.Workspace {
	return access.Workspace{Platform: string(call.Platform), ID: guildID}
}

// serverOf returns the server whose roles or channels an event may change, or an empty string for
// other events.
func serverOf(event any) string {
	switch e := event.(type) {
	case *discordgo.GuildCreate:
		return e.ID
	case *discordgo.GuildUpdate:
		return e.ID
	case *discordgo.GuildRoleCreate:
		return e.GuildID
	case *discordgo.GuildRoleUpdate:
		return e.GuildID
	case *discordgo.GuildRoleDelete:
		return e.GuildID
	case *discordgo.ChannelCreate:
		return e.GuildID
	case *discordgo.ChannelUpdate:
		return e.GuildID
	case *discordgo.ChannelDelete:
		return e.GuildID
	default:
		return ""
	}
}

// digest returns a text that differs whenever the owner, roles or channel permissions of a server
// differ. It is empty for an unknown server and without other replicas. The caller must hold the
// lock.
func (d *Directory) digest(guildID string) string {
	g := d.guilds[guildID]
	if g == nil || d.changes == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintln(&b, g.owner)
	for _, id := range slices.Sorted(maps.Keys(g.roles)) {
		r := g.roles[id]
		fmt.Fprintln(&b, id, r.permissions, r.position, r.managed)
	}
	for _, id := range slices.Sorted(maps.Keys(d.places)) {
		p := d.places[id]
		if p.Guild != guildID || p.Thread || !p.Text {
			continue
		}
		fmt.Fprintln(&b, "channel", id)
		overwrites := slices.SortedFunc(slices.Values(p.overwrites), func(a, b *discordgo.PermissionOverwrite) int { return cmp.Compare(a.ID, b.ID) })
		for _, o := range overwrites {
			fmt.Fprintln(&b, o.ID, o.Type, o.Allow, o.Deny)
		}
	}
	return b.String()
}

// markChanged records a permission change, of which Settle will notify other replicas. scope is a
// scope of [access.Changes]. The caller must hold the lock.
func (d *Directory) markChanged(guildID, scope string) {
	if d.changes == nil {
		return
	}
	if d.owed[guildID] == nil {
		d.owed[guildID] = make(map[string]uint64)
	}
	d.learned++
	d.owed[guildID][scope] = d.learned
}

// tellLimit is the timeout of [Directory.Settle]. Later events wait during that time.
const tellLimit = 2 * time.Second

// Settle notifies other replicas of all pending permission changes. When it returns nil, every
// replica will notice them. After an error, they stay pending.
func (d *Directory) Settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tellLimit)
	defer cancel()
	d.mu.Lock()
	owed := make(map[string]map[string]uint64, len(d.owed))
	for guildID, scopes := range d.owed {
		owed[guildID] = maps.Clone(scopes)
	}
	d.mu.Unlock()
	for guildID, scopes := range owed {
		if err := d.changes.Changed(ctx, workspace(guildID), slices.Sorted(maps.Keys(scopes))...); err != nil {
			return err
		}
		d.mu.Lock()
		maps.DeleteFunc(d.owed[guildID], func(scope string, last uint64) bool { return scopes[scope] == last })
		if len(d.owed[guildID]) == 0 {
			delete(d.owed, guildID)
		}
		d.mu.Unlock()
	}
	return nil
}

// version returns the current [access.Version] of a server's scopes, after notifying other replicas
// of pending changes. Without other replicas, the version is empty.
func (d *Directory) version(ctx context.Context, guildID string, scopes ...string) (access.Version, error) {
	if d.changes == nil {
		return "", nil
	}
	if err := d.Settle(ctx); err != nil {
		return "", err
	}
	return d.changes.Version(ctx, workspace(guildID), scopes...)
}

// refresh fetches the roles and channels of a server if their shared version has changed. It does
// nothing if there are no other replicas.
func (d *Directory) refresh(ctx context.Context, guildID string) error {
	version, err := d.version(ctx, guildID)
	if err != nil || d.changes == nil {
		return err
	}
	d.mu.Lock()
	known := version != "" && d.versions[guildID] == version && d.guilds[guildID] != nil
	d.mu.Unlock()
	if known {
		return nil
	}
	asked := d.asking.DoChan(guildID+" "+string(version), func() (any, error) {
		// other callers wait for the result, too
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), call.RequestTimeout)
		defer cancel()
		var found *discordgo.GuildCreate
		err := patiently(limited, func() (err error) { found, err = d.discord.API.Survey(limited, guildID); return err })
		if err != nil {
			return nil, err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.apply(found)
		d.versions[guildID] = version
		return nil, nil
	})
	select {
	case r := <-asked:
		return r.Err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// patiently calls lookup until it no longer fails because of a rate limit, or until ctx ends.
// Between the calls, it waits as long as the rate limit requires.
func patiently(ctx context.Context, lookup func() error) error {
	for {
		err := lookup()
		var limited *thread.RateLimitError
		if !errors.As(err, &limited) || sleep.For(ctx, limited.RetryAfter) != nil {
			return err
		}
	}
}

// Announce is like [Directory.Settle], but logs an error instead of returning it.
func (d *Directory) Announce(ctx context.Context) {
	if err := d.Settle(ctx); err != nil && ctx.Err() == nil {
		d.discord.Logger.WarnContext(ctx, "other replicas are not told yet of what has changed in a server", "error", err)
	}
}

// KeepHearing regularly tells other replicas which servers' events this process receives. It also
// retries to notify them of pending changes. It blocks until ctx ends.
func (d *Directory) KeepHearing(ctx context.Context) {
	changes := d.changes
	if changes == nil || d.discord.Config.NoGateway {
		return
	}
	for {
		wait := time.Second
		var heard []access.Workspace
		for _, guild := range d.discord.Hears() {
			heard = append(heard, workspace(guild))
		}
		if len(heard) > 0 {
			wait = access.HearingEvery
			limited, cancel := context.WithTimeout(ctx, access.HearingEvery)
			err := changes.Heard(limited, heard...)
			cancel()
			if err != nil && ctx.Err() == nil {
				d.discord.Logger.WarnContext(ctx, "other replicas do not know that changes are heard of here", "error", err)
			}
		}
		d.Announce(ctx)
		if sleep.For(ctx, wait) != nil {
			return
		}
	}
}
