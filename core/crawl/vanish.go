package crawl

import (
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

// Grace is how long missing documents stay hidden before they are removed.
const Grace = 7 * 24 * time.Hour

// A list has shrunk when at least shrunkFrom documents and more than one in shrunkPart are missing.
// Then a lost right of the credential is more likely than so many deletions.
const (
	shrunkFrom = 20
	shrunkPart = 3
)

// List is what a pass found of a list of documents: a space, a project, a drive, the issues of a
// repository.
type List struct {
	Name    string // for the operator
	Stored  int    // documents of the list in the index
	Missing int    // those of them that the pass did not meet
	Lost    bool   // the scope itself is not shown any more
	Partial bool   // the list is incomplete
	// Since is the Ruling.Since of the pass before, zero at first.
	Since time.Time
}

// Ruling is what follows for the missing documents of a list. Those that the list names again get
// their readers back, whatever the ruling.
type Ruling struct {
	Fate Fate
	// Since is when they were hidden; zero: they are not. The caller stores it for the next pass.
	Since time.Time
}

// Fate is what becomes of missing documents.
type Fate int

// Fates.
const (
	Keep   Fate = iota // they stay as they are
	Hide               // no one may read them
	Remove             // they leave the index
)

// Vanish decides about the documents of a list that a pass at now did not meet. What the vendor
// itself says is deleted needs no ruling: it is removed in that pass.
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

// Verdict is the fate of one missing document.
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

// Shrunk is the notice about a list whose missing documents are hidden. back says what brings them
// back, as an imperative without its full stop.
func (r Ruling) Shrunk(l List, back string) index.Notice {
	return index.Notice{Name: l.Name, Sentence: fmt.Sprintf(
		"%d of %d documents are not listed any more. They are hidden from everyone now and will be removed after %s. If they still exist, %s.",
		l.Missing, l.Stored, r.Since.Add(Grace).UTC().Format("2006-01-02 15:04 UTC"), back)}
}

// Incomplete is the notice about a list that was not read to its end. Nothing counts as missing.
func Incomplete(name string, why error) index.Notice {
	return index.Notice{Name: name, Sentence: fmt.Sprintf("It could not be listed to its end (%v). Nothing is removed, and the next run tries again.", why)}
}
