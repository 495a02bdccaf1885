// Package directory looks up people and channels. It reports who a person is, who can see a
// channel, and when either changes. It writes nothing to Slack.
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

// These are the lifetimes and limits of cached data. The lifetimes matter for changes of which the
// bot receives no event.
const (
	channelAge = 5 * time.Minute
	peopleAge  = 10 * time.Minute
	maxCached  = 10_000
	pageSize   = 1000
	// maxLookups is the maximum number of unknown people in a channel that are looked up one by
	// one.
	maxLookups = 30
	// maxOwnChannels is the maximum number of a person's channels that are considered for a private
	// question.
	maxOwnChannels = 1000
)

// Profile is a person's profile in Slack.
type Profile struct {
	ID, Name string
	// Email is the person's address in lower case. It is empty for outsiders, for unconfirmed
	// addresses, and without the scope users:read.email. In these cases no workspace vouches for
	// the address.
	Email string
	Team  string // workspace id of the person
	// Outsider is set for guests, people of another organisation, bots and deactivated accounts.
	Outsider bool
	Gone     bool // the account was deactivated
	Bot      bool
	Admin    bool
	Zone     *time.Location // time zone; nil if unknown
}

// Directory looks up people and channels, and caches the results. If a look-up fails, it assumes
// the least permission. Changes reported to [access.Changes] expire cached data in all replicas.
type Directory struct {
	slack    *call.Workspace
	changes  access.Changes
	people   access.People
	accounts access.Accounts
	asking   singleflight.Group // deduplicates concurrent lookups of rooms and groups

	mu       sync.Mutex
	profiles map[string]cachedFact[Profile]
	channels map[string]cachedFact[room]
	readings map[string]cachedFact[reading] // of channels whose look-up waits
	// channels of a person that the bot can see
	homes  map[string]cachedFact[[]string]
	groups map[string]cachedFact[members] // groups of the workspace, under one key
	heard  time.Time                      // last registration of this process for changes
}

type cachedFact[T any] struct {
	value   T
	at      time.Time
	version access.Version
}

// NewDirectory returns an empty directory of a workspace. All replicas share changes, people and
// accounts.
func NewDirectory(w *call.Workspace, changes access.Changes, people access.People, accounts access.Accounts) *Directory {
	return &Directory{
		slack: w, changes: changes, people: people, accounts: accounts,
		profiles: make(map[string]cachedFact[Profile]), channels: make(map[string]cachedFact[room]), readings: make(map[string]cachedFact[reading]), homes: make(map[string]cachedFact[[]string]),
		groups: make(map[string]cachedFact[members]),
	}
}

func (d *Directory) here() access.Workspace {
	return access.Workspace{Platform: string(call.Platform), ID: d.slack.Identity().Team}
}

// homesScope is the scope in [access.Changes] for the channel lists of all people. A change of it
// expires these cached lists.
const homesScope = "homes"

// recall returns the cached value of a key and the current version of the scopes. ok is false if
// the value is older than age or the version has changed. Pass version to keep after reading the
// value again.
func recall[T any](ctx context.Context, d *Directory, facts map[string]cachedFact[T], key string, age time.Duration, scopes ...string) (value T, ok bool, version access.Version, err error) {
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

// keep caches a value. version must come from a call of recall before the value was read from
// Slack.
func keep[T any](d *Directory, facts map[string]cachedFact[T], key string, value T, version access.Version) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(facts) >= maxCached {
		clear(facts)
	}
	facts[key] = cachedFact[T]{value, time.Now(), version}
}

// Joined reports whether the bot is a member of a channel. It returns false if the bot cannot see
// the channel.
func (d *Directory) Joined(ctx context.Context, channel string) bool {
	found, err := d.room(ctx, channel)
	return err == nil && found.joined
}

// Profile returns the profile of a person. With an error, it returns the profile of an outsider.
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
	if err := waitForLookup(ctx, d.slack.Infos); err != nil {
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
	// Slack always names a person's workspace. If a proxy leaves it out, the person belongs to this
	// workspace.
	p := Profile{ID: u.ID, Name: u.Profile.DisplayName, Team: cmp.Or(u.TeamID, u.Profile.Team, me.Team), Admin: u.IsAdmin || u.IsOwner, Bot: u.IsBot}
	if p.Name == "" {
		p.Name = u.RealName
	}
	p.Zone = zone(u.TZ, u.TZOffset)
	// Slack does not mark as strangers those who share a channel with the workspace, so the
	// organisation is compared too.
	elsewhere := p.Team != me.Team && (me.Enterprise == "" || u.Enterprise.EnterpriseID != me.Enterprise)
	p.Outsider = u.Deleted || u.IsBot || u.IsRestricted || u.IsUltraRestricted || u.IsStranger || elsewhere
	p.Gone = u.Deleted
	if p.Outsider {
		p.Admin = false
	} else if u.IsEmailConfirmed {
		// an inviter or an editor of the profile can write an unconfirmed address
		p.Email = strings.ToLower(u.Profile.Email)
	}
	return p
}

// zone returns the time zone with the given name. If the name is unknown, it returns a fixed zone
// with the current offset from UTC in seconds
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

// lookWait is the maximum time that a question waits for a rate limit before it looks up a person.
const lookWait = 2 * time.Second

// waitForLookup blocks until limit allows a call, but at most for lookWait. If it fails, the error
// wraps access.ErrPending and thread.ErrNoRoom. Callers must not assume fewer permissions because
// of this error.
func waitForLookup(ctx context.Context, limit *pace.Part) error {
	limited, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	if err := limit.Wait(limited); err != nil {
		return fmt.Errorf("%w: %w", access.ErrPending, thread.ErrNoRoom)
	}
	return nil
}

// homesOf returns the ids of a person's channels that the bot can see. It returns none if the
// required scopes are missing. If the rate limit is reached, the list may be incomplete.
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
		if err := waitForLookup(ctx, d.slack.Homes); err != nil {
			if cursor != "" {
				// with hundreds of channels, the first ones count, and the next question reads the
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
			homes = nil // it cannot be found out
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
