// Package read reads messages, threads and files. It also finds the bot's own messages and the
// messages that a message replies to. It writes nothing.
package read

import (
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/directory"
)

// Reader reads messages and their files, and finds the first message of a chain of replies. It is
// safe for concurrent use.
type Reader struct {
	discord   *call.Bot
	directory *directory.Directory
	Roots     *roots
}

// NewReader returns a reader for a bot. It takes channels and roles from d.
func NewReader(b *call.Bot, d *directory.Directory) *Reader {
	return &Reader{discord: b, directory: d, Roots: newRoots(b.API)}
}
