package crawl

import (
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

// Grace is how long missing documents stay hidden before they are removed.
const Grace = 7 * 24 * time.Hour

// Missing documents are hidden, not removed, if at least shrunkFrom and more than 1/shrunkPart of
// the list are missing. The credential has then probably lost a permission.
const (
	shrunkFrom = 20
	shrunkPart = 3
)

// List summarises one reading of a list of documents, such as the issues of a repository. [Vanish]
// uses it to decide about the missing documents.
type List struct {
	Name    string // for the operator
	Stored  int    // documents of the list in the index
	Missing int    // of these, documents that the pass did not list
	Lost    bool   // the scope itself is no longer visible
	Partial bool   // the list is incomplete
	// Since is Ruling.Since of the previous pass. It is zero for the first pass.
	Since time.Time
}

// Ruling is the decision about the missing documents of a [List]. Whatever the ruling, a hidden
// document that is listed again becomes readable again.
type Ruling struct {
	Fate Fate
	// Since is the time at which the documents were hidden, or zero. The caller stores it for the
	// next pass.
	Since time.Time
}

// Fate is what happens to missing documents.
type Fate int

// The values of [Fate].
const (
	Keep   Fate = iota // unchanged
	Hide               // hidden from everyone
	Remove             // removed from the index
)

// Vanish decides about the documents that are missing from a list read at the time now. It keeps
// them if the list is incomplete. It hides them for [Grace] if the scope is invisible, or if at
// least 20 documents and more than a third are missing. The credential may then have lost a
// permission. Otherwise Vanish removes them.
//
// Documents that the vendor reports as deleted are removed without Vanish.
func Vanish(l List, now time.Time) Ruling {
	shrunk := l.Missing >= shrunkFrom && l.Missing*shrunkPart > l.Stored
	switch {
	case l.Partial:
		return Ruling{Fate: Keep, Since: l.Since}
	case !l.Lost && !shrunk:
		return Ruling{Fate: Remove}
	case l.Since.IsZero():
		return Ruling{Fate: Hide, Since: now}
	case now.Sub(l.Since) >= Grace:
		return Ruling{Fate: Remove}
	}
	return Ruling{Fate: Hide, Since: l.Since}
}

// Verdict returns the [index.Verdict] for a document with this fate.
func (f Fate) Verdict() index.Verdict {
	switch f {
	case Hide:
		return index.Verdict{ACL: access.ACL{}}
	case Remove:
		return index.Verdict{Gone: true}
	case Keep:
	}
	return index.Verdict{}
}

// Shrunk returns the notice for the operator that missing documents of a list are hidden. back says
// how to restore the documents, as an imperative without a full stop.
func (r Ruling) Shrunk(l List, back string) index.Notice {
	return index.Notice{Name: l.Name, Sentence: fmt.Sprintf(
		"%d of %d documents are not listed any more. They are hidden from everyone now and will be removed after %s. If they still exist, %s.",
		l.Missing, l.Stored, r.Since.Add(Grace).UTC().Format("2006-01-02 15:04 UTC"), back)}
}

// Incomplete returns the notice for the operator that a list was not read to its end. No document
// of such a list counts as missing.
func Incomplete(name string, why error) index.Notice {
	return index.Notice{Name: name, Sentence: fmt.Sprintf("It could not be listed to its end (%v). Nothing is removed, and the next run tries again.", why)}
}
