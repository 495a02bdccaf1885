package pgaccess

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/jackc/pgx/v5"
)

// BeginAccess implements index.AccessStore.
func (s *Store) BeginAccess(
	ctx context.Context, tenant access.TenantID, source document.Source, loop index.Loop, again bool,
) (index.AccessRun, error) {
	run := index.AccessRun{Source: source.ID, Loop: loop}
	err := s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue(`insert into source (tenant_id, id, kind, name) values ($1, $2, $3, $4) on conflict do nothing`,
			string(tenant), string(source.ID), string(source.Kind), clean(source.Name))
		batch.Queue(`insert into source_access (tenant_id, source_id, loop) values ($1, $2, $3) on conflict do nothing`,
			string(tenant), string(source.ID), string(loop))
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		var pass *time.Time
		err := tx.QueryRow(ctx, `
			update source_access a set run = run + 1, began_at = clock_timestamp(), touched_at = clock_timestamp(),
			       checkpoint = case when n.anew then '' else checkpoint end, pass_at = case when not n.anew then pass_at end
			from ( -- since somebody asked for it
				select $4 or coalesce(s.resync_at > coalesce(l.pass_at, l.succeeded_at), false) as anew, s.reading
				from source s join source_access l on l.tenant_id = s.tenant_id and l.source_id = s.id
				where s.tenant_id = $1 and s.id = $2 and l.loop = $3
			) n
			where tenant_id = $1 and source_id = $2 and loop = $3
			returning run, checkpoint, began_at, pass_at, n.reading`, string(tenant), string(source.ID), string(loop), again).
			Scan(&run.Number, (*[]byte)(&run.Since), &run.StartedAt, &pass, &run.Reading)
		if run.PassStartedAt = run.StartedAt; pass != nil {
			run.PassStartedAt = *pass
		}
		if len(run.Since) == 0 {
			run.Since = nil
		}
		return err
	})
	if err != nil {
		return run, fmt.Errorf("begin to read the %s of source %s: %w", loop, source.ID, err)
	}
	return run, nil
}

// hold locks the run's row in source_access until the transaction ends, so that other runs wait. It
// returns index.ErrSuperseded if a newer run exists or the source was removed.
func hold(ctx context.Context, tx pgx.Tx, tenant access.TenantID, run index.AccessRun) error {
	var number int64
	err := tx.QueryRow(ctx, `select run from source_access where tenant_id = $1 and source_id = $2 and loop = $3 for update`,
		string(tenant), string(run.Source), string(run.Loop)).Scan(&number)
	// Without a row, the source was removed.
	if errors.Is(err, pgx.ErrNoRows) || err == nil && number != run.Number {
		return index.ErrSuperseded
	}
	return err
}

func advance(ctx context.Context, tx pgx.Tx, tenant access.TenantID, run index.AccessRun, next index.Checkpoint, complete bool) error {
	_, err := tx.Exec(ctx, `
		update source_access set checkpoint = coalesce($4, checkpoint), pass_at = $5, touched_at = clock_timestamp(),
		       complete_at = case when $6 then $5 else complete_at end
		where tenant_id = $1 and source_id = $2 and loop = $3`,
		string(tenant), string(run.Source), string(run.Loop), []byte(next), run.PassStartedAt, complete)
	return err
}

// put calls store in a transaction. If a newer run has begun, it returns index.ErrSuperseded
// without calling store.
func (s *Store) put(ctx context.Context, tenant access.TenantID, run index.AccessRun, store func(pgx.Tx) error) error {
	err := s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if err := hold(ctx, tx, tenant, run); err != nil {
			return err
		}
		return store(tx)
	})
	if err != nil {
		return fmt.Errorf("store the %s of source %s: %w", run.Loop, run.Source, err)
	}
	return nil
}

// EndAccess implements index.AccessStore.
func (s *Store) EndAccess(ctx context.Context, tenant access.TenantID, run index.AccessRun, why error) error {
	err := s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if err := hold(ctx, tx, tenant, run); err != nil {
			return err
		}
		args := []any{string(tenant), string(run.Source), string(run.Loop)}
		switch {
		case why == nil:
			return succeed(ctx, tx, tenant, run)
		case errors.Is(why, index.ErrPaused):
			_, err := tx.Exec(ctx, `update source_access set touched_at = null where tenant_id = $1 and source_id = $2 and loop = $3`, args...)
			return err
		}
		revoked := errors.Is(why, index.ErrRevoked)
		_, err := tx.Exec(ctx, `
			update source_access set touched_at = null, failing = failing + 1, error = $4, revoked = $5
			where tenant_id = $1 and source_id = $2 and loop = $3`, append(args, clean(why.Error()), revoked)...)
		if err != nil || !revoked {
			return err
		}
		if _, err := tx.Exec(ctx, `update source_access set until = null where tenant_id = $1 and source_id = $2`, args[:2]...); err != nil {
			return err
		}
		return TouchIndex(ctx, tx, tenant)
	})
	if errors.Is(err, index.ErrSuperseded) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("note how reading the %s of source %s ended: %w", run.Loop, run.Source, err)
	}
	return nil
}

// succeed records that a run ended without an error. If an earlier or this run has read the
// complete source, it extends the time until which the source's permissions are valid.
func succeed(ctx context.Context, tx pgx.Tx, tenant access.TenantID, run index.AccessRun) error {
	var hidden bool
	err := tx.QueryRow(ctx, `
		update source_access a set touched_at = null, pass_at = null, succeeded_at = $4, failing = 0, error = '', revoked = false,
		       until = case when a.complete_at is not null then $4::timestamptz + make_interval(secs => $5) end
		from source_access was
		where a.tenant_id = $1 and a.source_id = $2 and a.loop = $3 and was.tenant_id = $1 and was.source_id = $2 and was.loop = $3
		returning was.until is null or was.until <= now()`,
		string(tenant), string(run.Source), string(run.Loop), run.PassStartedAt, grace(run.Loop).Seconds()).Scan(&hidden)
	if err != nil || !hidden {
		return err
	}
	return TouchIndex(ctx, tx, tenant)
}

func grace(loop index.Loop) time.Duration {
	if loop == index.LoopGroups {
		return index.GroupGrace
	}
	return index.NodeGrace
}
