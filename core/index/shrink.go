package index

import (
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

const (
	// shrunkFrom and shrunkPart are how many documents, and which part of a source's, a whole pass
	// may find to be gone without a second one that says the same.
	shrunkFrom, shrunkPart = 20, 3
	// shrunkAgain is how much later the second one begins.
	shrunkAgain = time.Hour
)

// shrinks reports whether documents that a whole pass did not meet are to be left where they are
// for now. A listing can be cut short without a word, as when a credential loses a part of its
// rights, and a full scan of a large source is costly. Only sources with nodes are guarded: no one
// reads what is gone there from the moment that its node is.
func (r *run) shrinks(gone []document.ID, known int) bool {
	_, guarded := r.connector.(NodeReader)
	if !guarded || len(gone) <= shrunkFrom || len(gone)*shrunkPart <= known {
		r.state.ShrunkAt = time.Time{}
		return false
	}
	if r.state.ShrunkAt.IsZero() {
		r.state.ShrunkAt = r.last.StartedAt
	}
	if r.last.StartedAt.Sub(r.state.ShrunkAt) >= shrunkAgain {
		r.state.ShrunkAt = time.Time{}
		return false
	}
	r.failed(Notice{Name: r.state.Source.Name, Sentence: fmt.Sprintf("The source does not list %d of the %d documents any more that are in the index. "+
		"Nothing was removed, since a list can be cut short: look whether the credential still sees all that it should. "+
		"They are removed once a pass that begins after %s finds the same.", len(gone), known, r.state.ShrunkAt.Add(shrunkAgain).UTC().Format("15:04 UTC"))})
	return true
}
