package access

import (
	"context"
	"time"
)

// Workspace identifies a Slack workspace or a Discord server. The same workspace has the same
// identity for all tenants.
type Workspace struct{ Platform, ID string }

// Everything is the scope of a whole workspace in [Changes]. All other scopes are ids of channels
// or people.
const Everything = ""

// Version identifies the state of the scopes passed to [Changes.Version]. It differs after each
// change in one of them. A cached result is valid while its version equals the current one. If the
// current version is empty, no cached result is valid, because this replica may miss changes.
type Version string

// Changes notifies all replicas when permissions change. It is safe for concurrent use.
type Changes interface {
	// Version returns the version of the given scopes and of Everything. Call it before asking a
	// platform, and again before using the cached result. The version forgets changes of a scope
	// after a day.
	Version(ctx context.Context, w Workspace, scopes ...string) (Version, error)
	// Changed invalidates the cached results of all replicas for the scopes. When it returns, every
	// replica will notice the change. Acknowledge the platform's event only after Changed has
	// returned.
	Changed(ctx context.Context, w Workspace, scopes ...string) error
	// Heard records that this process currently receives the events of some workspaces. If no
	// process calls Heard for longer than HearingGap, events may have been missed. All earlier
	// cached results are then invalid.
	Heard(ctx context.Context, workspaces ...Workspace) error
}

const (
	// HearingGap is the maximum time between two calls of [Changes.Heard] in which no event is
	// lost. After a longer gap, the replica may have missed events.
	HearingGap = 30 * time.Second
	// HearingEvery is the interval at which a replica calls [Changes.Heard].
	HearingEvery = 5 * time.Second
)

// People records which people are full members. All replicas share the records, and they survive
// restarts. A channel counts as members-only if everyone in the channel is known to be a full
// member. It is safe for concurrent use.
type People interface {
	// Known returns what is certain about the given people. Roll.At is the current time, to be
	// passed to Found.
	Known(ctx context.Context, w Workspace, people []string) (Roll, error)
	// Found records the platform's answer about people. at is the time before the platform was
	// asked. Found does not replace records of changes after at.
	Found(ctx context.Context, w Workspace, inside map[string]bool, at time.Time) error
	// Told records an event about a person. Events may be late and out of order, so only Outside
	// is stored as a fact. After Unsaid, the person is unknown, and the platform is asked again.
	// The same is true after Inside, except for a person who is known as a full member.
	Told(ctx context.Context, w Workspace, person string, is Standing) error
	Lists
}

// Lists coordinates replicas so that only one at a time reads the list of all people of a
// workspace.
type Lists interface {
	// Begin reports whether a new list is due. If so, the list is reserved for the caller. at is
	// the start of the list.
	Begin(ctx context.Context, w Workspace) (at time.Time, due bool, err error)
	// End records that the list from Begin is complete. Everyone in people must have been passed
	// to Found before. Known members who are not in people become unknown. If people is nil,
	// reading the list failed. If at is also zero, another process may begin a list at once.
	End(ctx context.Context, w Workspace, people []string, at time.Time) error
}

// Standing says whether an event reports a person as a full member.
type Standing int

// The values of Standing. Unsaid means that the event does not report the status.
const (
	Unsaid  Standing = iota
	Inside           // a full member
	Outside          // not a full member
)

// Roll is the known membership of people in a workspace, as returned by [People.Known].
type Roll struct {
	// Inside says for each known person whether the person is a full member.
	Inside  map[string]bool
	At      time.Time // time of the call
	Pending bool      // more will be known soon, because a list is being read or due
}

// Intervals for reading the list of a workspace's people (see [Lists]).
const (
	// ListEvery is the interval at which the list of a workspace's people is read. ListAge is how
	// long a complete list stays valid.
	ListEvery = 10 * time.Minute
	ListAge   = 30 * time.Minute
	// ListStep is how long one process has the exclusive right to read a list. Each page passed to
	// [People.Found] extends this time. A failed read is retried after the same time.
	ListStep = 2 * time.Minute
)
