package access

import (
	"context"
	"time"
)

// Workspace is a workspace or server of a platform, whichever tenant it belongs to.
type Workspace struct{ Platform, ID string }

// Everything is the scope of a whole workspace. Other scopes are the ids of its channels and
// people.
const Everything = ""

// Version identifies a state of some scopes. It differs after each change of one of them. A result
// that was read from a platform is valid while the version is the same as before the read. An empty
// version means that nothing is valid, because this replica would miss changes.
type Version string

// Changes notifies all replicas of changes in permissions. It is safe for concurrent use.
type Changes interface {
	// Version returns the version of the scopes and of Everything. Call it before asking a
	// platform, and before using the result. Scopes without a change within a day have the version
	// of Everything.
	Version(ctx context.Context, w Workspace, scopes ...string) (Version, error)
	// Changed invalidates what replicas have cached for the scopes. It returns once each replica
	// will notice. Acknowledge the event only then.
	Changed(ctx context.Context, w Workspace, scopes ...string) error
	// Heard records that this process currently receives the events of some workspaces. If no
	// process calls it for longer than HearingGap, events may have been missed, and older caches
	// become invalid.
	Heard(ctx context.Context, workspaces ...Workspace) error
}

const (
	// HearingGap is the time without Heard after which events may have been missed. Platforms
	// redeliver or resume within less.
	HearingGap = 30 * time.Second
	// HearingEvery is the interval at which a replica calls Heard.
	HearingEvery = 5 * time.Second
)

// People records which people are full members, for all replicas and across restarts. A channel
// counts as members-only only if everyone in it is known to be one. It is safe for concurrent use.
type People interface {
	// Known returns the certain records among people. Roll.At is the current time, for Found.
	Known(ctx context.Context, w Workspace, people []string) (Roll, error)
	// Found records what the platform answered about people, asked after the time at. It keeps
	// records of later changes.
	Found(ctx context.Context, w Workspace, inside map[string]bool, at time.Time) error
	// Told records an event about a person. Events may be late and out of order, so only Outside is
	// believed. Inside for a person not known as such, and Unsaid, make the person unknown, so that
	// the platform is asked again.
	Told(ctx context.Context, w Workspace, person string, is Standing) error
	Lists
}

// Lists coordinates which process lists all people of a workspace.
type Lists interface {
	// Begin reports whether a new list is due, and reserves it for this caller. at is its start.
	Begin(ctx context.Context, w Workspace) (at time.Time, due bool, err error)
	// End records that everyone was Found. If people is nil the list failed. If at is also zero,
	// another process may begin at once.
	End(ctx context.Context, w Workspace, people []string, at time.Time) error
}

// Standing is what an event says about a person.
type Standing int

// What an event can say.
const (
	Unsaid  Standing = iota
	Inside           // a full member
	Outside          // not a full member
)

// Roll holds the records of some people.
type Roll struct {
	// whether each known person is a full member
	Inside  map[string]bool
	At      time.Time // time of the call
	Pending bool      // more will be known soon, because a list is being read or due
}

// Ages of records about people.
const (
	// ListEvery is the interval of listing a workspace's people, and ListAge the maximum age of a
	// valid list.
	ListEvery = 10 * time.Minute
	ListAge   = 30 * time.Minute
	// ListStep is how long a list is reserved after each of its pages, and the delay before a retry
	// after a failure.
	ListStep = 2 * time.Minute
)
