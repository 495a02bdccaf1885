package index

import (
	"sync"
	"sync/atomic"
)

// Counter counts the tokens of a text in about linear time. budget.Counter implements it.
// Implementations must be safe for concurrent use.
type Counter interface {
	Count(text string) int
}

// meter caches the token counts of short pieces. Chunking counts every word several times, so the
// cache makes it several times faster.
type meter struct {
	counter Counter
	known   sync.Map // string → int
	size    atomic.Int64
}

const (
	longestPiece = 48
	// mostPieces is the maximum number of cached counts. It limits the memory of a meter to a few
	// megabytes.
	mostPieces = 1 << 16
)

// count returns the number of tokens of a text. It counts the parts before single spaces
// separately. No token of the supported vocabularies spans such a split, so the sum is exact.
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
