package index

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// Listings stores notes and lists about one source of one tenant, for package crawl. A list holds
// the ids of documents that the source lists together, such as the issues of a project.
// Implementations must be safe for concurrent use.
//
// The [Checkpoint] of the source is stored separately, so that versions of the program without
// package crawl can use it.
type Listings interface {
	// Notes returns all stored notes by key.
	Notes(ctx context.Context) (map[string][]byte, error)
	// Note stores notes in one transaction. A nil value removes a note.
	Note(ctx context.Context, notes map[string][]byte) error
	// List adds documents to a list, or updates their pass. pass is the number of the pass over the
	// source that found them. It never replaces the number of a later pass.
	List(ctx context.Context, list string, pass int64, met []Listed) error
	// Unlist removes documents from a list.
	Unlist(ctx context.Context, list string, ids []document.ID) error
	// Lists returns the lists that hold each document, sorted. Documents in no list are omitted.
	Lists(ctx context.Context, ids []document.ID) (map[document.ID][]string, error)
	// Missing returns the documents of a list, sorted, that were last found by a pass before the
	// pass number before. If from is not zero, it returns only documents created between from and
	// to. held is the number of all documents in the list.
	Missing(ctx context.Context, list string, before int64, from, to time.Time) (missing []document.ID, held int, err error)
	// Strays returns the source's stored documents that are in no list, sorted.
	Strays(ctx context.Context) ([]document.ID, error)
}

// Listed is a document in a list of [Listings].
type Listed struct {
	ID   document.ID
	Made time.Time // creation time; zero if unknown
}

type listingsKey struct{}

// WithListings returns a context that carries l, so that a connector can find it with [ListingsOf].
func WithListings(ctx context.Context, l Listings) context.Context {
	return context.WithValue(ctx, listingsKey{}, l)
}

// ListingsOf returns the Listings of the source that is being read. It returns nil outside of a
// run.
func ListingsOf(ctx context.Context) Listings {
	l, _ := ctx.Value(listingsKey{}).(Listings)
	return l
}
