package cite

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/footnotehq/footnote/core/document"
)

// Mapping maps the numbers in a model's citations to passages. A number keeps its passage for the
// whole session, so a model may copy [7] from an earlier answer. New passages get higher numbers.
//
// The zero value is ready to use. All methods are safe for concurrent use, because tools add
// documents while an answer is streamed.
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

// Add returns the number of a source's passage. A new passage gets a new number. For a known
// passage, Add fills empty fields of the stored source from s. A source without a document id
// always gets a new number.
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

// Restore assigns the number n, which an earlier turn used, to a source. It does nothing if n is
// below 1, already used, or reserved for another document. Two numbers of the same passage are both
// valid, and [Mapping.Add] returns the first.
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

// Reserve keeps the number n free for a passage of an earlier turn that the current audience may
// not see. Until Add or Restore adds this passage, a citation [n] is not converted. Reserve does
// nothing if n is already used or reserved.
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

// Page returns a short name of a document for the model, such as "p7". All passages of a document
// share the name for the whole session. It is "" for a document without a number.
func (m *Mapping) Page(id document.ID) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, known := m.pages[id]
	if !known {
		return ""
	}
	return "p" + strconv.Itoa(n)
}

// Lookup returns the source that the model cites as [n].
func (m *Mapping) Lookup(n int) (Source, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	s, ok := m.sources[n]
	return s, ok
}

// Len returns how many numbers have a source. Reserved numbers do not count.
func (m *Mapping) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.sources)
}

// All yields a snapshot of the numbers and sources, in ascending order of the numbers.
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

// inventedAbove limits which unknown numbers count as invented citations. They may exceed the
// highest known number by at most this value. Larger numbers are text, such as a year.
const inventedAbove = 20

func (m *Mapping) isInvented(n int) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, shown := m.sources[n]
	_, reserved := m.reserved[n]
	return !shown && !reserved && n <= m.last+inventedAbove
}

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
