// Package read reads messages and the messages they reply to, threads, files, and the bot's own
// messages. It writes nothing.
package read

import (
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/directory"
)

// Reader reads messages, and finds the question that began a chain of replies. It is safe for
// concurrent use.
type Reader struct {
	discord   *call.Bot
	directory *directory.Directory
	Roots     *roots
}

// NewReader returns a reader.
func NewReader(b *call.Bot, d *directory.Directory) *Reader {
	return &Reader{discord: b, directory: d, Roots: newRoots(b.API)}
}
