package access

import (
	"context"
	"time"
)

// Workspace identifies a Slack workspace or a Discord server. It does not depend on the tenant.
type Workspace struct{ Platform, ID string }

// Everything is the scope that [Changes] uses for a whole workspace. Every other scope is the id of
// a channel or a person.
const Everything = ""

// Version identifies the state of the permissions in the scopes passed to [Changes.Version]. Each
// change of such a permission leads to a different version. A cached result is valid only while its
// version equals the current one. An empty current version makes all cached results invalid,
// because this replica may have missed changes.
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
	// HearingGap is the longest safe interval between two calls of [Changes.Heard]. After a longer
	// interval, events may have been missed, and all cached results are invalid.
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

// Standing is what an event says about whether a person is a full member.
type Standing int

// The values of Standing. Unsaid means that the event does not report the status.
const (
	Unsaid  Standing = iota
	Inside           // a full member
	Outside          // not a full member
)

// Roll says which people of a workspace are full members. [People.Known] returns it.
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
	// ListStep is how long a process has the exclusive right to read a list. Each call of
	// [People.Found] renews the right. After a failed read, the next one starts after the same
	// time.
	ListStep = 2 * time.Minute
)
