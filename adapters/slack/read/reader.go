// Package read reads from Slack: threads, single messages, files, and the bot's own messages. It
// also reads the messages that arrived while no replica ran. It writes nothing.
package read

import (
	"github.com/footnotehq/footnote/adapters/slack/call"
)

// Reader reads the messages of a workspace. It is safe for concurrent use.
type Reader struct {
	slack *call.Workspace
	twins twins
}

// NewReader returns a reader that makes its calls through w.
func NewReader(w *call.Workspace) *Reader { return &Reader{slack: w} }
