// Package write writes to Slack: answers, notices, forms, titles and status lines.
package write

import (
	"sync/atomic"

	"github.com/footnotehq/footnote/adapters/slack/call"
)

// Writer posts answers, notices, forms and titles to a workspace. It is safe for concurrent use.
type Writer struct {
	slack     *call.Workspace
	streams   openStreams
	refusals  atomic.Int32 // refused sessions in a row
	noStreams atomic.Bool  // the workspace has no streams
	noStatus  atomic.Bool  // the workspace has no status lines
	noFiles   atomic.Bool  // the workspace takes no files, or the app may not upload any
}

// NewWriter returns a writer that makes its calls through w.
func NewWriter(w *call.Workspace) *Writer { return &Writer{slack: w} }
