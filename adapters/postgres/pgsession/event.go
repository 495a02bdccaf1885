package pgsession

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

// claimPress records a button press by its key. It returns false if the press was recorded before.
func claimPress(ctx context.Context, q postgres.Executor, tenant access.TenantID, at thread.Ref, key, turn string) (bool, error) {
	const claim = `
		insert into event (tenant_id, platform, workspace, event_key, turn_id) values ($1, $2, $3, $4, $5)
		on conflict (tenant_id, platform, workspace, event_key) do nothing`
	tag, err := q.Exec(ctx, claim, tenant, at.Platform, at.Workspace, postgres.Storable(key), turn)
	if err != nil {
		return false, fmt.Errorf("claim the press: %w", err)
	}
	return tag.RowsAffected() > 0, nil
}

// claimPrefix begins the key of a claimed task in the table of platform events.
const claimPrefix = "claim:"

// Claim implements session.Store. It reports whether the caller must do the task with this key.
// Within ttl it returns true only once.
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

const (
	// refusedPrefix begins the key of a refused question in the table of platform events.
	refusedPrefix = "refused:"
	// noTurn is the turn id in the table of platform events if an event has no turn.
	noTurn = "00000000-0000-0000-0000-000000000000"
)

// Refused implements session.Store. It records in the audit trail that a question was not accepted.
func (s *Store) Refused(ctx context.Context, r session.Refusal) error {
	err := s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		if r.Key != "" {
			first, err := claimPress(ctx, tx, r.Tenant, r.Ref, refusedPrefix+r.Key, noTurn)
			if err != nil || !first {
				return err
			}
		}
		e := audit.Entry{
			Deed: session.QuestionRefused, Who: session.Actor{Platform: r.Ref.Platform, ID: r.Person}, At: r.Ref,
			Details: map[string]string{"reason": r.Reason},
		}
		return audit.Write(ctx, tx, r.Tenant, e.Within(r.Direct))
	})
	if err != nil {
		return fmt.Errorf("record a refused question: %w", err)
	}
	return nil
}
