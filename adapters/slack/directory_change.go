package slack

import (
	"encoding/json"
	"maps"

	api "github.com/slack-go/slack"
)

// changed takes in what an event says about people and channels, so that no answer relies on what was true before; it reports whether
// the event was such a one.
func (d *directory) changed(e event, raw []byte) bool {
	switch e.Type {
	case "member_joined_channel", "member_left_channel":
		d.forgetChannel(string(e.Channel))
		d.forgetHomes(string(e.User))
	case "channel_shared", "channel_unshared", "channel_converted_to_private", "channel_archive", "channel_unarchive", "channel_deleted",
		"channel_left", "group_archive", "group_unarchive", "group_deleted", "group_left", "channel_id_changed",
		"shared_channel_invite_accepted":
		d.forgetChannel(string(e.Channel))
		d.forgetHomes("")
	case "user_change", "team_join", "user_profile_changed":
		d.person(string(e.User), raw)
	case "channel_created", "channel_rename", "group_rename": // changes nothing that counts here
	default:
		return false
	}
	return true
}

// forgetChannel makes the next question about a channel ask Slack.
func (d *directory) forgetChannel(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changes++
	delete(d.channels, id)
}

// forgetHomes makes the next question about a person's channels ask Slack, or about everybody's.
func (d *directory) forgetHomes(person string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changes++
	if person == "" {
		clear(d.homes)
		return
	}
	delete(d.homes, person)
}

// person takes in what has become of somebody: a member may be a guest now, or gone. Most changes are of a status line, so channels are
// asked about anew only when it matters to them.
func (d *directory) person(id string, raw []byte) {
	var said struct {
		Event struct {
			User api.User `json:"user"`
		} `json:"event"`
	}
	readable := json.Unmarshal(raw, &said) == nil && said.Event.User.ID == id && said.Event.User.TeamID != ""
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changes++
	delete(d.profiles, id)
	now := readable && d.counts(&said.Event.User)
	if d.moved != nil {
		d.moved[id] = now
	}
	if readable && d.members.value != nil && now == d.members.value[id] {
		return
	}
	clear(d.channels)
	members := maps.Clone(d.members.value) // others may be reading it
	if members == nil {
		return
	}
	delete(members, id)
	if now {
		members[id] = true
	}
	d.members.value = members
}
