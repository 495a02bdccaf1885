// Package budget makes a conversation fit the window of a model.
//
// [Fitter] gives each part of a turn's context a share of the window. It cuts the middle of a text
// that is too long for its share. The result never exceeds the window. [FillWindow] adds sources of
// earlier turns to a set of sources.
//
// Functions of this package do not modify their arguments. All are safe for concurrent use if the
// [Counter] is.
package budget

import (
	"hash/maphash"
	"sync"
)

// Counter converts text to the tokens of a model and back. Implementations are safe for concurrent
// use and pass budgettest.Suite.
type Counter interface {
	// Count returns the number of tokens of text, which equals len(Encode(text)). Special tokens of
	// a model ("<|endoftext|>") count as plain text.
	Count(text string) int
	// Encode returns the tokens of text. The result is nil or empty for the empty text.
	Encode(text string) []int
	// Decode returns the text of tokens. Tokens may split a rune, so the result may begin or end
	// with an incomplete rune. Decode omits unknown tokens.
	Decode(tokens []int) string
}

const (
	// messageTokens is the cost of a message's role and delimiters, in addition to its text.
	messageTokens = 3
	// conversationTokens is the cost of a conversation in addition to its messages. It includes the
	// start of the reply.
	conversationTokens = 5
)

// memoBytes is the minimum length in bytes of a text whose count is cached. The newest memoTexts
// counts always stay in the cache.
const (
	memoBytes = 128
	memoTexts = 8192
)

// Memo is a [Counter] that caches the counts of long texts, because successive requests share most
// of their texts. It keeps hashes instead of texts, in less than a megabyte. It is safe for
// concurrent use.
type Memo struct {
	counter Counter
	seed    maphash.Seed

	mu       sync.Mutex
	new, old map[memoKey]int // recently used counts are in new; old is discarded when new is full
}

type memoKey struct {
	hash uint64
	size int
}

var _ Counter = (*Memo)(nil)

// NewMemo returns a [Memo] that caches the counts of counter.
func NewMemo(counter Counter) *Memo {
	return &Memo{counter: counter, seed: maphash.MakeSeed(), new: make(map[memoKey]int)}
}

// Count implements [Counter].
func (m *Memo) Count(text string) int {
	if len(text) < memoBytes {
		return m.counter.Count(text)
	}
	key := memoKey{maphash.String(m.seed, text), len(text)}
	m.mu.Lock()
	n, ok := m.new[key]
	if !ok {
		if n, ok = m.old[key]; ok {
			m.store(key, n)
		}
	}
	m.mu.Unlock()
	if ok {
		return n
	}
	// Count outside the lock: two callers may count the same text, but none waits for another's
	// text.
	n = m.counter.Count(text)
	m.mu.Lock()
	m.store(key, n)
	m.mu.Unlock()
	return n
}

// store caches a count. If the newest counts are memoTexts, it drops all older ones. mu must be
// held.
func (m *Memo) store(key memoKey, n int) {
	if len(m.new) >= memoTexts {
		m.old, m.new = m.new, make(map[memoKey]int)
	}
	m.new[key] = n
}

// Encode implements [Counter].
func (m *Memo) Encode(text string) []int { return m.counter.Encode(text) }

// Decode implements [Counter].
func (m *Memo) Decode(tokens []int) string { return m.counter.Decode(tokens) }
