package receive

import (
	"context"
	"errors"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/access"
)

// Whatever is known: somebody who becomes a guest makes channels be asked about anew, and somebody
// who only changes a status line does not.
func TestChangesOfPeople(t *testing.T) {
	t.Parallel()
	const (
		member = `{"event":{"type":"user_change","user":{"id":"U1","team_id":"T1"}}}`
		guest  = `{"event":{"type":"user_change","user":{"id":"U1","team_id":"T1","is_restricted":true}}}`
		short  = `{"event":{"type":"user_change","user":{"id":"U1"}}}`
	)
	tests := []struct {
		name  string
		known map[string]bool
		raw   string
		kept  bool   // what is known of channels
		then  string // "inside", "outside", or "" for what has to be asked
	}{
		{"nobody is known yet", nil, guest, false, "outside"},
		{"nor is it of use", nil, member, false, ""},
		{"a member becomes a guest", map[string]bool{"U1": true}, guest, false, "outside"},
		{"a member changes a status line", map[string]bool{"U1": true}, member, true, "inside"},
		{"a guest changes a status line", map[string]bool{"U1": false}, guest, true, "outside"},
		{"a guest becomes a member, or an event is late", map[string]bool{"U1": false}, member, false, ""},
		{"Slack says too little", map[string]bool{"U1": true}, short, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			known := access.NewLocal()
			c := receiver(t, call.Config{}, known)
			roll, err := known.Known(t.Context(), here, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := known.Found(t.Context(), here, tt.known, roll.At); err != nil {
				t.Fatal(err)
			}
			channel, person := version(t, known, "C1"), version(t, known, "U1")
			if _, err := c.handle(t.Context(), (&heard{}).handle, "events_api", []byte(tt.raw)); err != nil {
				t.Fatal(err)
			}
			if kept := version(t, known, "C1") == channel; kept != tt.kept {
				t.Errorf("the channel is known: %v, want %v", kept, tt.kept)
			}
			if version(t, known, "U1") == person {
				t.Error("the person's profile is still believed")
			}
			roll, err = known.Known(t.Context(), here, []string{"U1"})
			if err != nil {
				t.Fatal(err)
			}
			then := ""
			if inside, known := roll.Inside["U1"]; known {
				then = map[bool]string{true: "inside", false: "outside"}[inside]
			}
			if then != tt.then {
				t.Errorf("then the person is %q, want %q", then, tt.then)
			}
		})
	}
}

// here is the workspace of connected.
var here = access.Workspace{Platform: string(call.Platform), ID: "T1"}

func version(t *testing.T, known access.Changes, scopes ...string) access.Version {
	t.Helper()
	v, err := known.Version(t.Context(), here, scopes...)
	if err != nil {
		t.Fatal(err)
	}
	return v
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
			known := access.NewLocal()
			c := receiver(t, call.Config{}, known)
			before := version(t, known, "C1")
			if _, err := c.handle(t.Context(), (&heard{}).handle, "events_api", []byte(`{"event":`+event+`}`)); err != nil {
				t.Fatal(err)
			}
			if kept := version(t, known, "C1") == before; kept == forgotten {
				t.Errorf("the channel is known: %v", kept)
			}
		})
	}
}

// deafStore takes no change in.
type deafStore struct{ *access.Local }

func (deafStore) Changed(context.Context, access.Workspace, ...string) error {
	return errors.New("the database is away")
}

// An event that other replicas were not told of is not acknowledged, so that Slack delivers it
// again.
func TestChangeThatIsNotStoredIsNotTakenIn(t *testing.T) {
	t.Parallel()
	c := receiver(t, call.Config{}, deafStore{access.NewLocal()})
	const joined = `{"event":{"type":"member_joined_channel","user":"U1","channel":"C1"}}`
	if _, err := c.handle(t.Context(), (&heard{}).handle, "events_api", []byte(joined)); err == nil {
		t.Error("the event is acknowledged")
	}
}
