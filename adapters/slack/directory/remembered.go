package directory

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/access"
)

// Remembered returns the audience of an answer from cached data, without a call to Slack. If direct
// is set, it is that of [Directory.Alone] for the person, and otherwise that of [Directory.Present]
// for the channel. If ok is false, the audience is the least possible, and the caller must ask
// Slack.
//
// The audience of a channel may be minutes old and omits groups.
func (d *Directory) Remembered(ctx context.Context, channel, person string, direct bool) (audience access.Audience, ok bool) {
	if direct {
		p, known, _, err := recall(ctx, d, d.profiles, person, peopleAge, person)
		if err != nil || !known {
			return access.NewAudience(d.slack.Config.Tenant), false
		}
		homes, seen, _, err := recall(ctx, d, d.homes, person, channelAge, person, homesScope)
		if err != nil || !seen {
			return access.NewAudience(d.slack.Config.Tenant), false
		}
		account := d.account(p)
		all := d.held(account, homes)
		// only full members are in bound groups, so Alone did not read groups of others either
		if bound := d.bound(); len(bound) > 0 && account.Full {
			of, read, _, err := recall(ctx, d, d.groups, groupScope, groupAge, groupScope)
			if err != nil || !read {
				return access.NewAudience(d.slack.Config.Tenant), false
			}
			all = append(all, groupsOf(bound, of, []access.Account{account})...)
		}
		return access.AudienceOf(d.slack.Config.Tenant, all), true
	}
	here := access.Channel(string(call.Platform), channel)
	found, known := peek(d, d.channels, channel, channelAge)
	switch {
	case !known:
		return access.NewAudience(d.slack.Config.Tenant), false
	case !found.inside:
		return access.NewAudience(d.slack.Config.Tenant, here), true
	default:
		return access.NewAudience(d.slack.Config.Tenant, here, access.Members), true
	}
}

// Known returns the cached profile of a person. The profile may be minutes old. If ok is false, the
// caller must ask Slack.
func (d *Directory) Known(person string) (p Profile, ok bool) {
	return peek(d, d.profiles, person, peopleAge)
}

// peek returns the cached value of a key, without a check for later changes. ok is false if the
// value is older than age.
func peek[T any](d *Directory, facts map[string]cachedFact[T], key string, age time.Duration) (value T, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	k, ok := facts[key]
	return k.value, ok && time.Since(k.at) < age
}
