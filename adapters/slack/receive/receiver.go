// Package receive receives Slack's events over sockets or as signed requests. It keeps them in
// order and passes them to a handler as events of core/chat.
package receive

import (
	"sync"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/directory"
	"github.com/footnotehq/footnote/adapters/slack/read"
	"github.com/footnotehq/footnote/adapters/slack/write"
	"golang.org/x/sync/semaphore"
)

// Receiver receives the events of a workspace over sockets or as signed requests. It is safe for
// concurrent use.
type Receiver struct {
	slack     *call.Workspace
	directory *directory.Directory
	reader    *read.Reader
	writer    *write.Writer
	queued    *semaphore.Weighted // bytes of events that wait or are handled
	// commands and presses that are still handled after their acknowledgement
	late sync.WaitGroup
}

// NewReceiver returns a receiver for a workspace. It receives nothing before Listen or a request to
// Handler.
func NewReceiver(w *call.Workspace, d *directory.Directory, r *read.Reader, to *write.Writer) *Receiver {
	return &Receiver{slack: w, directory: d, reader: r, writer: to, queued: semaphore.NewWeighted(maxQueued)}
}
