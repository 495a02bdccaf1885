package wire

import (
	"github.com/footnotehq/footnote/core/access"
)

// Resolver finds out what all of those hold who are present.
func (b *Base) Resolver() *access.Resolver {
	return &access.Resolver{Rules: func() access.Rules { return b.File().Rules() }}
}
