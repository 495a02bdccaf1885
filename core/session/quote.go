package session

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
)

// Quotes checks for deleted parts of documents whose parts belong to single people, such as the
// messages of a thread. It is safe for concurrent use.
type Quotes interface {
	// Standing reports for each reference whether the text that was shown is still part of its
	// document. It is true for documents that have no such parts.
	Standing(ctx context.Context, tenant access.TenantID, shown []message.Reference) ([]bool, error)
}
