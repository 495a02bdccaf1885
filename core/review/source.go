package review

import (
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// Source is how current a source is. It names no document: titles are for those alone who may read
// them.
type Source struct {
	ID              document.SourceID
	Name, Kind      string
	Documents       int64
	LastSuccess     time.Time // zero: never
	LastRun         time.Time // when the newest run began; zero: never
	Running         bool      // it goes on, or was killed
	Every           time.Duration
	NextRun         string
	Failed, Skipped int
	FailedRuns      int // in a row
	People          string
	Faults          []string
	Offers          []SourceAct
	// Of a source that has its own readers; nil else.
	Loops                           []Loop
	Matched, Unmatched, Conflicting int
	// Late is how late a revocation shows at most, and Deleted how late a deletion; 0: no look at the
	// source notices it. Bound says what holds instead.
	Late, Deleted time.Duration
	Bound         string
}

// Loop is how far it is known who may read a source.
type Loop struct {
	Name       string    // "groups", or what the source has permissions of
	ReadAt     time.Time // zero: never to the end
	CountsTill time.Time // zero: nothing of the source is shown
	FailedRuns int       // in a row
}

// SourceAct is what is done to a source by hand.
type SourceAct string

// What is done to sources.
const (
	SourceRun    SourceAct = "run" // before it is due
	SourcePause  SourceAct = "pause"
	SourceResume SourceAct = "resume"
	SourceResync SourceAct = "resync" // from the beginning
)

// SourceActs are all of them, as a page offers them.
func SourceActs() []SourceAct { return []SourceAct{SourceRun, SourcePause, SourceResume, SourceResync} }

// Readers says whether a person may read a document, and by what.
type Readers struct {
	Readers access.ACL
	Through []access.Held // empty: the person may not read it
}

// Through returns what of all that a person holds lets the person read what has an access list.
func Through(list access.ACL, held []access.Held) []access.Held {
	return slices.DeleteFunc(slices.Clone(held), func(h access.Held) bool { return !slices.Contains(list, h.Principal) })
}

// Answer is whether a person may read what has an address.
type Answer struct {
	Documents []Readers // with that address; none: it is not in the index
	// Unasked says that the platform was not asked, so that channels, groups and roles are unknown.
	Unasked bool
}

// InputError says why what a person asked for means nothing or cannot be done, in a sentence.
type InputError struct{ Sentence string }

// Error implements error.
func (e *InputError) Error() string { return e.Sentence }
