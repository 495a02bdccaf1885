package index

import (
	"context"
	"sync/atomic"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/footprint"
)

// preparedPerByte is the memory for each byte of a document's text until the document is stored:
// the text itself, its chunks, their search texts and the copies that the store makes.
const preparedPerByte = 8

// reservation is the memory of a group's documents in the pool [footprint.Prepared]. The zero value
// is empty. It is safe for concurrent use.
type reservation struct {
	begun atomic.Bool
	taken atomic.Int64
}

// add reserves memory for a document. Only the first document of a group waits for memory, so that
// groups never wait for one another. For the others, ok is false if there is not enough.
func (v *reservation) add(ctx context.Context, d *document.Document) (n int64, ok bool, err error) {
	size := int64(0)
	for _, s := range d.Sections {
		for _, b := range s.Blocks {
			size += int64(len(b.Text))
		}
	}
	first := v.begun.CompareAndSwap(false, true)
	n, ok, err = footprint.Prepared().Take(ctx, preparedPerByte*size, first)
	if ok {
		v.taken.Add(n)
	}
	return n, ok, err
}

func (v *reservation) release(n int64) {
	v.taken.Add(-n)
	footprint.Prepared().Return(n)
}

// free releases what is left.
func (v *reservation) free() {
	if v == nil {
		return
	}
	footprint.Prepared().Return(v.taken.Swap(0))
}

// delayed is the error of a document that was loaded and waits for the memory of the next group.
type delayed struct{ document document.Document }

func (*delayed) Error() string { return "it waits for memory" }
