package pgsession

import (
	"context"
	"fmt"
	"strconv"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

// Forget implements session.Store. It deletes a person's questions on a platform with their
// answers, files and other data. It keeps the keys of events, which contain no name, so that a
// redelivered event does not ask a deleted question again.
func (s *Store) Forget(
	ctx context.Context, tenant access.TenantID, platform thread.Platform, person string,
) (gone session.Forgotten, err error) {
	err = s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		gone = session.Forgotten{}
		type row struct {
			ID, Session string
			Running     bool
		}
		rows, err := postgres.QueryAll[row](ctx, tx, forgottenSQL, tenant, platform, person)
		if err != nil {
			return fmt.Errorf("delete questions and answers: %w", err)
		}
		gone.Turns = len(rows)
		sessions := make([]string, 0, len(rows))
		for _, r := range rows {
			sessions = append(sessions, r.Session)
			if r.Running {
				gone.Running = append(gone.Running, session.TurnID(r.ID))
			}
		}
		// Intakes lock the rows of their sessions, so their data is visible once this transaction
		// holds the locks.
		const wait = `select from session where tenant_id = $1 and id = any($2::text[]::uuid[]) order by id for update`
		if _, err := tx.Exec(ctx, wait, tenant, sessions); err != nil {
			return fmt.Errorf("lock empty sessions: %w", err)
		}
		const empty = `
			delete from session s where s.tenant_id = $1 and s.id = any($2::text[]::uuid[])
			  and not exists (select from turn t where t.tenant_id = s.tenant_id and t.session_id = s.id)`
		tag, err := tx.Exec(ctx, empty, tenant, sessions)
		if err != nil {
			return fmt.Errorf("delete empty sessions: %w", err)
		}
		gone.Sessions = int(tag.RowsAffected())
		// In all workspaces, because Discord has none.
		const tokens = `delete from access_token where tenant_id = $1 and platform = $2 and person = $3`
		if tag, err = tx.Exec(ctx, tokens, tenant, platform, person); err != nil {
			return fmt.Errorf("delete tokens: %w", err)
		}
		gone.Tokens = int(tag.RowsAffected())
		if gone.Files, err = forgetFiles(ctx, tx, tenant, platform, person); err != nil {
			return err
		}
		batch := new(pgx.Batch)
		batch.Queue(`update session set starter = '' where tenant_id = $1 and platform = $2 and starter = $3`, tenant, platform, person)
		batch.Queue(`update thread set starter = '' where tenant_id = $1 and platform = $2 and starter = $3`, tenant, platform, person)
		batch.Queue(`delete from participant where tenant_id = $1 and platform = $2 and person = $3`, tenant, platform, person)
		batch.Queue(`delete from console_role where tenant_id = $1 and platform = $2 and person = $3`, tenant, platform, person)
		// Stops stay, without a name.
		batch.Queue(forgottenStopSQL, tenant, platform, person)
		batch.Queue(`update surface_message set stop_by = array_remove(stop_by, $3) where tenant_id = $1 and platform = $2 and $3 = any(stop_by)`,
			tenant, platform, person)
		// Changed settings stay, without a name.
		batch.Queue(`update setting set changed_by = '' where tenant_id = $1 and (platform = $2 and changed_by = $3 or changed_by = $2 || ':' || $3)`, tenant, platform, person)
		batch.Queue(forgottenRemovalSQL, tenant, platform, person)
		batch.Queue(forgottenCorrectionSQL, tenant, platform, person)
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return fmt.Errorf("delete the part in threads: %w", err)
		}
		details := map[string]string{"turns": strconv.Itoa(gone.Turns), "sessions": strconv.Itoa(gone.Sessions)}
		if gone.Tokens > 0 {
			details["tokens"] = strconv.Itoa(gone.Tokens)
		}
		e := audit.Entry{Deed: session.PersonForgotten, Who: session.Actor{Platform: platform, ID: person}, At: thread.Ref{Platform: platform}, Details: details}
		if err := audit.Write(ctx, tx, tenant, e); err != nil {
			return err
		}
		return audit.Forget(ctx, tx, tenant, platform, person)
	})
	if err != nil {
		return session.Forgotten{}, fmt.Errorf("forget a person: %w", err)
	}
	return gone, nil
}

// forgetFiles deletes the uploaded files that only this person can read, and returns their number.
// It removes the person's name from other files. If it deletes any, it raises the revision of the
// uploads, so that the index is updated.
func forgetFiles(ctx context.Context, tx pgx.Tx, tenant access.TenantID, platform thread.Platform, person string) (int, error) {
	const revise = `
		update upload_state set revision = revision + 1 where tenant_id = $1
		  and exists (select from upload u where u.tenant_id = $1 and u.readers = $2::text[])`
	alone := access.ACL{access.User(string(platform), person)}
	if _, err := tx.Exec(ctx, revise, tenant, alone); err != nil {
		return 0, fmt.Errorf("delete kept files: %w", err)
	}
	tag, err := tx.Exec(ctx, `delete from upload where tenant_id = $1 and readers = $2::text[]`, tenant, alone)
	if err != nil {
		return 0, fmt.Errorf("delete kept files: %w", err)
	}
	const nameless = `update upload set person = '' where tenant_id = $1 and platform = $2 and person = $3`
	if _, err := tx.Exec(ctx, nameless, tenant, platform, person); err != nil {
		return 0, fmt.Errorf("delete the name of kept files: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
