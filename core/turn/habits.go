package turn

import "sync"

// quietCalls is the number of consecutive calls without narration after which a model's text is no
// longer held back. A model that narrates does so in most of its turns.
const quietCalls = 3

// narrationStats counts, for each model, the latest consecutive calls without narration, which is
// text before a tool call. It is safe for concurrent use.
type narrationStats struct {
	mu     sync.Mutex
	silent map[string]int
}

func (h *narrationStats) recordCall(model string, silently bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.silent == nil {
		h.silent = make(map[string]int)
	}
	if !silently {
		h.silent[model] = 0
	} else if h.silent[model] < quietCalls {
		h.silent[model]++
	}
}

func (h *narrationStats) skipsNarration(model string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.silent[model] >= quietCalls
}
