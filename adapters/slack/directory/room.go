package directory

import (
	"context"
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
		found, err := d.fetchRoom(limited, channel)
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

func (d *Directory) fetchRoom(ctx context.Context, channel string) (room, error) {
	info, err := d.slack.API.GetConversationInfoContext(ctx, &api.GetConversationInfoInput{ChannelID: channel})
	if err != nil {
		return room{}, fmt.Errorf("find out who listens: %w", call.Explain("conversations.info", err))
	}
	found := room{joined: info.IsMember || info.IsIM}
	if info.IsExtShared || info.IsPendingExtShared || info.IsGlobalShared {
		return found, nil
	}
	found.named = info.IsPrivate || info.IsMpIM || info.IsGroup
	found.public = info.IsChannel && !found.named && !info.IsIM && !info.IsOrgShared && d.slack.Identity().Enterprise == ""
	found.inside = true
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
		if !found.named && !found.inside { // nothing else counts any more
			break
		}
		if cursor = next; cursor == "" {
			break
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
