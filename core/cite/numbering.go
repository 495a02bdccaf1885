package cite

import (
	"sync"

	"github.com/footnotehq/footnote/core/document"
)

// Numbering assigns the numbers that the reader sees: 1, 2, 3 … in the order of first use.
// Citations of one document have different numbers if they link to different sections. Use one
// Numbering per turn, so that the answer continues the numbers of the narration. Several Processors
// of the turn may share a Numbering, one at a time.
//
// The zero value is ready to use. It is not safe for concurrent use.
type Numbering struct {
	entries []entry
	numbers map[placeKey]int // to the index in entries
	shared  *Numbers         // nil: the numbers are not shared
}

// Numbers coordinates concurrent Numberings, such as the Numberings of several models' answers to
// one question. A cited section has the same number in all of them. The zero value is ready to use.
// It is safe for concurrent use.
type Numbers struct {
	mu      sync.Mutex
	numbers map[placeKey]int
}

// Numbering returns a Numbering that takes its numbers from n: 1, 2, 3 … in the order of first use
// in any Numbering of n.
func (n *Numbers) Numbering() *Numbering { return &Numbering{shared: n} }

// numberOf returns the number of a cited section. A section that is not known gets the next number.
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

// entry is a cited section of a document.
type entry struct {
	info   Info
	link   string // escaped address
	linked bool   // whether link is valid
}

// placeKey identifies a cited section by the document and the link. A source without a document id
// is identified by the model's number.
type placeKey struct {
	document document.ID
	link     string // the address, escaped
	number   int
}

// NewNumbering returns a Numbering that starts at 1.
func NewNumbering() *Numbering { return &Numbering{} }

// Cited returns the sections cited so far, in the order of first use. The caller owns the slice.
func (n *Numbering) Cited() []Info {
	infos := make([]Info, len(n.entries))
	for i, e := range n.entries {
		infos[i] = e.info
	}
	return infos
}

// use returns the entry of a cited source. It also reports whether this is the first use of the
// source.
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
