package slack

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	api "github.com/slack-go/slack"
)

// How long what was read of people and channels counts. Events that tell of a change end it earlier.
const (
	channelAge = 5 * time.Minute
	peopleAge  = 10 * time.Minute
	maxCached  = 10_000
	pageSize   = 1000
	// maxLookups is how many people of a channel who are not in the list of members are looked up one by one.
	maxLookups = 20
)

// Profile is what Slack says about a person.
type Profile struct {
	ID, Name string
	Team     string // of which the person is a member
	// Outsider is a guest, somebody of another organisation, a bot, or an account that was deactivated.
	Outsider bool
	Admin    bool
}

// directory knows people and channels. What it cannot find out counts as the least.
type directory struct {
	client *Client

	mu       sync.Mutex
	profiles map[string]known[Profile]
	channels map[string]known[bool] // whether everybody in it is a member of the organisation
	members  known[map[string]bool] // of the organisation
	changes  int                    // counts what was forgotten, so that no answer from before is kept
}

// known is a fact with its age.
type known[T any] struct {
	value T
	at    time.Time
}

func (k known[T]) fresh(age time.Duration) bool { return !k.at.IsZero() && time.Since(k.at) < age }

func newDirectory(c *Client) *directory {
	return &directory{client: c, profiles: make(map[string]known[Profile]), channels: make(map[string]known[bool])}
}

// Audience returns who will see an answer in a channel: in a direct message the person alone, elsewhere everybody who can open the
// channel. Where guests or another organisation take part it is the public and the channel itself. A channel about which nothing could
// be found out counts as such a one, and the error says why.
func (c *Client) Audience(ctx context.Context, channel, person string, direct bool) (access.Audience, error) {
	tenant := c.config.Tenant
	if direct {
		self := access.User(string(Platform), person)
		p, err := c.Profile(ctx, person)
		if err != nil || p.Outsider {
			return access.NewAudience(tenant, self), err
		}
		return access.NewAudience(tenant, self, access.Members), nil
	}
	here := access.Channel(string(Platform), channel)
	inside, err := c.directory.inside(ctx, channel)
	if err != nil || !inside {
		return access.NewAudience(tenant, here), err
	}
	return access.NewAudience(tenant, here, access.Members), nil
}

// Profile returns what is known of a person.
func (c *Client) Profile(ctx context.Context, id string) (Profile, error) {
	d := c.directory
	d.mu.Lock()
	k, ok := d.profiles[id]
	d.mu.Unlock()
	if ok && k.fresh(peopleAge) {
		return k.value, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	u, err := c.api.GetUserInfoContext(ctx, id)
	if err != nil {
		return Profile{ID: id, Outsider: true}, fmt.Errorf("look up a person: %w", explain("users.info", err))
	}
	p := d.profile(u)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.profiles) >= maxCached {
		clear(d.profiles)
	}
	d.profiles[id] = known[Profile]{p, time.Now()}
	return p, nil
}

func (d *directory) profile(u *api.User) Profile {
	p := Profile{ID: u.ID, Name: u.Profile.DisplayName, Team: u.TeamID, Admin: u.IsAdmin || u.IsOwner}
	if p.Name == "" {
		p.Name = u.RealName
	}
	p.Outsider = u.Deleted || u.IsBot || u.IsRestricted || u.IsUltraRestricted || u.IsStranger ||
		u.TeamID != d.client.Identity().Team && u.Enterprise.EnterpriseID == ""
	return p
}

// inside reports whether everybody in a channel is a full member of the organisation.
func (d *directory) inside(ctx context.Context, channel string) (bool, error) {
	d.mu.Lock()
	k, ok := d.channels[channel]
	changes := d.changes
	d.mu.Unlock()
	if ok && k.fresh(channelAge) {
		return k.value, nil
	}
	inside, err := d.ask(ctx, channel)
	if err != nil {
		return false, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.channels) >= maxCached {
		clear(d.channels)
	}
	if changes == d.changes {
		d.channels[channel] = known[bool]{inside, time.Now()}
	}
	return inside, nil
}

func (d *directory) ask(ctx context.Context, channel string) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, d.client.config.Timeout)
	defer cancel()
	info, err := d.client.api.GetConversationInfoContext(limited, &api.GetConversationInfoInput{ChannelID: channel})
	if err != nil {
		return false, fmt.Errorf("find out who listens: %w", explain("conversations.info", err))
	}
	if info.IsExtShared || info.IsPendingExtShared || info.IsGlobalShared {
		return false, nil
	}
	members, err := d.organisation(ctx)
	if err != nil {
		return false, err
	}
	strangers := 0
	for cursor := ""; ; {
		ids, next, err := d.client.api.GetUsersInConversationContext(limited, &api.GetUsersInConversationParameters{
			ChannelID: channel, Cursor: cursor, Limit: pageSize,
		})
		if err != nil {
			return false, fmt.Errorf("find out who listens: %w", explain("conversations.members", err))
		}
		for _, id := range ids {
			if members[id] || id == d.client.Identity().User {
				continue
			}
			if strangers++; strangers > maxLookups {
				return false, nil
			}
			if p, err := d.client.Profile(limited, id); err != nil || p.Outsider { // else an account that is younger than the list
				return false, err
			}
		}
		if cursor = next; cursor == "" {
			return true, nil
		}
	}
}

// organisation returns the full members of the workspace, and the bots in it, which nobody reads through.
func (d *directory) organisation(ctx context.Context) (map[string]bool, error) {
	d.mu.Lock()
	k := d.members
	d.mu.Unlock()
	if k.fresh(peopleAge) {
		return k.value, nil
	}
	at := time.Now()
	users, err := d.client.api.GetUsersContext(ctx, api.GetUsersOptionLimit(pageSize))
	if err != nil {
		return nil, fmt.Errorf("list the members of the workspace: %w", explain("users.list", err))
	}
	members := make(map[string]bool, len(users))
	for _, u := range users {
		if p := d.profile(&u); !p.Outsider || u.IsBot && !u.Deleted {
			members[u.ID] = true
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.members = known[map[string]bool]{members, at}
	return members, nil
}

// forgetChannel makes the next question about a channel ask Slack.
func (d *directory) forgetChannel(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changes++
	delete(d.channels, id)
}
