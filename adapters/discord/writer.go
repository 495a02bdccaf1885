package discord

import (
	"sync"
)

// Writer writes answers, and what is said beside them. It is safe for concurrent use.
type Writer struct {
	discord   *Bot
	directory *Directory
	sealer    sealer

	mu   sync.Mutex
	acks map[string]chan struct{} // by interaction: closed when it is acknowledged
}

// NewWriter returns a writer.
func NewWriter(b *Bot, d *Directory) (*Writer, error) {
	seal, err := newSealer(b.config.Token, b.config.SecretKeys)
	if err != nil {
		return nil, err
	}
	return &Writer{discord: b, directory: d, sealer: seal, acks: make(map[string]chan struct{})}, nil
}
