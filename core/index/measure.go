package index

import (
	"sync"
	"sync/atomic"
)

// Counter counts tokens. budget.Counter is one. Implementations are safe for concurrent use, and
// take any text in about linear time.
type Counter interface {
	Count(text string) int
}

// meter counts tokens and remembers the counts of short pieces. Chunking counts every word several
// times, and an index holds few different words: remembering makes it several times faster.
type meter struct {
	counter Counter
	known   sync.Map // string → int
	size    atomic.Int64
}

const (
	// longestPiece is the most bytes of a piece that is worth remembering.
	longestPiece = 48
	// mostPieces bounds the memory of a meter to a few megabytes.
	mostPieces = 1 << 16
)

// count is the number of tokens of a text. The pieces are cut before a single space between other
// characters: no token of the vocabularies that we use begins before such a space and ends behind
// it, so the sum is exact.
func (m *meter) count(text string) int {
	total, start := 0, 0
	for i := 1; i+1 < len(text); i++ {
		if text[i] == ' ' && solid(text[i-1]) && solid(text[i+1]) {
			total += m.piece(text[start:i])
			start = i
		}
	}
	return total + m.piece(text[start:])
}

// solid reports whether a byte is a visible ASCII character.
func solid(b byte) bool { return ' ' < b && b < 0x7f }

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
