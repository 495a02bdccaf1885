package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Renderer lays a View out as the pages of one platform. Implementations are stateless, deterministic and safe for concurrent use:
// equal views give equal pages, which is how a replay can be compared. Unchanged pages are known by their JSON, so that all of P that is
// shown is part of it.
type Renderer[P any] interface {
	// Render returns one page or more; none while there is nothing worth showing. Limits of the platform hold by construction.
	Render(v *View) []P
}

// TailRenderer is implemented by renderers of surfaces that can append to a message (thread.Streamer).
type TailRenderer[P any] interface {
	// Tail begins one answer.
	Tail() Tail[P]
}

// Tail renders one answer piece by piece. What it has returned is never taken back.
type Tail[P any] interface {
	// Next returns what is new in the view, and false when there is nothing yet. When the view is Done it returns all that is left.
	Next(v *View) (P, bool)
}

// hashOf identifies what a page shows.
func hashOf[P any](page P) (string, error) {
	b, err := json.Marshal(page)
	if err != nil {
		return "", fmt.Errorf("hash a page: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
