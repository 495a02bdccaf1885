// Package receive takes in what Slack tells, over sockets or as signed requests, keeps its order,
// and hands it to a handler in event's words.
package receive

import (
	"sync"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/directory"
	"github.com/footnotehq/footnote/adapters/slack/read"
	"github.com/footnotehq/footnote/adapters/slack/write"
	"golang.org/x/sync/semaphore"
)

// Receiver takes in what a workspace tells of. It is safe for concurrent use.
type Receiver struct {
	slack     *call.Workspace
	directory *directory.Directory
	reader    *read.Reader
	writer    *write.Writer
	queued    *semaphore.Weighted // bytes of events that wait or are handled
	// commands and presses that were acknowledged before they were carried out
	late sync.WaitGroup
}

// NewReceiver returns a receiver of a workspace.
func NewReceiver(w *call.Workspace, d *directory.Directory, r *read.Reader, to *write.Writer) *Receiver {
	return &Receiver{slack: w, directory: d, reader: r, writer: to, queued: semaphore.NewWeighted(maxQueued)}
}
