package index

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/footnotehq/footnote/core/access"
)

// ReadAccess reads who may read a source: its groups, then its nodes, as far as the connector has such. With again both are read from the
// beginning. Groups that cannot be read do not keep the nodes from being read, unless the credential is refused. Whatever stops a run, the next one goes on: what was stored stays.
//
// The error says why a loop did not come to its end; it wraps ErrRevoked and ErrSuperseded. A cancelled run returns the cause; when that is
// ErrPaused, nothing is recorded as failed.
func ReadAccess(ctx context.Context, store AccessStore, tenant access.TenantID, source Connector, again bool) error {
	ctx = access.WithTenant(ctx, tenant)
	var groups, nodes error
	if r, ok := source.(GroupReader); ok {
		groups = readLoop(ctx, store, tenant, source, LoopGroups, again, r.Groups, storableGroups, store.PutGroups)
	}
	if r, ok := source.(NodeReader); ok && ctx.Err() == nil && !errors.Is(groups, ErrRevoked) {
		nodes = readLoop(ctx, store, tenant, source, LoopNodes, again, r.Nodes, storableNodes, store.PutNodes)
	}
	return errors.Join(groups, nodes)
}

// Hide has nothing of a source granted any more whose credential is not accepted, as reading its documents has shown, until ReadAccess succeeds
// again. It does nothing for other reasons, and for sources without nodes.
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
	if ctx.Err() != nil { // whatever failed then, failed because of that
		err = fmt.Errorf("reading the %s of %s was stopped and continues with the next run: %w", loop, source.Source().Name, context.Cause(ctx))
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	return errors.Join(err, store.EndAccess(ending, tenant, run, err))
}
