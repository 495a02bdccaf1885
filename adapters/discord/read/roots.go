package read

import (
	"context"
	"errors"
	"sync"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/core/thread"
)

// maxRoots is the maximum number of cached messages. maxChain is the maximum number of replies that
// are followed back to a first message.
const (
	maxRoots = 20_000
	maxChain = 20
)

// roots maps messages to the question that began their chain of replies. It is used for answers
// without a thread. It is safe for concurrent use.
type roots struct {
	api *call.API

	mu    sync.Mutex
	known map[string]string // message to the thread of its session
}

func newRoots(a *call.API) *roots { return &roots{api: a, known: make(map[string]string)} }

// Set records that message belongs to the chain of replies that began with root.
func (r *roots) Set(message, root string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) >= maxRoots {
		for id := range r.known { // any: a needed entry is found again
			delete(r.known, id)
			break
		}
	}
	r.known[message] = root
}

func (r *roots) get(message string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	root, known := r.known[message]
	return root, known
}

// Knows reports whether Set has recorded a message, which is the case only for questions.
func (r *roots) Knows(message string) bool {
	_, known := r.get(message)
	return known
}

// find returns the id of the first message in the chain of replies that m belongs to. If the chain
// began with a command, it is the id of the interaction.
func (r *roots) find(ctx context.Context, channel string, m *discordgo.Message) (string, error) {
	for range maxChain {
		if root, known := r.get(m.ID); known {
			return root, nil
		}
		if m.InteractionMetadata != nil {
			return m.InteractionMetadata.ID, nil
		}
		if m.MessageReference == nil || m.MessageReference.MessageID == "" {
			return m.ID, nil
		}
		id := m.MessageReference.MessageID
		if root, known := r.get(id); known {
			return root, nil
		}
		earlier, err := r.api.Message(ctx, channel, id)
		if errors.Is(err, thread.ErrMessageGone) {
			return id, nil
		}
		if err != nil {
			return "", err
		}
		m = earlier
	}
	return m.ID, nil
}
