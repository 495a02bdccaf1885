package pgsession

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Locate returns the channels in which a message with this id is known, as one of a turn or as one that was decided about. A platform's ids
// are unique within a channel only. It looks through both tables, for an operator who does not know the channel.
func (s *Store) Locate(ctx context.Context, tenant access.TenantID, id thread.MessageID) ([]thread.Ref, error) {
	const locate = `
		select platform, workspace, channel from surface_message where tenant_id = $1 and message = $2 and turn_id is not null
		union
		select platform, workspace, channel from verdict where tenant_id = $1 and message = $2
		order by 1, 2, 3`
	type row struct{ Platform, Workspace, Channel string }
	rows, err := postgres.QueryAll[row](ctx, s.db.Pool, locate, tenant, postgres.Storable(string(id)))
	if err != nil {
		return nil, fmt.Errorf("locate a message: %w", err)
	}
	refs := make([]thread.Ref, len(rows))
	for i, r := range rows {
		refs[i] = thread.Ref{Platform: thread.Platform(r.Platform), Workspace: r.Workspace, Channel: r.Channel}
	}
	return refs, nil
}

// TurnsOf returns the turns of a session in the order of the conversation; none when there is no such session.
func (s *Store) TurnsOf(ctx context.Context, tenant access.TenantID, id session.ID) ([]session.Turn, error) {
	if !postgres.IsID(string(id)) {
		return nil, nil
	}
	// Served by turn's unique (tenant_id, session_id, number).
	type row struct{ ID string }
	rows, err := postgres.QueryAll[row](ctx, s.db.Pool, `select id::text from turn where tenant_id = $1 and session_id = $2 order by number`, tenant, id)
	if err != nil {
		return nil, fmt.Errorf("load the turns of session %s: %w", id, err)
	}
	turns := make([]session.Turn, len(rows))
	for i, r := range rows {
		if turns[i], err = loadTurn(ctx, s.db.Pool, tenant, r.ID); err != nil {
			return nil, err
		}
	}
	return turns, nil
}

// Retried returns the turns whose answers somebody had written anew since a moment, the newest first; at most limit.
func (s *Store) Retried(ctx context.Context, tenant access.TenantID, since time.Time, limit int) ([]session.TurnID, error) {
	const retried = `select origin::text id from turn where tenant_id = $1 and origin_as = 'retry' and intake_at >= $2 order by intake_at desc limit $3`
	type row struct{ ID string }
	rows, err := postgres.QueryAll[row](ctx, s.db.Pool, retried, tenant, since, limit)
	if err != nil {
		return nil, fmt.Errorf("list the turns that were retried: %w", err)
	}
	ids := make([]session.TurnID, len(rows))
	for i, r := range rows {
		ids[i] = session.TurnID(r.ID)
	}
	return ids, nil
}
