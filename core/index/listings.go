package index

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// Listings keeps between runs what the engine that reads a source (package crawl) has noted, and
// which documents the lists of the source hold. It belongs to one source of one tenant, and goes
// with the source. Implementations are safe for concurrent use.
//
// It is apart from Checkpoint, so that binaries with and without the engine can take turns: neither
// changes what the other has stored.
type Listings interface {
	// Notes returns all notes.
	Notes(ctx context.Context) (map[string][]byte, error)
	// Note stores notes together; a nil value removes one.
	Note(ctx context.Context, notes map[string][]byte) error
	// List records that a pass met documents in a list. A later pass that met one stays recorded.
	List(ctx context.Context, list string, pass int64, met []Listed) error
	// Unlist takes documents out of a list.
	Unlist(ctx context.Context, list string, ids []document.ID) error
	// Lists returns the lists that hold each document, sorted. Documents in no list are left out.
	Lists(ctx context.Context, ids []document.ID) (map[document.ID][]string, error)
	// Missing returns the documents of a list, sorted, that were last met before a pass, and how
	// many documents the list holds in all. Where from is not zero it returns those alone that were
	// made between from and to.
	Missing(ctx context.Context, list string, before int64, from, to time.Time) (missing []document.ID, held int, err error)
	// Strays returns the stored documents of the source that are in no list, sorted.
	Strays(ctx context.Context) ([]document.ID, error)
}

// Listed is a document in a list.
type Listed struct {
	ID   document.ID
	Made time.Time // zero: not known
}

type listingsKey struct{}

// WithListings returns a context for a run over a source whose Listings they are.
func WithListings(ctx context.Context, l Listings) context.Context {
	return context.WithValue(ctx, listingsKey{}, l)
}

// ListingsOf returns the Listings of the source that a run reads; nil outside of a run.
func ListingsOf(ctx context.Context) Listings {
	l, _ := ctx.Value(listingsKey{}).(Listings)
	return l
}
