package index

import (
	"context"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// Verdict is what becomes of a stored document without its being read (Batch.Review). The zero
// Verdict leaves it as it is.
type Verdict struct {
	Gone bool       // it is removed
	ACL  access.ACL // who may read it from now on; nil: as before
}

// mostAccess is how many documents get another access list in one transaction.
const mostAccess = 5000

// review asks about all stored documents of the source, and does what is said of them. Narrower
// access lists come first of all.
func (r *run) review(ctx context.Context, ask func(document.ID) Verdict) error {
	if ask == nil {
		return nil
	}
	if r.stored == nil {
		known, err := r.store.Known(ctx, r.tenant, r.state.Source.ID, nil)
		if err != nil {
			return fmt.Errorf("review the stored documents: %w", err)
		}
		r.stored = known
	}
	return r.apply(ctx, r.stored, ask)
}

// apply does what is said of stored documents, narrower access lists first.
func (r *run) apply(ctx context.Context, stored map[document.ID]Stamp, ask func(document.ID) Verdict) error {
	var gone []document.ID
	var changes []Access
	for id, stamp := range stored {
		switch v := ask(id); {
		case v.Gone:
			gone = append(gone, id)
		case v.ACL != nil && !slices.Equal(sorted(v.ACL), stamp.ACL):
			changes = append(changes, Access{ID: id, ACL: sorted(v.ACL), Hash: stamp.Hash})
		}
	}
	for some := range slices.Chunk(changes, mostAccess) {
		if err := r.setACL(ctx, some); err != nil {
			return err
		}
		r.state.Counts.Unchanged += len(some)
		r.state.Counts.Shared += len(some)
	}
	return r.remove(ctx, gone)
}

// setACL changes who may read stored documents.
func (r *run) setACL(ctx context.Context, changes []Access) error {
	if len(changes) == 0 {
		return nil
	}
	for i := range changes {
		changes[i].ReadAt = r.last.StartedAt
	}
	if err := r.store.SetACL(ctx, r.tenant, r.state.Source.ID, changes); err != nil {
		return fmt.Errorf("change who may read %d documents: %w", len(changes), err)
	}
	for _, c := range changes {
		r.note(c.ID, c.Hash, c.ACL)
	}
	return nil
}

// note keeps what is known to be stored current, once it is known.
func (r *run) note(id document.ID, sum Hash, acl access.ACL) {
	if r.stored != nil {
		r.stored[id] = Stamp{Hash: sum, ACL: sorted(acl)}
	}
}
