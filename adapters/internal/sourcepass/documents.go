package sourcepass

import (
	"slices"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// checkpointBytes limits the size of the checkpoints that a run writes. It is the average number of
// bytes per batch.
const checkpointBytes = 16 << 10

// Documents sends the batches of documents of one run to the index, with checkpoints. It is not
// safe for concurrent use.
type Documents struct {
	Emit    func(index.Batch) error  // emit function of Batches
	Encode  func() index.Checkpoint  // returns the current state
	Resumed bool                     // index.Batch.Resumed
	Notices []index.Notice           // sent with the next batch
	Sent    map[document.ID]struct{} // documents of this pass, which are not sent again

	left int // bytes that may be written before the next checkpoint
	size int // bytes of the last checkpoint
}

// Send sends a batch, and adds a checkpoint if one is due. The larger the last checkpoint was, the
// later the next one is due. A run that is killed repeats the batches after its last checkpoint.
func (d *Documents) Send(b index.Batch) error {
	if d.left += checkpointBytes; d.left < d.size {
		return d.send(b)
	}
	return d.Save(b)
}

// Save sends a batch and always adds a checkpoint. Use it for the last batch of a run, and for
// progress that must not be lost.
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
