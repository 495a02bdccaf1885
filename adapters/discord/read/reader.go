// Package read reads what was said: messages and what they answer, threads, files, and which of the
// bot's own messages stand where. It writes nothing.
package read

import (
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/directory"
)

// Reader reads what was said, and knows which question a chain of replies began with. It is safe
// for concurrent use.
type Reader struct {
	discord   *call.Bot
	directory *directory.Directory
	Roots     *roots
}

// NewReader returns a reader.
func NewReader(b *call.Bot, d *directory.Directory) *Reader {
	return &Reader{discord: b, directory: d, Roots: newRoots(b.API)}
}
