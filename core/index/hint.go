package index

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// Hint says that something in a source has changed, as an event of the source told. It says where
// to look and never what is there: a hint that is lost costs time and nothing else.
type Hint struct {
	Subject string `json:"s"` // what has changed, in the connector's words
	// when it was last heard, by the store's clock: what was heard later is another hint
	At time.Time `json:"t"`
}

// Hints are what was heard of the sources of a tenant since they were last read, kept where every
// process finds it. Implementations are safe for concurrent use.
type Hints interface {
	// Hear notes that subjects of a source have changed.
	Hear(ctx context.Context, source document.SourceID, subjects []string) error
	// Heard returns what was heard of a source, at most so many, the oldest first.
	Heard(ctx context.Context, source document.SourceID, most int) ([]Hint, error)
	// Followed forgets hints, unless the same was heard again since.
	Followed(ctx context.Context, source document.SourceID, hints []Hint) error
}
