package directory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/access"
	api "github.com/slack-go/slack"
)

type room struct {
	inside bool // everyone in it is a full member of the organisation
	joined bool // the bot is in it
	// every full member of the workspace can open the channel, because it is public and not shared
	public bool
	// the channel is by invitation and small enough to look up every member
	named  bool
	people []string // ids of everyone in a small room, except the bot
}

// mostInRoom is the maximum size of a private channel whose members are listed. It exceeds
// [access.MostNamed], because the size includes apps.
const mostInRoom = access.MostNamed + 20

func (d *Directory) room(ctx context.Context, channel string) (room, error) {
	found, ok, version, err := recall(ctx, d, d.channels, channel, channelAge, channel)
	if err != nil {
		return room{}, fmt.Errorf("find out who listens: %w", err)
	}
	if ok {
		return found, nil
	}
	asked := d.asking.DoChan(channel+" "+string(version), func() (any, error) {
		// other callers wait for the same result
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.slack.Config.Timeout)
		defer cancel()
		found, err := d.fetchRoom(limited, channel, version)
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

// reading is what was read of a channel before its look-up had to wait.
type reading struct {
	info   *api.Channel // nil: not read
	ids    []string     // of members
	cursor string       // of the next page of members
	done   bool         // all members were read
	begun  time.Time
	until  time.Time // when Slack permits the next call
}

// readingAge is the maximum age of a reading. A turn does not wait longer.
const readingAge = 5 * time.Minute

// resumeRoom returns what an earlier look-up of the channel read. It is empty if the channel has
// changed since.
func (d *Directory) resumeRoom(channel string, version access.Version) reading {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.readings[channel]; version != "" && k.version == version && time.Since(k.value.begun) < readingAge {
		return k.value
	}
	return reading{begun: time.Now()}
}

// suspendRoom keeps what was read if the look-up has to wait because of err, and forgets it
// otherwise. It returns an error that wraps access.ErrPending if Slack limits the calls.
func (d *Directory) suspendRoom(channel string, version access.Version, r reading, err error) error {
	var limited *api.RateLimitedError
	if errors.As(err, &limited) {
		r.until = time.Now().Add(limited.RetryAfter)
		err = fmt.Errorf("%w: %w", access.ErrPending, err)
	}
	if errors.Is(err, access.ErrPending) {
		keep(d, d.readings, channel, r, version)
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.readings, channel)
	return err
}

// fetchRoom asks Slack about a channel. While the look-up waits (access.ErrPending), another call
// asks Slack only for what is missing.
func (d *Directory) fetchRoom(ctx context.Context, channel string, version access.Version) (found room, err error) {
	r := d.resumeRoom(channel, version)
	if wait := time.Until(r.until); wait > 0 {
		return room{}, fmt.Errorf("find out who listens: Slack limits the calls for %s: %w", wait, access.ErrPending)
	}
	defer func() {
		if err = d.suspendRoom(channel, version, r, err); err != nil {
			found = room{}
		}
	}()
	if r.info == nil {
		if r.info, err = d.slack.API.GetConversationInfoContext(ctx, &api.GetConversationInfoInput{ChannelID: channel}); err != nil {
			r.info = nil
			return room{}, fmt.Errorf("find out who listens: %w", call.Explain("conversations.info", err))
		}
	}
	info := r.info
	found = room{joined: info.IsMember || info.IsIM}
	if info.IsExtShared || info.IsPendingExtShared || info.IsGlobalShared {
		return found, nil
	}
	found.named = info.IsPrivate || info.IsMpIM || info.IsGroup
	found.public = info.IsChannel && !found.named && !info.IsIM && !info.IsOrgShared && d.slack.Identity().Enterprise == ""
	found.inside = true
	var unknown []string
	var roll access.Roll
	for from := 0; found.named || found.inside; { // else nothing counts any more
		if from == len(r.ids) && r.done {
			break
		}
		if from == len(r.ids) {
			ids, next, err := d.slack.API.GetUsersInConversationContext(ctx, &api.GetUsersInConversationParameters{
				ChannelID: channel, Cursor: r.cursor, Limit: pageSize,
			})
			if err != nil {
				return room{}, fmt.Errorf("find out who listens: %w", call.Explain("conversations.members", err))
			}
			r.ids, r.cursor, r.done = append(r.ids, ids...), next, next == ""
		}
		ids := r.ids[from:min(from+pageSize, len(r.ids))]
		from += len(ids)
		if roll, err = d.people.Known(ctx, d.here(), ids); err != nil {
			return room{}, err
		}
		for _, id := range ids {
			inside, certain := roll.Inside[id]
			switch {
			case id == d.slack.Identity().User:
				continue
			case certain && !inside:
				found.inside = false
			case !certain:
				unknown = append(unknown, id)
			}
			found.people = append(found.people, id)
		}
		if len(found.people) > mostInRoom {
			found.named = false
		}
	}
	if !found.named {
		found.people = nil
	}
	if found.inside {
		found.inside, err = d.lookUp(ctx, unknown, roll)
	}
	if err != nil {
		return room{}, err
	}
	return found, nil
}

// lookUp asks Slack about each person and reports whether all of them are in the organisation. It
// returns an error for more than maxLookups people. The error wraps access.ErrPending if all people
// of the workspace are being listed.
func (d *Directory) lookUp(ctx context.Context, people []string, roll access.Roll) (inside bool, err error) {
	if len(people) > maxLookups && roll.Pending {
		return false, fmt.Errorf("find out who listens: the people of the workspace are being listed: %w", access.ErrPending)
	}
	if len(people) > maxLookups {
		return false, fmt.Errorf("find out who listens: %d people of the channel are not in the list of the workspace", len(people))
	}
	found := make(map[string]bool)
	var seen []access.Account
	asked := time.Now()
	inside = true
	for _, id := range people {
		if err = waitForLookup(ctx, d.slack.Infos); err != nil {
			err = fmt.Errorf("look up a person: %w", err)
			break
		}
		u, failed := d.slack.API.GetUserInfoContext(ctx, id)
		if failed != nil {
			err = fmt.Errorf("look up a person: %w", call.Explain("users.info", failed))
			break
		}
		seen = append(seen, d.account(d.profile(u)))
		if found[id] = d.isInside(u); !found[id] {
			inside = false
			break
		}
	}
	if len(found) > 0 {
		if err := d.accounts.Saw(ctx, d.here(), seen, asked); err != nil {
			return false, err
		}
		if err := d.people.Found(ctx, d.here(), found, roll.At); err != nil {
			return false, err
		}
	}
	return inside && err == nil, err
}

// isInside reports whether a person is inside the organisation. The workspace's own apps are also
// inside.
func (d *Directory) isInside(u *api.User) bool {
	return !d.profile(u).Outsider || u.IsBot && !u.Deleted && d.profile(u).Team == d.slack.Identity().Team
}
