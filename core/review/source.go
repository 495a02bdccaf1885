package review

import (
	"errors"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/sources"
)

// Source is the sync state of a source. It names no document, because only a document's readers may
// see its title.
type Source struct {
	ID              document.SourceID
	Name, Kind      string
	Documents       int64
	LastSuccess     time.Time // zero: never
	LastRun         time.Time // start of the newest run; zero: never
	Running         bool      // in progress, or killed
	Every           time.Duration
	NextRun         string
	Failed, Skipped int
	FailedRuns      int // in a row
	People          string
	Faults          []string
	Offers          []sources.Act
	// Loops and the counts describe a source with its own permissions; nil and zero otherwise.
	Loops                           []Loop
	Matched, Unmatched, Conflicting int
	// Late is the longest time until a revocation takes effect, and Deleted the longest time until
	// a deletion does. 0 means that syncs do not notice it. Bound then says what limits the delay.
	Late, Deleted time.Duration
	Bound         string
}

// Loop is the state of reading one kind of a source's permissions.
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

// Through returns the principals held that are in an access list and so let the person read.
func Through(list access.ACL, held []access.Held) []access.Held {
	return slices.DeleteFunc(slices.Clone(held), func(h access.Held) bool { return !slices.Contains(list, h.Principal) })
}

// Answer says whether a person may read the documents at an address.
type Answer struct {
	Documents []Readers // at that address; none: not in the index
	// Unasked says that the platform was not queried, so the person's channels, groups and roles
	// are unknown.
	Unasked bool
}

// ErrAway reports that the process does not serve a question's platform.
var ErrAway = errors.New("the platform is not served by this process")

// ErrGone reports that a person is no longer in any workspace.
var ErrGone = errors.New("the person has left")

// InputError is a sentence that says why a person's input is invalid or the action is impossible.
type InputError struct{ Sentence string }

// Error implements error.
func (e *InputError) Error() string { return e.Sentence }
