package jobs

import (
	"testing"

	"github.com/footnotehq/footnote/core/index"
)

// A job has time to read a document up to its limit, and to record it, before it is cancelled.
func TestReadingFitsIntoPiece(t *testing.T) {
	t.Parallel()
	if Piece < 2*index.Reading || timeout < Piece+index.Reading {
		t.Errorf("a document has %v, a piece %v, and a job is cancelled after %v", index.Reading, Piece, timeout)
	}
}
