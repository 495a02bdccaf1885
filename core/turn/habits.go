package turn

import "sync"

// quietCalls is after how many calls in a row without a word before them a model's words are no
// longer held back. A model that narrates does so in most of its turns.
const quietCalls = 3

// habits counts, by model, the latest calls without a word before them. It is safe for concurrent
// use.
type habits struct {
	mu     sync.Mutex
	silent map[string]int
}

// recordCall records a step that called tools, with or without narration.
func (h *habits) recordCall(model string, silently bool) {
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

// isSilent reports whether the model does not narrate, as far as its latest calls show.
func (h *habits) isSilent(model string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.silent[model] >= quietCalls
}
