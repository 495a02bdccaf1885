package cite

import (
	"sync"

	"github.com/footnotehq/footnote/core/document"
)

// Numbering gives the places that are cited the numbers that the reader sees: 1, 2, 3 … in the
// order of first use. Citations of one document that lead to different sections have different
// numbers. One Numbering serves one turn, so that the numbers of the narration go on in the answer;
// it may be shared by several Processors of that turn as long as they do not run at the same time.
//
// The zero value is ready to use. It is not safe for concurrent use.
type Numbering struct {
	entries []entry
	numbers map[numberKey]int // to the index in entries
	shared  *Numbers          // nil: nothing else is numbered with it
}

// Numbers has several Numberings that run at the same time, such as those of
// several models' answers to one question, give a place the same number.
//
// The zero value is ready to use. It is safe for concurrent use.
type Numbers struct {
	mu    sync.Mutex
	given map[numberKey]int
}

// Numbering returns a Numbering whose numbers are drawn from n: 1, 2, 3 … in
// the order of first use in any of them.
func (n *Numbers) Numbering() *Numbering { return &Numbering{shared: n} }

// of returns the number of what is cited.
func (n *Numbers) of(key numberKey) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.given == nil {
		n.given = make(map[numberKey]int)
	}
	if n.given[key] == 0 {
		n.given[key] = len(n.given) + 1
	}
	return n.given[key]
}

// entry is a place that was cited.
type entry struct {
	info   Info
	link   string // the address, escaped
	linked bool   // whether there is one
}

// numberKey identifies what is cited: a document, and where the link leads. Sources without a
// document id are distinguished by the model's number.
type numberKey struct {
	document document.ID
	link     string // the address, escaped
	number   int
}

// NewNumbering returns a Numbering that starts at 1.
func NewNumbering() *Numbering { return &Numbering{} }

// Cited returns the places used so far, in the order of first use. The
// caller owns the slice.
func (n *Numbering) Cited() []Info {
	infos := make([]Info, len(n.entries))
	for i, e := range n.entries {
		infos[i] = e.info
	}
	return infos
}

// use returns the entry of a cited source and whether it is used for the
// first time.
func (n *Numbering) use(model int, s Source) (e *entry, first bool) {
	key := keyOf(model, s)
	if i, ok := n.numbers[key]; ok {
		return &n.entries[i], false
	}
	if n.numbers == nil {
		n.numbers = make(map[numberKey]int)
	}
	number := len(n.entries) + 1
	if n.shared != nil {
		number = n.shared.of(key)
	}
	n.numbers[key] = len(n.entries)
	link, linked := LinkURL(s.URL)
	n.entries = append(n.entries, entry{info: Info{Number: number, Source: s}, link: link, linked: linked})
	return &n.entries[len(n.entries)-1], true
}

func keyOf(model int, s Source) numberKey {
	link, _ := LinkURL(s.URL)
	if s.Document == "" {
		return numberKey{link: link, number: model}
	}
	return numberKey{document: s.Document, link: link}
}
