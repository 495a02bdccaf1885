package cite

import "github.com/footnotehq/footnote/core/document"

// Reserve keeps the number n for a document that the session has shown before, without making n resolvable: [n] stays text until Add
// brings the document. So numbers stay stable although the present audience may not see, or the model no longer reads, what they once
// stood for. A number that is taken is left as it is.
func (m *Mapping) Reserve(n int, id document.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.sources[n]; taken || n < 1 {
		return
	}
	if m.numbers == nil {
		m.sources = make(map[int]Source)
		m.numbers = make(map[document.ID]int)
	}
	if _, known := m.numbers[id]; !known && id != "" {
		m.numbers[id] = n
	}
	m.last = max(m.last, n)
}
