package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// ReadAccess reads who may read a source. It reads the groups of the source first, then its nodes,
// if the connector supports them. If again is true, it reads both from the beginning. If reading
// the groups fails, ReadAccess still reads the nodes, unless the credential is refused. An
// interrupted run keeps its stored results, and the next run continues it.
//
// If a document moves below another node, its stored access list changes first, before the node
// does. Until the node is stored, the document is hidden from everyone.
//
// The error says why a loop did not finish. It wraps ErrRevoked and ErrSuperseded. A cancelled run
// returns the cause of the cancellation. If the cause is ErrPaused, no failure is recorded.
func ReadAccess(ctx context.Context, store AccessStore, documents Store, tenant access.TenantID, source Connector, again bool) error {
	ctx = access.WithTenant(ctx, tenant)
	var groups, nodes error
	if r, ok := source.(GroupReader); ok {
		groups = readLoop(ctx, store, tenant, source, LoopGroups, again, r.Groups, storableGroups, store.PutGroups)
	}
	if r, ok := source.(NodeReader); ok && ctx.Err() == nil && !errors.Is(groups, ErrRevoked) {
		nodes = readLoop(ctx, store, tenant, source, LoopNodes, again, r.Nodes, storableNodes, func(ctx context.Context, tenant access.TenantID, run AccessRun, b NodeBatch) error {
			if err := moveDocuments(ctx, documents, tenant, run, b.Documents); err != nil {
				return err
			}
			return store.PutNodes(ctx, tenant, run, b)
		})
	}
	return errors.Join(groups, nodes)
}

// moveDocuments writes the access lists of nodes to stored documents. The new lists may be narrower
// or wider than the stored ones. While a document run is in progress, it also writes lists that
// equal the stored ones. That run may hold older lists, and must not replace the newer ones.
func moveDocuments(ctx context.Context, store Store, tenant access.TenantID, run AccessRun, lists map[document.ID]access.ACL) error {
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(lists)), maxAccessChanges) {
		known, err := store.Known(ctx, tenant, run.Source, ids)
		if err != nil {
			return fmt.Errorf("ask which of %d documents are below another node: %w", len(ids), err)
		}
		var changes []Access
		for _, id := range ids {
			if stamp, stored := known[id]; stored && (run.Reading || !slices.Equal(sorted(lists[id]), stamp.ACL)) {
				changes = append(changes, Access{ID: id, ACL: sorted(lists[id]), Hash: stamp.Hash, ReadAt: run.StartedAt})
			}
		}
		if len(changes) == 0 {
			continue
		}
		if err := store.SetACL(ctx, tenant, run.Source, changes); err != nil {
			return fmt.Errorf("change who may read %d documents: %w", len(changes), err)
		}
	}
	return nil
}

// Hide hides a source from everyone if why wraps ErrRevoked, because reading its documents showed
// that the credential is refused. The source stays hidden until ReadAccess succeeds again. Hide
// does nothing for other errors, or for sources without nodes.
func Hide(ctx context.Context, store AccessStore, tenant access.TenantID, source Connector, why error) error {
	if _, ok := source.(NodeReader); !ok || !errors.Is(why, ErrRevoked) {
		return nil
	}
	run, err := store.BeginAccess(ctx, tenant, source.Source(), LoopNodes, false)
	if err != nil {
		return err
	}
	return store.EndAccess(ctx, tenant, run, why)
}

// readLoop runs one loop.
func readLoop[B any](
	ctx context.Context, store AccessStore, tenant access.TenantID, source Connector, loop Loop, again bool,
	read func(context.Context, Checkpoint) iter.Seq2[B, error], clean func(B) B, put func(context.Context, access.TenantID, AccessRun, B) error,
) error {
	run, err := store.BeginAccess(ctx, tenant, source.Source(), loop, again)
	if err != nil {
		return err
	}
	err = func() error {
		for batch, err := range read(ctx, run.Since) {
			if err != nil {
				return fmt.Errorf("read the %s of %s: %w", loop, source.Source().Name, err)
			}
			if err := put(ctx, tenant, run, clean(batch)); err != nil {
				return err
			}
		}
		return nil
	}()
	if ctx.Err() != nil { // the cancellation caused the error
		err = fmt.Errorf("reading the %s of %s was stopped and continues with the next run: %w", loop, source.Source().Name, context.Cause(ctx))
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	return errors.Join(err, store.EndAccess(ending, tenant, run, err))
}
