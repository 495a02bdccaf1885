package sourcepass

import (
	"slices"
	"sync"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// checkpointBytes is the average number of bytes of checkpoints that are written for each batch. A
// batch needs at least one request, which takes longer than writing that many bytes.
const checkpointBytes = 16 << 10

// Documents sends the documents of a pass. It must not be used concurrently.
type Documents struct {
	Emit    func(index.Batch) error  // emit function of Batches
	Encode  func() index.Checkpoint  // returns the current state
	Resumed bool                     // index.Batch.Resumed
	Notices []index.Notice           // sent with the next batch
	Sent    map[document.ID]struct{} // documents of this pass, which are not sent again

	left int // bytes that may be written before the next checkpoint
	size int // bytes of the last checkpoint
}

// Send sends a batch, with a checkpoint if one is due. A checkpoint may be as large as the source,
// and writing it with each batch would take quadratic time. The number of batches between
// checkpoints is therefore proportional to the size of a checkpoint. If a run is killed between
// checkpoints, the next run sends those batches again.
func (d *Documents) Send(b index.Batch) error {
	if d.left += checkpointBytes; d.left < d.size {
		return d.send(b)
	}
	return d.Save(b)
}

// Save sends a batch with a checkpoint. Use it at the end of a pass, or if the next run must have
// the state.
func (d *Documents) Save(b index.Batch) error {
	b.Next = d.Encode()
	d.left, d.size = 0, len(b.Next)
	return d.send(b)
}

func (d *Documents) send(b index.Batch) error {
	if d.Sent == nil {
		d.Sent = make(map[document.ID]struct{})
	}
	b.Resumed, b.Failures, d.Notices = d.Resumed, append(d.Notices, b.Failures...), nil
	b.Documents = slices.DeleteFunc(b.Documents, func(i index.Item) bool {
		_, twice := d.Sent[i.ID]
		d.Sent[i.ID] = struct{}{}
		return twice
	})
	return d.Emit(b)
}

// Unmet describes the stored documents of one list. IDs are those that a pass did not find in it.
type Unmet struct {
	Stored int // number of stored documents
	IDs    []document.ID
}

// FindUnmet sends a batch and calls place for every stored document. in means that the document
// belongs to a list, and met that the pass found it there. FindUnmet returns after the last
// document. Another goroutine calls place, possibly even after an error.
func FindUnmet(send func(index.Batch) error, b index.Batch, place func(document.ID) (in, met bool)) (Unmet, error) {
	var mu sync.Mutex
	var found Unmet
	b.Review = func(id document.ID) index.Verdict {
		mu.Lock()
		defer mu.Unlock()
		in, met := place(id)
		if in {
			found.Stored++
		}
		if in && !met {
			found.IDs = append(found.IDs, id)
		}
		return index.Verdict{}
	}
	if err := send(b); err != nil {
		return Unmet{}, err
	}
	if err := send(index.Batch{}); err != nil { // accepted once the batch before it is processed
		return Unmet{}, err
	}
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(found.IDs)
	return Unmet{Stored: found.Stored, IDs: slices.Clone(found.IDs)}, nil
}

// Review returns a batch that gives the documents in IDs a verdict.
func (u Unmet) Review(v index.Verdict) index.Batch {
	ids := make(map[document.ID]bool, len(u.IDs))
	for _, id := range u.IDs {
		ids[id] = true
	}
	return index.Batch{Review: func(id document.ID) index.Verdict {
		if ids[id] {
			return v
		}
		return index.Verdict{}
	}}
}
