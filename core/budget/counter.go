// Package budget makes a conversation fit the window of a model.
//
// [Fitter] gives each part of what a turn sends its share of the window. A text
// that is too long for its share is "cannonballed": a hole is blasted into its
// middle. The result is never larger than the window. [FillWindow] tops up a set
// of sources with those of earlier turns.
//
// Nothing in this package changes what it is given, and every function is safe
// for concurrent use as long as the [Counter] is.
package budget

import (
	"hash/maphash"
	"sync"
)

// Counter turns text into the tokens of a model and back. Implementations are
// safe for concurrent use and pass budgettest.Suite.
type Counter interface {
	// Count returns the number of tokens of text; it equals len(Encode(text)).
	// Marks that are special to a model ("<|endoftext|>") count as plain text.
	Count(text string) int
	// Encode returns the tokens of text, nil or empty for the empty text.
	Encode(text string) []int
	// Decode returns the text of tokens. A cut between two tokens may fall inside
	// a rune, so the bytes returned may begin or end with part of one. Tokens
	// that the vocabulary does not know are left out.
	Decode(tokens []int) string
}

const (
	// messageTokens is what a message costs in addition to its text: its role and its delimiters in
	// the chat format of the models.
	messageTokens = 3
	// conversationTokens is what a conversation costs in addition to its messages; it covers the
	// opening of the reply.
	conversationTokens = 5
)

// memoBytes is the length from which remembering a count is cheaper than
// counting again, and memoTexts is how many texts are remembered at least.
const (
	memoBytes = 128
	memoTexts = 8192
)

// Memo is a [Counter] that remembers what it has counted: the steps of a turn
// share most of their context, and turns share instructions, tools and passages.
// It keeps no text, only the last counts, each with a hash by which it is found
// again: less than a megabyte. It is safe for concurrent use.
type Memo struct {
	counter Counter
	seed    maphash.Seed

	mu       sync.Mutex
	new, old map[memoKey]int // what was in use lately is in new; old goes when that is full
}

// memoKey stands for a text. Two texts of one length with one hash are too unlikely to check for
// (one in 2^64, and the seed is secret).
type memoKey struct {
	hash uint64
	size int
}

var _ Counter = (*Memo)(nil)

// NewMemo returns a Memo in front of counter.
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
			m.keep(key, n)
		}
	}
	m.mu.Unlock()
	if ok {
		return n
	}
	// Counted outside the lock: two callers may count the same text, but no
	// caller waits for the text of another.
	n = m.counter.Count(text)
	m.mu.Lock()
	m.keep(key, n)
	m.mu.Unlock()
	return n
}

// keep remembers a count. m.mu is held.
func (m *Memo) keep(key memoKey, n int) {
	if len(m.new) >= memoTexts {
		m.old, m.new = m.new, make(map[memoKey]int)
	}
	m.new[key] = n
}

// Encode implements [Counter].
func (m *Memo) Encode(text string) []int { return m.counter.Encode(text) }

// Decode implements [Counter].
func (m *Memo) Decode(tokens []int) string { return m.counter.Decode(tokens) }
