package directory

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/access"
)

// Remembered returns what is held by whom Present and Alone would return, as far as it can be said
// without asking Slack: an event is acknowledged before Slack was asked anything. ok is false when
// Slack has to be asked; then it is the least. Of a channel it may be minutes old, and leaves
// groups out, since every turn asks again who listens; of a person, on which decisions rest, it is
// what Alone knows.
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
		// no one else holds any, so that Alone did not read them either
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

// Known is what is remembered of a person, minutes old perhaps; ok is false when Slack has to be
// asked.
func (d *Directory) Known(person string) (p Profile, ok bool) {
	return peek(d, d.profiles, person, peopleAge)
}

// peek returns what is remembered of a key, whether or not something has changed since.
func peek[T any](d *Directory, facts map[string]known[T], key string, age time.Duration) (value T, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	k, ok := facts[key]
	return k.value, ok && time.Since(k.at) < age
}
