// Package directory knows people and channels: who somebody is, who listens in a channel, and when that has changed. It writes nothing.
package directory

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
	"golang.org/x/sync/singleflight"
)

// How long what was read of people and channels counts where no event told of a change: Slack gave up delivering it, or the app does not
// subscribe to it. Changes that a replica hears of end it at once, in all of them.
const (
	channelAge = 5 * time.Minute
	peopleAge  = 10 * time.Minute
	maxCached  = 10_000
	pageSize   = 1000
	// maxLookups is how many people of a channel about whom nothing is certain are looked up one by one.
	maxLookups = 30
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

// Directory knows people and channels. What it cannot find out counts as the least. All that it remembers has the version from before it was
// read, which is compared with that of all replicas before it is used.
type Directory struct {
	slack   *call.Workspace
	changes access.Changes
	people  access.People
	asking  singleflight.Group // rooms, so that many who ask at once ask Slack once

	mu       sync.Mutex
	profiles map[string]known[Profile]
	channels map[string]known[room]
	homes    map[string]known[[]string] // the channels that a person is in, of those that the bot can see
	heard    time.Time                  // when this process last said that it hears of changes
}

// room is what counts of a channel.
type room struct {
	inside bool // everybody in it is a full member of the organisation
	joined bool // the bot is in it
}

// known is a fact with its age.
type known[T any] struct {
	value   T
	at      time.Time
	version access.Version
}

// NewDirectory returns what is known of a workspace: nothing yet. Changes and people are what replicas know together.
func NewDirectory(w *call.Workspace, changes access.Changes, people access.People) *Directory {
	return &Directory{
		slack: w, changes: changes, people: people,
		profiles: make(map[string]known[Profile]), channels: make(map[string]known[room]), homes: make(map[string]known[[]string]),
	}
}

// here is the workspace, as replicas name it to one another.
func (d *Directory) here() access.Workspace {
	return access.Workspace{Platform: string(call.Platform), ID: d.slack.Identity().Team}
}

// homesScope is the scope of all people's channels.
const homesScope = "homes"

// recall returns what is remembered of a key, if nothing of the scopes has changed since, and the version that keep takes.
func recall[T any](ctx context.Context, d *Directory, facts map[string]known[T], key string, age time.Duration, scopes ...string) (value T, ok bool, version access.Version, err error) {
	if err := d.hear(ctx); err != nil {
		return value, false, "", err
	}
	if version, err = d.changes.Version(ctx, d.here(), scopes...); err != nil {
		return value, false, "", err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	k, ok := facts[key]
	return k.value, ok && time.Since(k.at) < age && k.version == version && version != "", version, nil
}

// keep remembers a fact that was read after a version.
func keep[T any](d *Directory, facts map[string]known[T], key string, value T, version access.Version) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(facts) >= maxCached {
		clear(facts)
	}
	facts[key] = known[T]{value, time.Now(), version}
}

// Audience returns who will see an answer in a channel. In a direct message that is the person alone, with everything the person is: the
// account, the address, a member, and somebody in each of the person's channels. Elsewhere it is everybody who can open the channel;
// where guests or another organisation take part, the public and the channel itself. A channel or person about whom nothing could be
// found out counts as such a one, and the error says why.
func (d *Directory) Audience(ctx context.Context, channel, person string, direct bool) (access.Audience, error) {
	if direct {
		facts, err := d.Principals(ctx, person)
		return access.AudienceOf(d.slack.Config.Tenant, facts), err
	}
	here := access.Channel(string(call.Platform), channel)
	found, err := d.room(ctx, channel)
	if err != nil || !found.inside {
		return access.NewAudience(d.slack.Config.Tenant, here), err
	}
	return access.NewAudience(d.slack.Config.Tenant, here, access.Members), nil
}

// Joined reports whether the bot is in a channel. One that cannot be seen it is not in.
func (d *Directory) Joined(ctx context.Context, channel string) bool {
	found, err := d.room(ctx, channel)
	return err == nil && found.joined
}

// Principals returns what a person is. The account is always among it; with an error, nothing that could not be found out.
func (d *Directory) Principals(ctx context.Context, person string) ([]access.Held, error) {
	held := []access.Held{{Principal: access.User(string(call.Platform), person), From: "your Slack account"}}
	p, err := d.Profile(ctx, person)
	if err != nil {
		return held, err
	}
	homes, err := d.homesOf(ctx, person)
	return d.principals(person, p, homes), err
}

// principals is what somebody is of whom this is known.
func (d *Directory) principals(person string, p Profile, homes []string) []access.Held {
	held := []access.Held{{Principal: access.User(string(call.Platform), person), From: "your Slack account"}}
	if !p.Outsider {
		held = append(held, access.Held{Principal: access.Members, From: "you are a full member of this Slack workspace"})
	}
	if p.Email != "" {
		held = append(held, access.Held{Principal: access.User("email", p.Email), From: "the address in your Slack profile"})
	}
	for _, id := range homes {
		held = append(held, access.Held{Principal: access.Channel(string(call.Platform), id), From: "you are in this channel"})
	}
	return held
}

// Profile returns what is known of a person.
func (d *Directory) Profile(ctx context.Context, id string) (Profile, error) {
	p, ok, version, err := recall(ctx, d, d.profiles, id, peopleAge, id)
	if err != nil {
		return Profile{ID: id, Outsider: true}, fmt.Errorf("look up a person: %w", err)
	}
	if ok {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(ctx, d.slack.Config.Timeout)
	defer cancel()
	if err := turn(ctx, d.slack.Infos); err != nil {
		return Profile{ID: id, Outsider: true}, fmt.Errorf("look up a person: %w", err)
	}
	u, err := d.slack.API.GetUserInfoContext(ctx, id)
	if err != nil {
		return Profile{ID: id, Outsider: true}, fmt.Errorf("look up a person: %w", call.Explain("users.info", err))
	}
	p = d.profile(u)
	keep(d, d.profiles, id, p, version)
	return p, nil
}

func (d *Directory) profile(u *api.User) Profile {
	me := d.slack.Identity()
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
func (d *Directory) room(ctx context.Context, channel string) (room, error) {
	found, ok, version, err := recall(ctx, d, d.channels, channel, channelAge, channel)
	if err != nil {
		return room{}, fmt.Errorf("find out who listens: %w", err)
	}
	if ok {
		return found, nil
	}
	asked := d.asking.DoChan(channel+" "+string(version), func() (any, error) {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.slack.Config.Timeout) // it is asked for others, too
		defer cancel()
		found, err := d.ask(limited, channel)
		if err == nil {
			keep(d, d.channels, channel, found, version)
		}
		return found, err
	})
	select {
	case r := <-asked:
		if r.Err != nil {
			return room{}, r.Err
		}
		found, _ = r.Val.(room)
		return found, nil
	case <-ctx.Done():
		return room{}, fmt.Errorf("find out who listens: %w", context.Cause(ctx))
	}
}

func (d *Directory) ask(ctx context.Context, channel string) (room, error) {
	info, err := d.slack.API.GetConversationInfoContext(ctx, &api.GetConversationInfoInput{ChannelID: channel})
	if err != nil {
		return room{}, fmt.Errorf("find out who listens: %w", call.Explain("conversations.info", err))
	}
	found := room{joined: info.IsMember || info.IsIM}
	if info.IsExtShared || info.IsPendingExtShared || info.IsGlobalShared {
		return found, nil
	}
	var unknown []string
	var roll access.Roll
	for cursor := ""; ; {
		ids, next, err := d.slack.API.GetUsersInConversationContext(ctx, &api.GetUsersInConversationParameters{
			ChannelID: channel, Cursor: cursor, Limit: pageSize,
		})
		if err != nil {
			return room{}, fmt.Errorf("find out who listens: %w", call.Explain("conversations.members", err))
		}
		if roll, err = d.people.Known(ctx, d.here(), ids); err != nil {
			return room{}, err
		}
		for _, id := range ids {
			inside, certain := roll.Inside[id]
			switch {
			case id == d.slack.Identity().User, certain && inside:
			case certain:
				return found, nil
			default:
				unknown = append(unknown, id)
			}
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	found.inside, err = d.lookUp(ctx, unknown, roll)
	if err != nil {
		return room{}, err
	}
	return found, nil
}

// lookUp reports whether people about whom nothing is certain are all inside. Where they are too many it is not known, which is an error and
// never remembered: access.ErrPending while it will be known soon.
func (d *Directory) lookUp(ctx context.Context, people []string, roll access.Roll) (inside bool, err error) {
	if len(people) > maxLookups && roll.Pending {
		return false, fmt.Errorf("find out who listens: the people of the workspace are being listed: %w", access.ErrPending)
	}
	if len(people) > maxLookups {
		return false, fmt.Errorf("find out who listens: %d people of the channel are not in the list of the workspace", len(people))
	}
	found := make(map[string]bool)
	inside = true
	for _, id := range people {
		if err = turn(ctx, d.slack.Infos); err != nil {
			err = fmt.Errorf("look up a person: %w: %w", access.ErrPending, err)
			break
		}
		u, failed := d.slack.API.GetUserInfoContext(ctx, id)
		if failed != nil {
			err = fmt.Errorf("look up a person: %w", call.Explain("users.info", failed))
			break
		}
		if found[id] = d.counts(u); !found[id] {
			inside = false
			break
		}
	}
	if len(found) > 0 {
		if err := d.people.Found(ctx, d.here(), found, roll.At); err != nil {
			return false, err
		}
	}
	return inside && err == nil, err
}

// lookWait is how long a question waits for its turn to look somebody up.
const lookWait = 2 * time.Second

// turn waits until one more call has room; thread.ErrNoRoom says that it would be too long.
func turn(ctx context.Context, limit *pace.Part) error {
	limited, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	if err := limit.Wait(limited); err != nil {
		return thread.ErrNoRoom
	}
	return nil
}

// homesOf lists the channels that a person is in, as far as the bot can see them: all public ones, and private ones that it is in too.
// Without the scopes it is none.
func (d *Directory) homesOf(ctx context.Context, person string) ([]string, error) {
	homes, ok, version, err := recall(ctx, d, d.homes, person, channelAge, person, homesScope)
	if err != nil {
		return nil, fmt.Errorf("find out which channels a person is in: %w", err)
	}
	if ok {
		return homes, nil
	}
	homes = nil
	ctx, cancel := context.WithTimeout(ctx, d.slack.Config.Timeout)
	defer cancel()
	for cursor := ""; ; {
		if err := turn(ctx, d.slack.Homes); err != nil {
			return homes, nil // many have asked at once; what is known so far counts, and is asked for the next time
		}
		list, next, err := d.slack.API.GetConversationsForUserContext(ctx, &api.GetConversationsForUserParameters{
			UserID: person, Types: []string{"public_channel", "private_channel"}, Cursor: cursor, Limit: 200, ExcludeArchived: true,
		})
		if err != nil {
			if call.Transient(err) {
				return nil, fmt.Errorf("find out which channels a person is in: %w", call.Explain("users.conversations", err))
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
	keep(d, d.homes, person, homes, version)
	return homes, nil
}

// counts reports whether somebody's presence leaves a channel one of the organisation alone.
func (d *Directory) counts(u *api.User) bool {
	return !d.profile(u).Outsider || u.IsBot && !u.Deleted && d.profile(u).Team == d.slack.Identity().Team
}
