package slack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// How long what was read of people and channels counts. Events that tell of a change end it earlier.
const (
	channelAge = 5 * time.Minute
	peopleAge  = 10 * time.Minute
	maxCached  = 10_000
	pageSize   = 1000
	// maxLookups is how many people of a channel who are not in the list of members are looked up one by one.
	maxLookups = 30
	// listLimit bounds the listing of a large workspace; listAgain is when it is tried again after a failure.
	listLimit = 15 * time.Minute
	listAgain = 2 * time.Minute
	// maxOwnChannels is how many channels of a person count when that person asks in private.
	maxOwnChannels = 1000
)

// Profile is what Slack says about a person.
type Profile struct {
	ID, Name string
	Email    string // in small letters; empty without the scope users:read.email, and for outsiders, whose address nobody here vouches for
	Team     string // of which the person is a member
	// Outsider is a guest, somebody of another organisation, a bot, or an account that was deactivated.
	Outsider bool
	Bot      bool
	Admin    bool
}

// directory knows people and channels. What it cannot find out counts as the least.
type directory struct {
	client *Client

	mu       sync.Mutex
	profiles map[string]known[Profile]
	channels map[string]known[room]
	homes    map[string]known[[]string] // the channels that a person is in, of those that the bot can see
	members  known[map[string]bool]     // of the organisation
	listing  chan struct{}              // closed when the first listing has ended; nil while there is none
	moved    map[string]bool            // who has changed since a listing began, and whether they count now; nil while none runs
	changes  int                        // counts what was forgotten, so that no answer from before is kept
}

// room is what counts of a channel.
type room struct {
	inside bool // everybody in it is a full member of the organisation
	joined bool // the bot is in it
}

// known is a fact with its age.
type known[T any] struct {
	value T
	at    time.Time
}

func (k known[T]) fresh(age time.Duration) bool { return !k.at.IsZero() && time.Since(k.at) < age }

func newDirectory(c *Client) *directory {
	return &directory{
		client: c, profiles: make(map[string]known[Profile]), channels: make(map[string]known[room]), homes: make(map[string]known[[]string]),
	}
}

// recall returns what is remembered of a key, and a count that keep takes.
func recall[T any](d *directory, facts map[string]known[T], key string, age time.Duration) (value T, ok bool, changes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	k, ok := facts[key]
	return k.value, ok && k.fresh(age), d.changes
}

// keep remembers a fact, unless something was forgotten since recall: then the fact may be from before the change.
func keep[T any](d *directory, facts map[string]known[T], key string, value T, changes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if changes != d.changes {
		return
	}
	if len(facts) >= maxCached {
		clear(facts)
	}
	facts[key] = known[T]{value, time.Now()}
}

// Audience returns who will see an answer in a channel. In a direct message that is the person alone, with everything the person is: the
// account, the address, a member, and somebody in each of the person's channels. Elsewhere it is everybody who can open the channel;
// where guests or another organisation take part, the public and the channel itself. A channel or person about whom nothing could be
// found out counts as such a one, and the error says why.
func (c *Client) Audience(ctx context.Context, channel, person string, direct bool) (access.Audience, error) {
	if direct {
		facts, err := c.Principals(ctx, person)
		held := make([]access.Principal, 0, len(facts))
		for _, f := range facts {
			held = append(held, f.Principal)
		}
		return access.NewAudience(c.config.Tenant, held...), err
	}
	here := access.Channel(string(Platform), channel)
	found, err := c.directory.room(ctx, channel)
	if err != nil || !found.inside {
		return access.NewAudience(c.config.Tenant, here), err
	}
	return access.NewAudience(c.config.Tenant, here, access.Members), nil
}

// Joined reports whether the bot is in a channel. One that cannot be seen it is not in.
func (c *Client) Joined(ctx context.Context, channel string) bool {
	found, err := c.directory.room(ctx, channel)
	return err == nil && found.joined
}

// Held is one thing that somebody is, and where that is known from.
type Held struct {
	Principal access.Principal
	From      string // a few words
}

// Principals returns what a person is. The account is always among it; with an error, nothing that could not be found out.
func (c *Client) Principals(ctx context.Context, person string) ([]Held, error) {
	held := []Held{{access.User(string(Platform), person), "your Slack account"}}
	p, err := c.Profile(ctx, person)
	if err != nil {
		return held, err
	}
	if !p.Outsider {
		held = append(held, Held{access.Members, "you are a full member of this Slack workspace"})
	}
	if p.Email != "" {
		held = append(held, Held{access.User("email", p.Email), "the address in your Slack profile"})
	}
	homes, err := c.directory.homesOf(ctx, person)
	for _, id := range homes {
		held = append(held, Held{access.Channel(string(Platform), id), "you are in this channel"})
	}
	return held, err
}

// Profile returns what is known of a person.
func (c *Client) Profile(ctx context.Context, id string) (Profile, error) {
	d := c.directory
	p, ok, changes := recall(d, d.profiles, id, peopleAge)
	if ok {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	if err := turn(ctx, c.infos); err != nil {
		return Profile{ID: id, Outsider: true}, fmt.Errorf("look up a person: %w", err)
	}
	u, err := c.api.GetUserInfoContext(ctx, id)
	if err != nil {
		return Profile{ID: id, Outsider: true}, fmt.Errorf("look up a person: %w", explain("users.info", err))
	}
	p = d.profile(u)
	keep(d, d.profiles, id, p, changes)
	return p, nil
}

func (d *directory) profile(u *api.User) Profile {
	me := d.client.Identity()
	// Slack always says whose member somebody is. Where a proxy leaves it out there is nobody but those of the workspace.
	p := Profile{ID: u.ID, Name: u.Profile.DisplayName, Team: cmp.Or(u.TeamID, u.Profile.Team, me.Team), Admin: u.IsAdmin || u.IsOwner, Bot: u.IsBot}
	if p.Name == "" {
		p.Name = u.RealName
	}
	// Slack does not call those strangers who share a channel with the workspace, so the organisation decides as well.
	elsewhere := p.Team != me.Team && (me.Enterprise == "" || u.Enterprise.EnterpriseID != me.Enterprise)
	p.Outsider = u.Deleted || u.IsBot || u.IsRestricted || u.IsUltraRestricted || u.IsStranger || elsewhere
	if !p.Outsider {
		p.Email = strings.ToLower(u.Profile.Email)
	} else {
		p.Admin = false
	}
	return p
}

// room finds out who can open a channel.
func (d *directory) room(ctx context.Context, channel string) (room, error) {
	found, ok, changes := recall(d, d.channels, channel, channelAge)
	if ok {
		return found, nil
	}
	found, err := d.ask(ctx, channel)
	if err != nil {
		return room{}, err
	}
	keep(d, d.channels, channel, found, changes)
	return found, nil
}

func (d *directory) ask(ctx context.Context, channel string) (room, error) {
	limited, cancel := context.WithTimeout(ctx, d.client.config.Timeout)
	defer cancel()
	info, err := d.client.api.GetConversationInfoContext(limited, &api.GetConversationInfoInput{ChannelID: channel})
	if err != nil {
		return room{}, fmt.Errorf("find out who listens: %w", explain("conversations.info", err))
	}
	found := room{joined: info.IsMember || info.IsIM}
	if info.IsExtShared || info.IsPendingExtShared || info.IsGlobalShared {
		return found, nil
	}
	members := d.organisation(limited)
	strangers := 0
	for cursor := ""; ; {
		ids, next, err := d.client.api.GetUsersInConversationContext(limited, &api.GetUsersInConversationParameters{
			ChannelID: channel, Cursor: cursor, Limit: pageSize,
		})
		if err != nil {
			return room{}, fmt.Errorf("find out who listens: %w", explain("conversations.members", err))
		}
		for _, id := range ids {
			if members[id] || id == d.client.Identity().User {
				continue
			}
			if strangers++; strangers > maxLookups {
				return found, nil
			}
			p, err := d.client.Profile(limited, id)
			if err != nil {
				return room{}, err
			}
			if p.Outsider && !p.Bot { // else an account that is younger than the list
				return found, nil
			}
		}
		if cursor = next; cursor == "" {
			found.inside = true
			return found, nil
		}
	}
}

// lookWait is how long a question waits for its turn to look somebody up.
const lookWait = 2 * time.Second

// turn waits until one more call has room; thread.ErrNoRoom says that it would be too long.
func turn(ctx context.Context, limit *portion) error {
	limited, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	if err := limit.Wait(limited); err != nil {
		return thread.ErrNoRoom
	}
	return nil
}

// homesOf lists the channels that a person is in, as far as the bot can see them: all public ones, and private ones that it is in too.
// Without the scopes it is none.
func (d *directory) homesOf(ctx context.Context, person string) ([]string, error) {
	homes, ok, changes := recall(d, d.homes, person, channelAge)
	if ok {
		return homes, nil
	}
	ctx, cancel := context.WithTimeout(ctx, d.client.config.Timeout)
	defer cancel()
	for cursor := ""; ; {
		if err := turn(ctx, d.client.homes); err != nil {
			return homes, nil // many have asked at once; what is known so far counts, and is asked for the next time
		}
		list, next, err := d.client.api.GetConversationsForUserContext(ctx, &api.GetConversationsForUserParameters{
			UserID: person, Types: []string{"public_channel", "private_channel"}, Cursor: cursor, Limit: 200, ExcludeArchived: true,
		})
		if err != nil {
			if Transient(err) {
				return nil, fmt.Errorf("find out which channels a person is in: %w", explain("users.conversations", err))
			}
			homes = nil // it is not going to be known
			break
		}
		for _, c := range list {
			homes = append(homes, c.ID)
		}
		if cursor = next; cursor == "" || len(homes) >= maxOwnChannels {
			break
		}
	}
	keep(d, d.homes, person, homes, changes)
	return homes, nil
}

// firstList is how long the first questions wait for the list of members. In a large workspace it takes longer, and people are looked up.
const firstList = 2 * time.Second

// organisation returns the full members of the workspace, and the bots in it, which nobody reads through; nothing while they are not known.
func (d *directory) organisation(ctx context.Context) map[string]bool {
	d.mu.Lock()
	listing := d.listing
	d.mu.Unlock()
	if listing != nil {
		timer := time.NewTimer(firstList)
		defer timer.Stop()
		select {
		case <-listing:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.members.fresh(2*peopleAge + listLimit) { // it is not being kept: everybody is looked up
		return nil
	}
	return d.members.value
}

// begin says that the members are about to be listed, and returns what says that they have been.
func (d *directory) begin() (ended func()) {
	listing := make(chan struct{})
	d.mu.Lock()
	d.listing = listing
	d.mu.Unlock()
	var once sync.Once
	return func() { once.Do(func() { close(listing) }) }
}

// list reads the members of the workspace, at a pace that leaves room for others.
func (d *directory) list(ctx context.Context) error {
	d.mu.Lock()
	d.moved = make(map[string]bool)
	d.mu.Unlock()
	at := time.Now()
	members, profiles := make(map[string]bool), make(map[string]known[Profile])
	page := d.client.api.GetUsersPaginated(api.GetUsersOptionLimit(pageSize))
	for {
		if err := d.client.lists.Wait(ctx); err != nil {
			return fmt.Errorf("list the members of the workspace: %w", err)
		}
		next, err := page.Next(ctx)
		if page.Done(err) {
			break
		}
		var refused *api.RateLimitedError
		if errors.As(err, &refused) {
			if err := sleep.For(ctx, refused.RetryAfter); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("list the members of the workspace: %w", explain("users.list", err))
		}
		page = next
		for _, u := range page.Users {
			if d.counts(&u) {
				members[u.ID] = true
			}
			if len(profiles) < maxCached/2 {
				profiles[u.ID] = known[Profile]{d.profile(&u), at}
			}
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, counts := range d.moved { // while they were being listed
		delete(profiles, id)
		delete(members, id)
		if counts {
			members[id] = true
		}
	}
	d.moved = nil
	d.members = known[map[string]bool]{members, at}
	if len(d.profiles)+len(profiles) > maxCached {
		clear(d.profiles)
	}
	maps.Copy(d.profiles, profiles) // they need not be looked up one by one
	return nil
}

// counts reports whether somebody's presence leaves a channel one of the organisation alone.
func (d *directory) counts(u *api.User) bool {
	return !d.profile(u).Outsider || u.IsBot && !u.Deleted && d.profile(u).Team == d.client.Identity().Team
}
