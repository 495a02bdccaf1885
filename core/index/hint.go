package index

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// Hint is a report that something in a source has changed, for example from a webhook. It says
// where to look, but not what changed. If a hint is lost, a later scan finds the change.
type Hint struct {
	Subject string `json:"s"` // what has changed, as the connector names it
	// when the change was last reported, by the store's clock; a later report is a new hint
	At time.Time `json:"t"`
}

// Hints stores the pending hints ([Hint]) of a tenant's sources for all processes. Implementations
// must be safe for concurrent use.
type Hints interface {
	// Hear records that subjects of a source have changed.
	Hear(ctx context.Context, source document.SourceID, subjects []string) error
	// Heard returns the oldest hints of a source. most limits their number.
	Heard(ctx context.Context, source document.SourceID, most int) ([]Hint, error)
	// Followed removes hints that were processed. It keeps a hint if its subject was reported again
	// since.
	Followed(ctx context.Context, source document.SourceID, hints []Hint) error
}
