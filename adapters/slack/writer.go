package slack

import (
	"sync/atomic"
)

// Writer writes into a workspace: answers, notices, forms and what stands beside them. It is safe for concurrent use.
type Writer struct {
	slack     *Workspace
	streams   openStreams
	refusals  atomic.Int32 // of sessions, in a row
	noStreams atomic.Bool  // the workspace was found not to have them
	noStatus  atomic.Bool  // likewise
}

// NewWriter returns a writer into a workspace.
func NewWriter(w *Workspace) *Writer { return &Writer{slack: w} }
