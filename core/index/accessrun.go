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
	"github.com/footnotehq/footnote/core/footprint"
)

// ReadAccess updates the stored permissions of a source. It reads the groups ([GroupReader]) and
// then the nodes ([NodeReader]), if the connector supports them. A run continues an interrupted
// one, unless fromStart is true.
//
// The error wraps [ErrRevoked] if the source refuses the credential, and [ErrSuperseded] if a newer
// run has started. If ctx is cancelled, the error wraps the cause. The cause [ErrPaused] is not
// recorded as a failure.
//
// A document that moved to another node is hidden from everyone until that node is stored.
func ReadAccess(ctx context.Context, store AccessStore, documents Store, tenant access.TenantID, source Connector, fromStart bool) error {
	ctx = footprint.ForSources(access.WithTenant(ctx, tenant))
	var groups, nodes error
	if r, ok := source.(GroupReader); ok {
		groups = readLoop(ctx, store, tenant, source, LoopGroups, fromStart, r.Groups, storableGroups, store.PutGroups)
	}
	if r, ok := source.(NodeReader); ok && ctx.Err() == nil && !errors.Is(groups, ErrRevoked) {
		nodes = readLoop(ctx, store, tenant, source, LoopNodes, fromStart, r.Nodes, storableNodes, func(ctx context.Context, tenant access.TenantID, run AccessRun, b NodeBatch) error {
			if err := moveDocuments(ctx, documents, tenant, run, b.Documents); err != nil {
				return err
			}
			return store.PutNodes(ctx, tenant, run, b)
		})
	}
	return errors.Join(groups, nodes)
}

// moveDocuments stores the new access lists of documents that moved to another [Node]. It skips
// unknown documents and unchanged lists. While another run reads the source's documents
// (run.Reading), it stores unchanged lists too. Otherwise the other run could restore older lists.
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

// Hide hides a source from everyone if why wraps [ErrRevoked], until [ReadAccess] succeeds. why
// must be the error of reading the documents. Hide does nothing if source is not a [NodeReader].
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

// readLoop reads the groups or the nodes of a source. It begins at the stored checkpoint, or at the
// start if again is true. It stores each batch with put and records the outcome of the run. clean
// must remove values that the database rejects.
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
				return fmt.Errorf("read the %s of %s: %w", loop, source.Source().Name, ShortError(err))
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
