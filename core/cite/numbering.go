package cite

import (
	"slices"

	"github.com/footnotehq/footnote/core/document"
)

// Numbering gives documents the numbers that the reader sees: 1, 2, 3 … in the
// order of first use. One Numbering serves one turn, so that the numbers of
// the narration go on in the answer; it may be shared by several Processors
// of that turn as long as they do not run at the same time.
//
// The zero value is ready to use. It is not safe for concurrent use.
type Numbering struct {
	infos   []Info
	numbers map[numberKey]int
}

// numberKey identifies what is cited. Sources without a document id are told
// apart by the model's number.
type numberKey struct {
	document document.ID
	number   int
}

// NewNumbering returns a Numbering that starts at 1.
func NewNumbering() *Numbering { return &Numbering{} }

// Cited returns the documents used so far, in the order of first use. The
// caller owns the slice.
func (n *Numbering) Cited() []Info { return slices.Clone(n.infos) }

// use returns the entry of a cited source and whether it is used for the
// first time. With keep, the model's number is the reader's number.
func (n *Numbering) use(model int, s Source, keep bool) (info *Info, first bool) {
	key := keyOf(model, s)
	if i, ok := n.numbers[key]; ok {
		return &n.infos[i], false
	}
	if n.numbers == nil {
		n.numbers = make(map[numberKey]int)
	}
	number := len(n.infos) + 1
	if keep {
		number = model
	}
	n.numbers[key] = len(n.infos)
	n.infos = append(n.infos, Info{Number: number, Source: s})
	return &n.infos[len(n.infos)-1], true
}

func keyOf(model int, s Source) numberKey {
	if s.Document == "" {
		return numberKey{number: model}
	}
	return numberKey{document: s.Document}
}
