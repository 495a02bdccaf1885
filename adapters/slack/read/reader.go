// Package read reads what was said: threads, single messages, files, what came while no replica
// ran, and which of the bot's own messages stand where. It writes nothing.
package read

import (
	"github.com/footnotehq/footnote/adapters/slack/call"
)

// Reader reads what was said in a workspace. It is safe for concurrent use.
type Reader struct {
	slack *call.Workspace
	twins twins
}

// NewReader returns a reader of a workspace.
func NewReader(w *call.Workspace) *Reader { return &Reader{slack: w} }
