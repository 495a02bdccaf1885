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

// activeRow is a thread of session.Active.
type activeRow struct{ Channel, Thread, LastSeen string }

// Active implements session.Absences.
func (s *Store) Active(
	ctx context.Context, tenant access.TenantID, platform thread.Platform, workspace string, lately time.Duration, most int,
) ([]session.Active, error) {
	// The threads of a workspace by the primary key's beginning. It is asked at starts, so an index of its own would cost more than it saves.
	const active = `
		select channel, thread, last_message from thread
		where tenant_id = $1 and platform = $2 and workspace = $3 and joined
		  and last_seen_at > clock_timestamp() - $4::bigint * interval '1 microsecond'
		order by last_seen_at desc, thread desc limit $5`
	rows, err := postgres.QueryAll[activeRow](ctx, s.db.Pool, active, tenant, platform, workspace, lately.Microseconds(), most)
	if err != nil {
		return nil, fmt.Errorf("list the threads in which something was said lately: %w", err)
	}
	list := make([]session.Active, len(rows))
	for i, r := range rows {
		list[i] = session.Active{
			Ref:      thread.Ref{Platform: platform, Workspace: workspace, Channel: r.Channel, Thread: r.Thread},
			LastSeen: thread.MessageID(r.LastSeen),
		}
	}
	return list, nil
}

// claimPrefix keeps claims apart from the events of platforms, which are kept in the same table and for as long.
const claimPrefix = "claim:"

// Claim implements session.Absences.
func (s *Store) Claim(ctx context.Context, tenant access.TenantID, at thread.Ref, key string, ttl time.Duration) (bool, error) {
	const claim = `
		insert into event as e (tenant_id, platform, workspace, event_key, turn_id) values ($1, $2, $3, $4, '` + noTurn + `')
		on conflict (tenant_id, platform, workspace, event_key) do update set at = clock_timestamp()
		where e.at <= clock_timestamp() - $5::bigint * interval '1 microsecond'`
	tag, err := s.db.Pool.Exec(ctx, claim, tenant, at.Platform, at.Workspace, postgres.Storable(claimPrefix+key), ttl.Microseconds())
	if err != nil {
		return false, fmt.Errorf("claim %q: %w", key, err)
	}
	return tag.RowsAffected() > 0, nil
}
