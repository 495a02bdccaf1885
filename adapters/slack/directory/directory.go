// Package directory knows people and channels: who someone is, who listens in a channel, and when
// that has changed. It writes nothing.
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

// How long what was read of people and channels counts where no event told of a change: Slack gave
// up delivering it, or the app does not subscribe to it. Changes that a replica hears of end it at
// once, in all of them.
const (
	channelAge = 5 * time.Minute
	peopleAge  = 10 * time.Minute
	maxCached  = 10_000
	pageSize   = 1000
	// maxLookups is how many people of a channel about whom nothing is certain are looked up one by
	// one.
	maxLookups = 30
	// maxOwnChannels is how many channels of a person count when that person asks in private.
	maxOwnChannels = 1000
)

// Profile is what Slack says about a person.
type Profile struct {
	ID, Name string
	// Email is in small letters. It is empty without the scope users:read.email, and where no
	// workspace vouches for it: for outsiders, and until Slack says that the address is confirmed.
	Email string
	Team  string // of which the person is a member
	// Outsider is a guest, someone of another organisation, a bot, or an account that was
	// deactivated.
	Outsider bool
	Gone     bool // the account was deactivated
	Bot      bool
	Admin    bool
	Zone     *time.Location // in which the person lives; nil where Slack does not say
}

// Directory knows people and channels. What it cannot find out counts as the least. All that it
// remembers has the version from before it was read, which is compared with that of all replicas
// before it is used.
type Directory struct {
	slack    *call.Workspace
	changes  access.Changes
	people   access.People
	accounts access.Accounts
	asking   singleflight.Group // rooms and groups, so that many who ask at once ask Slack once

	mu       sync.Mutex
	profiles map[string]known[Profile]
	channels map[string]known[room]
	// the channels that a person is in, of those that the bot can see
	homes  map[string]known[[]string]
	groups map[string]known[members] // of the workspace, under one key
	heard  time.Time                 // when this process last said that it hears of changes
}

// known is a fact with its age.
type known[T any] struct {
	value   T
	at      time.Time
	version access.Version
}

// NewDirectory returns what is known of a workspace: nothing yet. Changes, people and accounts are
// what replicas know together.
func NewDirectory(w *call.Workspace, changes access.Changes, people access.People, accounts access.Accounts) *Directory {
	return &Directory{
		slack: w, changes: changes, people: people, accounts: accounts,
		profiles: make(map[string]known[Profile]), channels: make(map[string]known[room]), homes: make(map[string]known[[]string]),
		groups: make(map[string]known[members]),
	}
}

// here is the workspace, as replicas name it to one another.
func (d *Directory) here() access.Workspace {
	return access.Workspace{Platform: string(call.Platform), ID: d.slack.Identity().Team}
}

// homesScope is the scope of all people's channels.
const homesScope = "homes"

// recall returns what is remembered of a key, if nothing of the scopes has changed since, and the
// version that keep takes.
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

// Joined reports whether the bot is in a channel. One that cannot be seen it is not in.
func (d *Directory) Joined(ctx context.Context, channel string) bool {
	found, err := d.room(ctx, channel)
	return err == nil && found.joined
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
	asked := time.Now()
	u, err := d.slack.API.GetUserInfoContext(ctx, id)
	if err != nil {
		return Profile{ID: id, Outsider: true}, fmt.Errorf("look up a person: %w", call.Explain("users.info", err))
	}
	p = d.profile(u)
	if err := d.accounts.Saw(ctx, d.here(), []access.Account{d.account(p)}, asked); err != nil {
		return Profile{ID: id, Outsider: true}, fmt.Errorf("look up a person: %w", err)
	}
	keep(d, d.profiles, id, p, version)
	return p, nil
}

func (d *Directory) profile(u *api.User) Profile {
	me := d.slack.Identity()
	// Slack always says whose member someone is. Where a proxy leaves it out there are only those
	// of the workspace.
	p := Profile{ID: u.ID, Name: u.Profile.DisplayName, Team: cmp.Or(u.TeamID, u.Profile.Team, me.Team), Admin: u.IsAdmin || u.IsOwner, Bot: u.IsBot}
	if p.Name == "" {
		p.Name = u.RealName
	}
	p.Zone = zone(u.TZ, u.TZOffset)
	// Slack does not call those strangers who share a channel with the workspace, so the
	// organisation decides as well.
	elsewhere := p.Team != me.Team && (me.Enterprise == "" || u.Enterprise.EnterpriseID != me.Enterprise)
	p.Outsider = u.Deleted || u.IsBot || u.IsRestricted || u.IsUltraRestricted || u.IsStranger || elsewhere
	p.Gone = u.Deleted
	if p.Outsider {
		p.Admin = false
	} else if u.IsEmailConfirmed {
		// whoever invites a person, or edits a profile, writes an unproven address
		p.Email = strings.ToLower(u.Profile.Email)
	}
	return p
}

// zone is a time zone by its name, and else by how many seconds it is ahead of UTC now
// (https://docs.slack.dev/reference/objects/user-object: "tz", "tz_offset").
func zone(name string, offset int) *time.Location {
	if name == "" {
		return nil
	}
	if at, err := time.LoadLocation(name); err == nil {
		return at
	}
	const day = 24 * 60 * 60
	if offset <= -day || offset >= day {
		return nil
	}
	return time.FixedZone(name, offset)
}

// lookWait is how long a question waits for its turn to look someone up.
const lookWait = 2 * time.Second

// turn waits until one more call has room. Where that would be too long it is access.ErrPending and
// thread.ErrNoRoom: what many ask for at once is known later, and meanwhile no one counts as a
// person who holds less.
func turn(ctx context.Context, limit *pace.Part) error {
	limited, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	if err := limit.Wait(limited); err != nil {
		return fmt.Errorf("%w: %w", access.ErrPending, thread.ErrNoRoom)
	}
	return nil
}

// homesOf lists the channels that a person is in, as far as the bot can see them: all public ones,
// and private ones that it is in too. Without the scopes it is none.
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
			if cursor != "" {
				// of hundreds of channels the first ones count, and the next question asks for the
				// rest
				return homes, nil
			}
			return nil, fmt.Errorf("find out which channels a person is in: %w", err)
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
