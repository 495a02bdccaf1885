package index

import (
	"sync"
	"sync/atomic"
)

// Counter counts the tokens of a text in about linear time. budget.Counter implements it.
// Implementations are safe for concurrent use.
type Counter interface {
	Count(text string) int
}

// meter counts tokens and caches the counts of short pieces. Chunking counts every word several
// times, and an index has few different words. The cache therefore makes chunking several times
// faster.
type meter struct {
	counter Counter
	known   sync.Map // string → int
	size    atomic.Int64
}

const (
	// longestPiece is the maximum length, in bytes, of a piece whose count is cached.
	longestPiece = 48
	// mostPieces is the maximum number of cached counts. It limits the memory of a meter to a few
	// megabytes.
	mostPieces = 1 << 16
)

// count returns the number of tokens of a text. It splits the text before single spaces between
// visible characters. No token of the supported vocabularies spans such a split, so the sum is
// exact.
func (m *meter) count(text string) int {
	total, start := 0, 0
	for i := 1; i+1 < len(text); i++ {
		if text[i] == ' ' && isVisible(text[i-1]) && isVisible(text[i+1]) {
			total += m.piece(text[start:i])
			start = i
		}
	}
	return total + m.piece(text[start:])
}

// isVisible reports whether a byte is a visible ASCII character.
func isVisible(b byte) bool { return ' ' < b && b < 0x7f }

func (m *meter) piece(text string) int {
	if len(text) > longestPiece {
		return m.counter.Count(text)
	}
	if n, ok := m.known.Load(text); ok {
		return n.(int)
	}
	n := m.counter.Count(text)
	if m.size.Load() < mostPieces {
		m.size.Add(1)
		m.known.Store(string([]byte(text)), n) // a copy, so that the document's text can be freed
	}
	return n
}
