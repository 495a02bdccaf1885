package pgsession

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

// Limits per call of Prune. They keep transactions short.
const (
	pruneSessions = 200
	pruneThreads  = 1000
	pruneEntries  = 5000
)

// isExpiredSession is true if a session has had no activity for $2 microseconds, has no pending
// work, and is not held by a replica.
const isExpiredSession = `
	s.tenant_id = $1 and s.created_at < clock_timestamp() - $2::bigint * interval '1 microsecond' and not exists (
		select from turn t where t.tenant_id = s.tenant_id and t.session_id = s.id and (
			t.state <> 'done' or t.owner <> '' or t.disturbed and t.replaced_by is null
			or greatest(t.intake_at, t.finished_at, t.delivered_at, t.corrected_at, t.removed_at, t.kept_at, t.withdrawn_at)
				>= clock_timestamp() - $2::bigint * interval '1 microsecond'))`

// isExpiredThread is true if a thread has no session and has had no messages for $2 microseconds.
const isExpiredThread = `
	h.tenant_id = $1 and h.last_seen_at < clock_timestamp() - $2::bigint * interval '1 microsecond' and not exists (
		select from session s where s.tenant_id = h.tenant_id and s.platform = h.platform and s.workspace = h.workspace
			and s.channel = h.channel and s.thread = h.thread)`

// Tenants implements session.Store. It lists all tenants, ordered by id.
func (s *Store) Tenants(ctx context.Context) ([]access.TenantID, error) {
	rows, err := s.db.Pool.Query(ctx, `select id from tenant order by id`)
	if err != nil {
		return nil, fmt.Errorf("list the tenants: %w", err)
	}
	tenants, err := pgx.CollectRows(rows, pgx.RowTo[access.TenantID])
	if err != nil {
		return nil, fmt.Errorf("list the tenants: %w", err)
	}
	return tenants, nil
}

// Prune implements session.Store. It deletes a limited number of expired sessions, threads and
// audit entries. more is true if there may be more.
func (s *Store) Prune(ctx context.Context, tenant access.TenantID, r session.Retention, by session.Actor) (gone session.Pruned, more bool, err error) {
	err = s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		gone, more = session.Pruned{}, false
		if r.Sessions > 0 {
			if more, err = pruneConversations(ctx, tx, tenant, r.Sessions, &gone); err != nil {
				return err
			}
		}
		if r.Audit > 0 {
			const expire = `select audit_expire($1, $2::bigint * interval '1 microsecond', $3)`
			if err := tx.QueryRow(ctx, expire, tenant, r.Audit.Microseconds(), pruneEntries).Scan(&gone.Entries); err != nil {
				return fmt.Errorf("remove old entries of the audit trail: %w", err)
			}
			more = more || gone.Entries == pruneEntries
			if err := deleteUnusedAliases(ctx, tx, tenant, gone.Entries); err != nil {
				return err
			}
		}
		if gone == (session.Pruned{}) {
			return nil
		}
		return audit.Write(ctx, tx, tenant, audit.Entry{Deed: session.RetentionApplied, Who: by, Details: map[string]string{
			"sessions": strconv.Itoa(gone.Sessions), "turns": strconv.Itoa(gone.Turns), "files": strconv.Itoa(gone.Files), "threads": strconv.Itoa(gone.Threads),
			"entries": strconv.Itoa(gone.Entries),
		}})
	})
	if err != nil {
		return session.Pruned{}, false, fmt.Errorf("delete expired data: %w", err)
	}
	return gone, more, nil
}

// pruneConversations deletes up to pruneSessions sessions and up to pruneThreads threads, and sets
// their numbers in gone. It returns true if there may be more.
func pruneConversations(ctx context.Context, tx pgx.Tx, tenant access.TenantID, age time.Duration, gone *session.Pruned) (more bool, err error) {
	// Intakes lock the rows of their sessions until they commit. Such sessions are skipped, and the
	// next statement checks again for rows stored before the lock.
	const candidates = `select s.id::text from session s where` + isExpiredSession + ` order by s.id limit $3 for update of s skip locked`
	rows, err := tx.Query(ctx, candidates, tenant, age.Microseconds(), pruneSessions)
	if err != nil {
		return false, fmt.Errorf("look for old sessions: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return false, fmt.Errorf("look for old sessions: %w", err)
	}
	// Rows of a session are deleted with it (on delete cascade), except platform messages, which
	// must be locked before turns. Event keys stay as long as platforms redeliver events.
	const remove = `
		with old as materialized (
			select s.tenant_id, s.id from session s where s.id = any($3::text[]::uuid[]) and` + isExpiredSession + `
		), part as materialized (
			select t.tenant_id, t.id from old join turn t on t.tenant_id = old.tenant_id and t.session_id = old.id
		), counted as materialized (
			select (select count(*) from part) as turns, (select count(*) from part join message q on q.tenant_id = part.tenant_id and q.turn_id = part.id
				join message_file f on f.tenant_id = q.tenant_id and f.message_id = q.id) as files
		), unknown as (
			delete from surface_message m using part where m.tenant_id = part.tenant_id and m.turn_id = part.id
		), gone as (
			delete from session s using old where s.tenant_id = old.tenant_id and s.id = old.id returning s.id
		)
		select (select count(*) from gone), turns, files from counted`
	if len(ids) > 0 {
		if err := tx.QueryRow(ctx, remove, tenant, age.Microseconds(), ids).Scan(&gone.Sessions, &gone.Turns, &gone.Files); err != nil {
			return false, fmt.Errorf("remove old sessions: %w", err)
		}
	}
	const threads = `
		delete from thread where ctid = any(array(select h.ctid from thread h where` + isExpiredThread + ` limit $3 for update skip locked))`
	tag, err := tx.Exec(ctx, threads, tenant, age.Microseconds(), pruneThreads)
	if err != nil {
		return false, fmt.Errorf("remove old threads: %w", err)
	}
	gone.Threads = int(tag.RowsAffected())
	return gone.Sessions == pruneSessions || gone.Threads == pruneThreads, nil
}

// deleteUnusedAliases deletes pseudonyms that the audit trail no longer uses. expired is the number
// of entries that were just deleted. It skips pseudonyms that a writer of entries has locked.
func deleteUnusedAliases(ctx context.Context, tx pgx.Tx, tenant access.TenantID, expired int) error {
	if expired == 0 {
		return nil
	}
	// Served by audit_who and audit_for.
	const none = `not exists (select from audit a where a.tenant_id = p.tenant_id and a.who = p.alias)
		and not exists (select from audit a where a.tenant_id = p.tenant_id and a.details ? 'for' and a.details ->> 'for' = p.alias::text)`
	rows, err := tx.Query(ctx, `select p.alias::text from audit_person p where p.tenant_id = $1 and `+none+` for update skip locked`, tenant)
	if err != nil {
		return fmt.Errorf("look for people whom the audit trail means no longer: %w", err)
	}
	locked, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look for people whom the audit trail means no longer: %w", err)
	}
	if _, err := tx.Exec(ctx, `delete from audit_person p where p.tenant_id = $1 and p.alias = any($2::text[]::uuid[]) and `+none, tenant, locked); err != nil {
		return fmt.Errorf("forget people whom the audit trail means no longer: %w", err)
	}
	return nil
}

// Prunable implements session.Store. It counts what Prune would delete now.
func (s *Store) Prunable(ctx context.Context, tenant access.TenantID, r session.Retention) (session.Pruned, error) {
	var p session.Pruned
	const conversations = `
		with old as materialized (select s.tenant_id, s.id from session s where` + isExpiredSession + `),
		part as materialized (select t.tenant_id, t.id from old join turn t on t.tenant_id = old.tenant_id and t.session_id = old.id)
		select (select count(*) from old), (select count(*) from part),
			(select count(*) from part join message q on q.tenant_id = part.tenant_id and q.turn_id = part.id
				join message_file f on f.tenant_id = q.tenant_id and f.message_id = q.id),
			(select count(*) from thread h where h.tenant_id = $1 and h.last_seen_at < clock_timestamp() - $2::bigint * interval '1 microsecond'
				and not exists (select from session s where s.tenant_id = h.tenant_id and s.platform = h.platform and s.workspace = h.workspace
					and s.channel = h.channel and s.thread = h.thread and not exists (select from old where old.tenant_id = s.tenant_id and old.id = s.id)))`
	// Served by audit_at.
	const entries = `
		select count(*) from audit where tenant_id = $1 and at < clock_timestamp() - $2::bigint * interval '1 microsecond'`
	if r.Sessions > 0 {
		err := s.db.Pool.QueryRow(ctx, conversations, tenant, r.Sessions.Microseconds()).Scan(&p.Sessions, &p.Turns, &p.Files, &p.Threads)
		if err != nil {
			return session.Pruned{}, fmt.Errorf("count expired data: %w", err)
		}
	}
	if r.Audit > 0 {
		age := max(r.Audit, session.MinAuditRetention)
		if err := s.db.Pool.QueryRow(ctx, entries, tenant, age.Microseconds()).Scan(&p.Entries); err != nil {
			return session.Pruned{}, fmt.Errorf("count old entries of the audit trail: %w", err)
		}
	}
	return p, nil
}
