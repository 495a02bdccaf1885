package pgsession

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

const (
	// refusedPrefix keeps refusals apart from the events of platforms, which are kept in the same table and for as long.
	refusedPrefix = "refused:"
	// noTurn stands in the table of events where something was taken in that became no turn.
	noTurn = "00000000-0000-0000-0000-000000000000"
)

// Refused implements session.Refusals.
func (s *Store) Refused(ctx context.Context, r session.Refusal) error {
	err := s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		if r.Key != "" {
			first, err := press(ctx, tx, r.Tenant, r.Ref, refusedPrefix+r.Key, noTurn)
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
		return fmt.Errorf("note that a question was refused: %w", err)
	}
	return nil
}

// Unfollow implements session.Threads.
func (s *Store) Unfollow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error {
	return s.follow(ctx, tenant, ref, by, true)
}

// Follow implements session.Threads.
func (s *Store) Follow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error {
	return s.follow(ctx, tenant, ref, by, false)
}

func (s *Store) follow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string, unfollowed bool) error {
	deed := session.ThreadFollowed
	if unfollowed {
		deed = session.ThreadUnfollowed
	}
	// By the primary key; whether it is a direct message its turns know, by session's unique key.
	const set = `
		update thread h set unfollowed = $6
		where tenant_id = $1 and platform = $2 and workspace = $3 and channel = $4 and thread = $5 and unfollowed <> $6
		returning exists (select from session s join turn t on t.tenant_id = s.tenant_id and t.session_id = s.id
			where s.tenant_id = h.tenant_id and s.platform = h.platform and s.workspace = h.workspace and s.channel = h.channel and s.thread = h.thread
			  and t.direct)`
	err := s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, set, tenant, ref.Platform, ref.Workspace, ref.Channel, postgres.Storable(ref.Thread), unfollowed)
		if err != nil {
			return err
		}
		changed, err := pgx.CollectRows(rows, pgx.RowTo[bool])
		if err != nil || len(changed) == 0 {
			return err
		}
		e := audit.Entry{Deed: deed, Who: session.Actor{Platform: ref.Platform, ID: by}, At: ref}
		return audit.Write(ctx, tx, tenant, e.Within(changed[0]))
	})
	if err != nil {
		return fmt.Errorf("note %s: %w", deed, err)
	}
	return nil
}
