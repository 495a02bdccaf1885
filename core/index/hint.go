package index

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// Hint says that something in a source has changed, as reported by an event. It says where to look,
// not what changed. A lost hint only delays the change.
type Hint struct {
	Subject string `json:"s"` // what has changed, in the connector's words
	// when it was last reported, by the store's clock; a later report is a new hint
	At time.Time `json:"t"`
}

// Hints stores the pending hints of a tenant's sources for all processes. Implementations are safe
// for concurrent use.
type Hints interface {
	// Hear records that subjects of a source have changed.
	Hear(ctx context.Context, source document.SourceID, subjects []string) error
	// Heard returns up to most hints of a source, oldest first.
	Heard(ctx context.Context, source document.SourceID, most int) ([]Hint, error)
	// Followed removes hints, unless the same subject was reported again since.
	Followed(ctx context.Context, source document.SourceID, hints []Hint) error
}
