package cite

import (
	"sync"

	"github.com/footnotehq/footnote/core/document"
)

// Numbering assigns the numbers that readers of an answer see: 1, 2, 3 … in the order of first
// use. Citations of one document have different numbers if they link to different sections. Use one
// Numbering for each turn. Several Processors may share a Numbering, but not concurrently.
//
// The zero value is ready to use. It is not safe for concurrent use.
type Numbering struct {
	entries []entry
	numbers map[placeKey]int // to the index in entries
	shared  *Numbers         // nil: the numbers are not shared
}

// Numbers coordinates several concurrent answers to one question, such as the answers of several
// models. A cited section has the same number in all of them. Each answer needs a separate
// [Numbering]. The zero value is ready to use. It is safe for concurrent use.
type Numbers struct {
	mu      sync.Mutex
	numbers map[placeKey]int
}

// Numbering returns a [Numbering] that takes its numbers from n. The numbers are 1, 2, 3 … in the
// order of first use in any Numbering of n.
func (n *Numbers) Numbering() *Numbering { return &Numbering{shared: n} }

func (n *Numbers) numberOf(key placeKey) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.numbers == nil {
		n.numbers = make(map[placeKey]int)
	}
	if n.numbers[key] == 0 {
		n.numbers[key] = len(n.numbers) + 1
	}
	return n.numbers[key]
}

type entry struct {
	info   Info
	link   string // escaped address
	linked bool   // whether link is valid
}

// placeKey identifies a cited section by its document and address. For a source without a document
// id, number is the model's number. Otherwise number is 0.
type placeKey struct {
	document document.ID
	link     string // the address, escaped
	number   int
}

// NewNumbering returns a Numbering that starts at 1.
func NewNumbering() *Numbering { return &Numbering{} }

// Cited returns the sections cited so far, in the order of first use. The caller may modify the
// slice.
func (n *Numbering) Cited() []Info {
	infos := make([]Info, len(n.entries))
	for i, e := range n.entries {
		infos[i] = e.info
	}
	return infos
}

func (n *Numbering) use(model int, s Source) (e *entry, first bool) {
	key := placeKeyOf(model, s)
	if i, ok := n.numbers[key]; ok {
		return &n.entries[i], false
	}
	if n.numbers == nil {
		n.numbers = make(map[placeKey]int)
	}
	number := len(n.entries) + 1
	if n.shared != nil {
		number = n.shared.numberOf(key)
	}
	n.numbers[key] = len(n.entries)
	link, linked := LinkURL(s.URL)
	n.entries = append(n.entries, entry{info: Info{Number: number, Source: s}, link: link, linked: linked})
	return &n.entries[len(n.entries)-1], true
}

func placeKeyOf(model int, s Source) placeKey {
	link, _ := LinkURL(s.URL)
	if s.Document == "" {
		return placeKey{link: link, number: model}
	}
	return placeKey{document: s.Document, link: link}
}
