package cite

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/footnotehq/footnote/core/document"
)

// Mapping maps the numbers that the model sees to passages. A number keeps its passage for the
// whole session, and new passages get higher numbers. So a model that copies [7] from an earlier
// answer refers to the same passage.
//
// The zero value is ready to use. All methods are safe for concurrent use, because parallel tools
// add documents while an answer is streamed.
type Mapping struct {
	mu       sync.RWMutex
	sources  map[int]Source
	numbers  map[Passage]int     // the first number of each passage
	pages    map[document.ID]int // the lowest number of each document
	reserved map[int]Passage     // numbers that do not resolve yet
	last     int
}

// NewMapping returns an empty mapping.
func NewMapping() *Mapping { return &Mapping{} }

// Add returns the number of the source's passage. A known passage keeps its number, and its empty
// fields are filled from the source. A source without a document id always gets a new number.
func (m *Mapping) Add(s Source) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, known := m.numbers[s.Passage()]
	if !known || s.Document == "" {
		n = m.last + 1
	}
	if old, found := m.sources[n]; found {
		s = old.fillEmpty(s)
	}
	m.set(n, s)
	return n
}

// Restore adds a number of an earlier turn. It ignores numbers below 1. It also ignores numbers
// that are used or reserved for another document. If the history has two numbers for one passage,
// both numbers resolve. Add then returns the number that was restored first.
func (m *Mapping) Restore(n int, s Source) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.sources[n]; taken || n < 1 {
		return
	}
	if p, reserved := m.reserved[n]; reserved && p.Document != s.Document {
		return
	}
	m.set(n, s)
}

// Reserve reserves n for a passage that the session has shown before. [n] stays text until Add or
// Restore adds the passage. So numbers stay stable although the current audience may not see their
// passages. Reserve ignores numbers that are used or reserved.
func (m *Mapping) Reserve(n int, p Passage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, taken := m.sources[n]
	_, reserved := m.reserved[n]
	if taken || reserved || n < 1 {
		return
	}
	m.assign(n, p)
	m.reserved[n] = p
}

// Page returns a name of a document for the model, such as "p7". The name is the same for all
// passages of the document and for the whole session. It is empty for a document without a number.
func (m *Mapping) Page(id document.ID) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, known := m.pages[id]
	if !known {
		return ""
	}
	return "p" + strconv.Itoa(n)
}

// Lookup returns the source of the model's number n.
func (m *Mapping) Lookup(n int) (Source, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	s, ok := m.sources[n]
	return s, ok
}

// Len returns the count of numbers that resolve.
func (m *Mapping) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.sources)
}

// All yields a snapshot of the mapping in ascending order of the numbers. The caller stores it with
// the session.
func (m *Mapping) All() iter.Seq2[int, Source] {
	m.mu.RLock()
	sources := maps.Clone(m.sources)
	m.mu.RUnlock()
	return func(yield func(int, Source) bool) {
		for _, n := range slices.Sorted(maps.Keys(sources)) {
			if !yield(n, sources[n]) {
				return
			}
		}
	}
}

func (m *Mapping) set(n int, s Source) {
	m.assign(n, s.Passage())
	m.sources[n] = s
	delete(m.reserved, n)
}

// assign maps a passage to n. It is used for numbers that resolve and for reserved numbers.
func (m *Mapping) assign(n int, p Passage) {
	if m.sources == nil {
		m.sources = make(map[int]Source)
		m.numbers = make(map[Passage]int)
		m.pages = make(map[document.ID]int)
		m.reserved = make(map[int]Passage)
	}
	if _, known := m.numbers[p]; !known && p.Document != "" {
		m.numbers[p] = n
	}
	if first, known := m.pages[p.Document]; (!known || n < first) && p.Document != "" {
		m.pages[p.Document] = n
	}
	m.last = max(m.last, n)
}

func (m *Mapping) isKnown(n int) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, ok := m.sources[n]
	return ok
}

// inventedAbove is the maximum difference between an invented number and the highest number of the
// mapping.
const inventedAbove = 20

// isInvented reports whether n was never shown and is small enough to be an invented citation.
func (m *Mapping) isInvented(n int) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, shown := m.sources[n]
	_, reserved := m.reserved[n]
	return !shown && !reserved && n <= m.last+inventedAbove
}

// anySource reports whether of returns true for any source.
func (m *Mapping) anySource(matches func(Source) bool) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, s := range m.sources {
		if matches(s) {
			return true
		}
	}
	return false
}

// fillEmpty returns s with its empty fields filled from other.
func (s Source) fillEmpty(other Source) Source {
	if s.Document == "" { // the number was only reserved
		s.Document, s.Part = other.Document, other.Part
	}
	if s.Title == "" {
		s.Title = other.Title
	}
	if s.URL == "" {
		s.URL, s.Section = other.URL, other.Section
	}
	if s.Kind == "" {
		s.Kind = other.Kind
	}
	return s
}
