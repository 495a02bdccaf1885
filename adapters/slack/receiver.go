package slack

import (
	"sync"
)

// Receiver takes in what a workspace tells of. It is safe for concurrent use.
type Receiver struct {
	slack     *Workspace
	directory *Directory
	reader    *Reader
	writer    *Writer
	late      sync.WaitGroup // commands and presses that were acknowledged before they were carried out
}

// NewReceiver returns a receiver of a workspace.
func NewReceiver(w *Workspace, d *Directory, r *Reader, to *Writer) *Receiver {
	return &Receiver{slack: w, directory: d, reader: r, writer: to}
}
