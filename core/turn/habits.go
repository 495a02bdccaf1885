package turn

import "sync"

// quietCalls is the number of consecutive tool calls without narration after which a model's text
// is no longer held back.
const quietCalls = 3

// narrationStats counts the consecutive tool calls of each model that had no narration, which is
// text before a call. It is safe for concurrent use.
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
