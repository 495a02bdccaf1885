// Package write writes to Discord. It posts answers and notices, responds to interactions, shows
// forms, and registers commands.
package write

import (
	"sync"

	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/directory"
)

// Writer posts answers, notices and forms, responds to interactions, and registers commands. It is
// safe for concurrent use.
type Writer struct {
	discord   *call.Bot
	directory *directory.Directory
	sealer    sealer

	mu   sync.Mutex
	acks map[string]chan struct{} // by interaction: closed when it is acknowledged
}

// NewWriter returns a writer for a bot. It returns an error if the key of interaction tokens cannot
// be derived.
func NewWriter(b *call.Bot, d *directory.Directory) (*Writer, error) {
	seal, err := newSealer(b.Config.Token, b.Config.SecretKeys)
	if err != nil {
		return nil, err
	}
	return &Writer{discord: b, directory: d, sealer: seal, acks: make(map[string]chan struct{})}, nil
}
