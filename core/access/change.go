package access

import (
	"context"
	"time"
)

// Workspace is a workspace or server of a platform, whichever tenant it belongs to.
type Workspace struct{ Platform, ID string }

// Everything is the scope of all that is known of a workspace. Other scopes are the ids of its
// channels and people.
const Everything = ""

// Version stands for a state of some scopes: it is another after each change of one of them. What
// was read of a platform is believed as long as the version is the one from before it was read. The
// empty version says that nothing is: no replica would hear of a change.
type Version string

// Changes tells all replicas what has changed in who may read. It is safe for concurrent use.
type Changes interface {
	// Version returns the version of the scopes together, and of Everything. It is asked before a
	// platform is, and before what it said is used. That of scopes that have never changed, or not
	// for a day, is that of Everything alone.
	Version(ctx context.Context, w Workspace, scopes ...string) (Version, error)
	// Changed makes replicas forget what they know of the scopes. It returns once each of them
	// will: then the event is acknowledged.
	Changed(ctx context.Context, w Workspace, scopes ...string) error
	// Heard says that this process hears of changes in some workspaces at present. Where no process
	// has said so for longer than HearingGap, changes may have been missed, and what was known
	// before is forgotten.
	Heard(ctx context.Context, workspaces ...Workspace) error
}

const (
	// HearingGap is for how long no replica may have said that it hears before it counts as a gap.
	// Platforms deliver again, or resume, after less.
	HearingGap = 30 * time.Second
	// HearingEvery is how often a replica says that it hears.
	HearingEvery = 5 * time.Second
)

// People remembers, for all replicas and across restarts, whose presence leaves a channel one of
// full members alone. It is safe for concurrent use.
type People interface {
	// Known returns those of the people about whom it is certain. at is the present, for Found.
	Known(ctx context.Context, w Workspace, people []string) (Roll, error)
	// Found notes what the platform said of people when it was asked after a moment. What is known
	// to have changed since then is left alone.
	Found(ctx context.Context, w Workspace, inside map[string]bool, at time.Time) error
	// Told notes what an event says of a person. Events may be late and out of order, so one that
	// says Outside is believed; after one that says Inside of a person who was not known as such,
	// or nothing, the platform is asked again.
	Told(ctx context.Context, w Workspace, person string, is Standing) error
	Lists
}

// Lists is the part of People that is for whoever lists all of a workspace.
type Lists interface {
	// Begin reports whether a new list is due. Only this caller reads it then; at is when it began.
	Begin(ctx context.Context, w Workspace) (at time.Time, due bool, err error)
	// End says that everybody was Found. Where people is nil there will be no list for now, and
	// with a zero moment another process may begin at once.
	End(ctx context.Context, w Workspace, people []string, at time.Time) error
}

// Standing is what an event says of a person's presence in channels.
type Standing int

// What an event can say.
const (
	Unsaid  Standing = iota
	Inside           // a channel stays one of full members alone
	Outside          // it does not
)

// Roll is what is known of some people.
type Roll struct {
	Inside  map[string]bool
	At      time.Time // when that was
	Pending bool      // more will be known soon: a list is being read, or about to be
}

// Ages of what is known of people.
const (
	// ListEvery is how often the people of a workspace are listed, and ListAge how old a list may
	// be that is believed.
	ListEvery = 10 * time.Minute
	ListAge   = 30 * time.Minute
	// ListStep is for how long a list belongs to whoever reads it after each of its pages, and when
	// it is tried again after a failure.
	ListStep = 2 * time.Minute
)
