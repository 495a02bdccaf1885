package index

import (
	"context"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// Verdict says what to do with a stored document without reading it again. The zero Verdict leaves
// the document unchanged.
type Verdict struct {
	Gone bool       // remove it
	ACL  access.ACL // the new access list; nil leaves it unchanged
}

const maxAccessChanges = 5000

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
	for some := range slices.Chunk(changes, maxAccessChanges) {
		if err := r.setACL(ctx, some); err != nil {
			return err
		}
		r.state.Counts.Unchanged += len(some)
		r.state.Counts.Shared += len(some)
	}
	return r.remove(ctx, gone)
}

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
		r.updateStamp(c.ID, c.Hash, c.ACL)
	}
	return nil
}

func (r *run) updateStamp(id document.ID, sum Hash, acl access.ACL) {
	if r.stored != nil {
		r.stored[id] = Stamp{Hash: sum, ACL: sorted(acl)}
	}
}
