package slack

import (
	"testing"
	"time"
)

// Whatever is known, and in whatever state the list of members is: somebody who becomes a guest makes channels be asked about anew, and
// somebody who only changes a status line does not.
func TestChangesOfPeople(t *testing.T) {
	t.Parallel()
	const (
		member = `{"event":{"type":"user_change","user":{"id":"U1","team_id":"T1"}}}`
		guest  = `{"event":{"type":"user_change","user":{"id":"U1","team_id":"T1","is_restricted":true}}}`
		short  = `{"event":{"type":"user_change","user":{"id":"U1"}}}`
	)
	tests := []struct {
		name    string
		members map[string]bool
		raw     string
		kept    bool // what is known of channels
	}{
		{"the list is not known yet", nil, guest, false},
		{"nor is it of use", nil, member, false},
		{"a member becomes a guest", map[string]bool{"U1": true}, guest, false},
		{"a member changes a status line", map[string]bool{"U1": true}, member, true},
		{"a guest changes a status line", map[string]bool{}, guest, true},
		{"a guest becomes a member", map[string]bool{}, member, false},
		{"Slack says too little", map[string]bool{"U1": true}, short, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := connected(t)
			d := c.directory
			d.members = known[map[string]bool]{tt.members, time.Now()}
			d.channels["C1"] = known[room]{room{inside: true}, time.Now()}
			d.profiles["U1"] = known[Profile]{Profile{ID: "U1"}, time.Now()}
			d.moved = make(map[string]bool)
			if _, err := c.handle(t.Context(), &heard{}, "events_api", []byte(tt.raw), 0); err != nil {
				t.Fatal(err)
			}
			if _, kept := d.channels["C1"]; kept != tt.kept {
				t.Errorf("the channel is known: %v, want %v", kept, tt.kept)
			}
			if len(d.profiles) != 0 || len(d.moved) != 1 {
				t.Errorf("profiles %v, moved %v", d.profiles, d.moved)
			}
			if want := tt.raw == member; tt.members != nil && d.members.value["U1"] != want {
				t.Errorf("a member: %v, want %v", d.members.value["U1"], want)
			}
		})
	}
}

func TestChangesOfChannels(t *testing.T) {
	t.Parallel()
	for event, forgotten := range map[string]bool{
		`{"type":"member_joined_channel","user":"U1","channel":"C1"}`: true,
		`{"type":"member_left_channel","user":"U1","channel":"C1"}`:   true,
		`{"type":"channel_shared","channel":"C1"}`:                    true,
		`{"type":"channel_unshared","channel":"C1"}`:                  true,
		`{"type":"channel_deleted","channel":"C1"}`:                   true,
		`{"type":"group_archive","channel":"C1"}`:                     true,
		`{"type":"channel_rename","channel":{"id":"C1"}}`:             false,
		`{"type":"member_joined_channel","user":"U1","channel":"C2"}`: false,
	} {
		t.Run(event, func(t *testing.T) {
			t.Parallel()
			c := connected(t)
			c.directory.channels["C1"] = known[room]{room{inside: true}, time.Now()}
			c.directory.homes["U1"] = known[[]string]{[]string{"C1"}, time.Now()}
			if _, err := c.handle(t.Context(), &heard{}, "events_api", []byte(`{"event":`+event+`}`), 0); err != nil {
				t.Fatal(err)
			}
			if _, kept := c.directory.channels["C1"]; kept == forgotten {
				t.Errorf("the channel is known: %v", kept)
			}
		})
	}
}
