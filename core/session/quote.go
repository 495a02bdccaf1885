package session

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
)

// Quotes knows what was taken back of documents whose parts are single people's, such as the
// messages of a thread. Safe for concurrent use.
type Quotes interface {
	// Standing reports of each reference whether the text that was shown of its document is still
	// part of it. Of documents that count as a whole it says that it is.
	Standing(ctx context.Context, tenant access.TenantID, shown []message.Reference) ([]bool, error)
}
