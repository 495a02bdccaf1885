package pgsession

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

// Turn implements session.Store. It returns a turn by its id.
func (s *Store) Turn(ctx context.Context, tenant access.TenantID, id session.TurnID) (session.Turn, error) {
	if !postgres.IsID(string(id)) {
		return session.Turn{}, fmt.Errorf("load turn %q: %w", id, session.ErrUnknownTurn)
	}
	return loadTurn(ctx, s.db.Pool, tenant, string(id))
}

// TurnOf implements session.Store. It returns the turn that has a platform message as its question,
// answer page or notice.
func (s *Store) TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Turn, error) {
	// Served by the primary key.
	const of = `
		select turn_id::text from surface_message
		where tenant_id = $1 and platform = $2 and workspace = $3 and channel = $4 and message = $5 and turn_id is not null`
	return s.turnByQuery(ctx, tenant, of, tenant, at.Platform, at.Workspace, at.Channel, postgres.Storable(string(id)))
}

// Latest implements session.Store. It returns the newest turn of a thread, or of a channel if at
// names no thread. Of private turns, it includes only the reader's.
func (s *Store) Latest(ctx context.Context, tenant access.TenantID, at thread.Ref, reader string) (session.Turn, error) {
	// Served by the unique keys of session and turn.
	const latest = `
		select t.id::text from session s join turn t on t.tenant_id = s.tenant_id and t.session_id = s.id
		where s.tenant_id = $1 and s.platform = $2 and s.workspace = $3 and s.channel = $4 and ($5 = '' or s.thread = $5) and s.owner in ('', $6)
		order by t.intake_at desc, t.sequence desc limit 1`
	return s.turnByQuery(ctx, tenant, latest, tenant, at.Platform, at.Workspace, at.Channel, postgres.Storable(at.Thread), reader)
}

// AskedBy implements session.Store. It returns up to limit of a person's questions in a workspace,
// newest first.
func (s *Store) AskedBy(ctx context.Context, tenant access.TenantID, at thread.Ref, person string, limit int) ([]session.Turn, error) {
	// Served by turn_asker, newest first.
	const asked = `
		select t.id::text from turn t
		join session s on s.tenant_id = t.tenant_id and s.id = t.session_id
		join message q on q.tenant_id = t.tenant_id and q.turn_id = t.id and q.model_index = -1 and q.ordinal = 0
		where t.tenant_id = $1 and t.asker_id = $2 and s.platform = $3 and s.workspace = $4 and t.origin is null and t.withdrawn_at is null
		  and coalesce(t.outcome, '') <> 'superseded' and q.text <> ''
		order by t.intake_at desc, t.sequence desc limit $5`
	turns, err := s.turns(ctx, tenant, asked, person, at.Platform, at.Workspace, limit)
	if err != nil {
		return nil, fmt.Errorf("list the questions of a person: %w", err)
	}
	return turns, nil
}

// Unlisted implements session.Store. It returns turns whose answers used only public documents
// because the audience was unknown. It considers only the newest such turn of each session, and
// omits it if a private answer was offered already.
func (s *Store) Unlisted(ctx context.Context, since time.Time, limit int) ([]session.Turn, error) {
	// Served by run_audience, which is nearly always empty.
	const unlisted = `
		select t.tenant_id, t.id::text from turn t join (
			select distinct on (t.tenant_id, t.session_id) t.tenant_id, t.id from run r
			join turn t on t.tenant_id = r.tenant_id and t.id = r.turn_id
			where r.cause = 'audience' and t.state = 'done'
			order by t.tenant_id, t.session_id, t.number desc, t.sequence desc
		) newest on newest.tenant_id = t.tenant_id and newest.id = t.id
		where t.finished_at > $1 and t.offered_at is null and t.withdrawn_at is null and t.removed_at is null and t.corrected_at is null and t.outcome in ('answered', 'no_evidence')
		  and not exists (select from turn again where again.tenant_id = t.tenant_id and again.origin = t.id)
		limit $2`
	type row struct{ Tenant, ID string }
	rows, err := postgres.QueryAll[row](ctx, s.db.Pool, unlisted, since, limit)
	if err != nil {
		return nil, fmt.Errorf("list answers from public documents alone: %w", err)
	}
	turns := make([]session.Turn, len(rows))
	for i, r := range rows {
		if turns[i], err = loadTurn(ctx, s.db.Pool, access.TenantID(r.Tenant), r.ID); err != nil {
			return nil, err
		}
	}
	return turns, nil
}

// turnByQuery loads the turn whose id a query selects. It returns session.ErrUnknownTurn if the
// query selects none.
func (s *Store) turnByQuery(ctx context.Context, tenant access.TenantID, sql string, args ...any) (session.Turn, error) {
	var id string
	err := s.db.Pool.QueryRow(ctx, sql, args...).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return session.Turn{}, session.ErrUnknownTurn
	}
	if err != nil {
		return session.Turn{}, fmt.Errorf("find a turn: %w", err)
	}
	return loadTurn(ctx, s.db.Pool, tenant, id)
}

// Unasked implements session.Store. It returns the time since the bot last answered in a channel
// without being asked, or session.Never.
func (s *Store) Unasked(ctx context.Context, tenant access.TenantID, at session.Place) (time.Duration, error) {
	// Served by turn_unasked, newest first, and session's primary key. No cool-down is longer than
	// 31 days.
	const newest = `
		select (extract(epoch from clock_timestamp() - t.finished_at) * 1000000)::bigint
		from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id
		where t.tenant_id = $1 and t.ambient and t.outcome = 'answered' and t.finished_at > now() - interval '31 days'
		  and s.platform = $2 and s.workspace = $3 and s.channel = $4
		order by t.finished_at desc limit 1`
	var micros int64
	err := s.db.Pool.QueryRow(ctx, newest, tenant, at.Platform, at.Workspace, at.Channel).Scan(&micros)
	if errors.Is(err, pgx.ErrNoRows) {
		return session.Never, nil
	}
	if err != nil {
		return 0, fmt.Errorf("find the newest unasked answer: %w", err)
	}
	return time.Duration(micros) * time.Microsecond, nil
}

// Waiting implements session.Store. It counts the unfinished turns of a channel, without private
// sessions.
func (s *Store) Waiting(ctx context.Context, tenant access.TenantID, at session.Place) (int, error) {
	// Served by turn_unfinished, which is short.
	const count = `
		select count(*) from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id
		where t.tenant_id = $1 and t.state <> 'done' and s.platform = $2 and s.workspace = $3 and s.channel = $4 and s.owner = ''`
	var n int
	if err := s.db.Pool.QueryRow(ctx, count, tenant, at.Platform, at.Workspace, at.Channel).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the unfinished turns of a channel: %w", err)
	}
	return n, nil
}

// Locate returns the channels with a message that has this id. It finds only messages that belong
// to a turn, or about which the bot has recorded a decision. Operators use it if they do not know
// the channel.
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

// TurnsOf returns the turns of a session in the order of the conversation. It returns none if the
// session does not exist.
func (s *Store) TurnsOf(ctx context.Context, tenant access.TenantID, id session.ID) ([]session.Turn, error) {
	if !postgres.IsID(string(id)) {
		return nil, nil
	}
	// Served by turn's unique (tenant_id, session_id, number).
	turns, err := s.turns(ctx, tenant, `select id::text from turn where tenant_id = $1 and session_id = $2 order by number`, id)
	if err != nil {
		return nil, fmt.Errorf("load the turns of session %s: %w", id, err)
	}
	return turns, nil
}

// Referenced returns the turns that showed a reference code to people. The code identifies a
// failure in the log. It uses no index, because only operators call it.
func (s *Store) Referenced(ctx context.Context, tenant access.TenantID, reference string) ([]session.Turn, error) {
	if reference == "" {
		return nil, nil
	}
	turns, err := s.turns(ctx, tenant, `
		select id::text from turn where tenant_id = $1 and reference = $2
		union select turn_id::text from run where tenant_id = $1 and reference = $2`, postgres.Storable(reference))
	if err != nil {
		return nil, fmt.Errorf("load the turns of reference %s: %w", reference, err)
	}
	return turns, nil
}

// turns loads the turns whose ids a query selects. The query's first parameter is the tenant.
func (s *Store) turns(ctx context.Context, tenant access.TenantID, query string, arguments ...any) ([]session.Turn, error) {
	type row struct{ ID string }
	rows, err := postgres.QueryAll[row](ctx, s.db.Pool, query, append([]any{tenant}, arguments...)...)
	if err != nil {
		return nil, err
	}
	turns := make([]session.Turn, len(rows))
	for i, r := range rows {
		if turns[i], err = loadTurn(ctx, s.db.Pool, tenant, r.ID); err != nil {
			return nil, err
		}
	}
	return turns, nil
}

// Retried returns up to limit turns whose answers were retried since a given time, newest first.
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
