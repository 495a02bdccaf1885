package session

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
)

// Quotes checks whether quoted text was deleted from its document. For example, a person can delete
// one message of a thread. It is safe for concurrent use.
type Quotes interface {
	// Standing reports for each reference whether the shown text is still part of its document. The
	// result is true for documents without such parts.
	Standing(ctx context.Context, tenant access.TenantID, shown []message.Reference) ([]bool, error)
}
