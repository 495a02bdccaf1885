package index

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// Listings stores the state of package crawl between runs. The state consists of notes, and of the
// documents in each list of a source. Listings belongs to one source of one tenant and is removed
// with that source. Implementations are safe for concurrent use.
//
// Listings is separate from Checkpoint. Binaries with and without the engine can therefore
// alternate, and neither changes the state of the other.
type Listings interface {
	// Notes returns all notes.
	Notes(ctx context.Context) (map[string][]byte, error)
	// Note stores notes in one transaction. A nil value removes a note.
	Note(ctx context.Context, notes map[string][]byte) error
	// List records that a pass found documents in a list. It never overwrites the record of a later
	// pass.
	List(ctx context.Context, list string, pass int64, met []Listed) error
	// Unlist removes documents from a list.
	Unlist(ctx context.Context, list string, ids []document.ID) error
	// Lists returns the lists that hold each document, sorted. Documents in no list are omitted.
	Lists(ctx context.Context, ids []document.ID) (map[document.ID][]string, error)
	// Missing returns the documents of a list, sorted, that no pass since before has found. A
	// non-zero from restricts missing to documents created between from and to. held is the number
	// of all documents in the list.
	Missing(ctx context.Context, list string, before int64, from, to time.Time) (missing []document.ID, held int, err error)
	// Strays returns the source's stored documents that are in no list, sorted.
	Strays(ctx context.Context) ([]document.ID, error)
}

// Listed is a document in a list.
type Listed struct {
	ID   document.ID
	Made time.Time // creation time; zero if unknown
}

type listingsKey struct{}

// WithListings returns a context that carries the Listings of a run's source.
func WithListings(ctx context.Context, l Listings) context.Context {
	return context.WithValue(ctx, listingsKey{}, l)
}

// ListingsOf returns the Listings of the source that a run reads. It returns nil outside of a run.
func ListingsOf(ctx context.Context) Listings {
	l, _ := ctx.Value(listingsKey{}).(Listings)
	return l
}
