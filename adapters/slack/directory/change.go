package directory

import (
	"context"
	"encoding/json"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/sleep"
	api "github.com/slack-go/slack"
)

// Changed handles an event about people or channels, and expires cached data in all replicas. ours
// is false for other events. After an error, the caller must not acknowledge the event, so that
// Slack delivers it again.
func (d *Directory) Changed(ctx context.Context, e event.Event, raw []byte) (ours bool, err error) {
	switch e.Type {
	case "member_joined_channel", "member_left_channel":
		return true, d.changes.Changed(ctx, d.here(), string(e.Channel), string(e.User))
	case "channel_shared", "channel_unshared", "channel_converted_to_private", "channel_archive", "channel_unarchive", "channel_deleted",
		"channel_left", "group_archive", "group_unarchive", "group_deleted", "group_left", "channel_id_changed",
		"shared_channel_invite_accepted":
		return true, d.changes.Changed(ctx, d.here(), string(e.Channel), homesScope)
	case "user_change", "team_join", "user_profile_changed":
		is, account, at := d.personChange(string(e.User), raw)
		// record this before dependent facts expire, so that they are not read again in their old
		// state
		if is != access.Unsaid {
			if err := d.accounts.Saw(ctx, d.here(), []access.Account{account}, at); err != nil {
				return true, err
			}
		}
		return true, d.people.Told(ctx, d.here(), string(e.User), is)
	case "subteam_created", "subteam_updated", "subteam_members_changed", "subteam_self_added", "subteam_self_removed":
		return true, d.changes.Changed(ctx, d.here(), groupScope)
	case "channel_created", "channel_rename", "group_rename": // changes nothing that counts here
		return true, nil
	default:
		return false, nil
	}
}

// personChange reads a person's new account and membership status from an event, with the time of
// the change. The status is access.Unsaid if the event does not describe the person.
func (d *Directory) personChange(id string, raw []byte) (is access.Standing, account access.Account, at time.Time) {
	var said struct {
		Time  int64 `json:"event_time"` // Unix seconds
		Event struct {
			User api.User `json:"user"`
		} `json:"event"`
	}
	if json.Unmarshal(raw, &said) != nil || said.Event.User.ID != id || said.Event.User.TeamID == "" {
		return access.Unsaid, account, at
	}
	if at = time.Now(); said.Time > 0 {
		at = time.Unix(said.Time+1, 0) // Slack cuts it to seconds
	}
	account = d.account(d.profile(&said.Event.User))
	if d.isInside(&said.Event.User) {
		return access.Inside, account, at
	}
	// believed however late the event arrives
	return access.Outside, account, time.Now().Add(time.Second)
}

// hear registers this process as a receiver of changes, unless it receives no events or has
// registered recently.
func (d *Directory) hear(ctx context.Context) error {
	if d.slack.Config.AppToken != "" && d.slack.Connected() == 0 {
		return nil // other replicas may receive events
	}
	d.mu.Lock()
	due := time.Since(d.heard) >= access.HearingEvery
	d.mu.Unlock()
	if !due {
		return nil
	}
	if err := d.changes.Heard(ctx, d.here()); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.heard = time.Now()
	return nil
}

func (d *Directory) keepHearing(ctx context.Context) {
	for {
		limited, cancel := context.WithTimeout(ctx, access.HearingEvery)
		err := d.hear(limited)
		cancel()
		if err != nil && ctx.Err() == nil {
			d.slack.Logger.WarnContext(ctx, "other replicas do not know that changes are heard of here", "error", err)
		}
		if sleep.For(ctx, access.HearingEvery) != nil {
			return
		}
	}
}
