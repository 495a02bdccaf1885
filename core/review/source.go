package review

import (
	"errors"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/sources"
)

// Source is the sync state of a source. It names no document, because only the readers of a
// document may see its title.
type Source struct {
	ID              document.SourceID
	Name, Kind      string
	Documents       int64
	LastSuccess     time.Time // zero: never
	LastRun         time.Time // start of the newest run; zero: never
	Running         bool      // a run is in progress, or was killed
	Every           time.Duration
	NextRun         string
	Failed, Skipped int
	FailedRuns      int // consecutive runs that failed
	People          string
	Faults          []string
	Offers          []sources.Act
	// Loops, Matched, Unmatched and Conflicting describe a source with its own permissions. They
	// are nil and zero for other sources.
	Loops                           []Loop
	Matched, Unmatched, Conflicting int
	// Late is the maximum time until a revocation takes effect. Deleted is the maximum time until a
	// deletion takes effect. 0 means that syncs do not notice such a change. Bound then says what
	// limits the delay.
	Late, Deleted time.Duration
	Bound         string
}

// Loop is the state of the background task that reads one kind of permissions of a source.
type Loop struct {
	Name       string    // "groups", or the kind of object with permissions
	ReadAt     time.Time // last complete read; zero: never
	CountsTill time.Time // expiry of the permissions; zero: the source is hidden
	FailedRuns int       // in a row
}

// Readers is the access list of a document and the reason why a person may read it.
type Readers struct {
	Readers access.ACL
	Through []access.Held // empty: the person may not read it
}

// Through returns the principals in held that are also in an access list. They are the reason why
// the person may read.
func Through(list access.ACL, held []access.Held) []access.Held {
	return slices.DeleteFunc(slices.Clone(held), func(h access.Held) bool { return !slices.Contains(list, h.Principal) })
}

// Answer says whether a person may read the documents at an address.
type Answer struct {
	Documents []Readers // documents at the address; empty: the index has none
	// Unasked says that the platform was not queried. The channels, groups and roles of the person
	// are then unknown.
	Unasked bool
}

// ErrAway reports that this process does not serve the platform of the person in question.
var ErrAway = errors.New("the platform is not served by this process")

// ErrGone reports that a person has left every workspace.
var ErrGone = errors.New("the person has left")

// InputError is an error in a person's input. Its sentence says why the input is invalid or the
// action is impossible.
type InputError struct{ Sentence string }

// Error implements error.
func (e *InputError) Error() string { return e.Sentence }
