package pgsession

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

// queueJoin queues statements that store the thread of a question, with the asker as a participant.
// Unless the question is ambient, they mark the thread as joined and followed. They must run in the
// transaction that accepts the question.
func queueJoin(batch *pgx.Batch, in session.Intake) {
	const join = `
		insert into thread as t (tenant_id, platform, workspace, channel, thread, starter, joined, caught_up) values ($1, $2, $3, $4, $5, $6, not $7, $8)
		on conflict (tenant_id, platform, workspace, channel, thread) do update set caught_up = case when $8 = '' then t.caught_up else $8 end,
			joined = t.joined or not $7, unfollowed = t.unfollowed and $7, helped = t.helped and $7, starter = case when t.starter = '' then excluded.starter else t.starter end`
	batch.Queue(join, in.Tenant, in.Ref.Platform, in.Ref.Workspace, in.Ref.Channel, postgres.Storable(in.Ref.Thread), in.Starter, in.Ambient, string(in.CaughtUp))
	sighting := session.Sighting{Tenant: in.Tenant, Ref: in.Ref, Message: in.Message, Person: in.Asker.ID, Bot: in.Bot}
	batch.Queue(seenSQL, seenArgs(sighting)...)
}

// joinThread marks the thread of a turn as joined. It is called if the bot answers without being
// asked. It must run in the transaction of Finish.
func joinThread(ctx context.Context, tx pgx.Tx, f session.Fence) error {
	const join = `
		update thread h set joined = true from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id
		where t.tenant_id = $1 and t.id = $2 and h.tenant_id = s.tenant_id and h.platform = s.platform and h.workspace = s.workspace
		  and h.channel = s.channel and h.thread = s.thread`
	if _, err := tx.Exec(ctx, join, f.Tenant, f.Turn); err != nil {
		return fmt.Errorf("record the thread of an unasked answer: %w", err)
	}
	return nil
}

const seenSQL = `
		with t as (
			update thread set last_seen_at = clock_timestamp(),
				bot_turns = case when not $6 then 0 when $8 <> '' and last_message = $8 then bot_turns else bot_turns + 1 end,
				helped = helped or $9, last_message = case when $8 = '' then last_message else $8 end
			where tenant_id = $1 and platform = $2 and workspace = $3 and channel = $4 and thread = $5
			returning tenant_id, platform, workspace, channel, thread
		)
		insert into participant (tenant_id, platform, workspace, channel, thread, person, bot) select t.*, $7, $6 from t
		on conflict (tenant_id, platform, workspace, channel, thread, person) do update set last_seen_at = excluded.last_seen_at`

func seenArgs(s session.Sighting) []any {
	return []any{
		s.Tenant, s.Ref.Platform, s.Ref.Workspace, s.Ref.Channel, postgres.Storable(s.Ref.Thread), s.Bot, s.Person, string(s.Message), s.Helper,
	}
}

// Seen implements session.Store. It records a message in a stored thread, and ignores messages of
// other threads.
func (s *Store) Seen(ctx context.Context, sighting session.Sighting) error {
	if _, err := s.db.Pool.Exec(ctx, seenSQL, seenArgs(sighting)...); err != nil {
		return fmt.Errorf("record a participant of a thread: %w", err)
	}
	return nil
}

// Thread implements session.Store. It returns the stored facts about a thread, or the zero value.
func (s *Store) Thread(ctx context.Context, tenant access.TenantID, ref thread.Ref) (session.Thread, error) {
	// Served by both primary keys.
	const load = `
		select starter, joined, helped, unfollowed, bot_turns, last_message, caught_up,
			(extract(epoch from clock_timestamp() - last_seen_at) * 1000000)::bigint,
			(select count(*) from participant p where p.tenant_id = t.tenant_id and p.platform = t.platform and p.workspace = t.workspace
				and p.channel = t.channel and p.thread = t.thread and not p.bot)
		from thread t where tenant_id = $1 and platform = $2 and workspace = $3 and channel = $4 and thread = $5`
	var found session.Thread
	var idle int64
	err := s.db.Pool.QueryRow(ctx, load, tenant, ref.Platform, ref.Workspace, ref.Channel, postgres.Storable(ref.Thread)).
		Scan(&found.Starter, &found.Known, &found.Helped, &found.Unfollowed, &found.BotTurns, &found.LastSeen, &found.CaughtUp, &idle, &found.People)
	if errors.Is(err, pgx.ErrNoRows) {
		return session.Thread{}, nil
	}
	if err != nil {
		return session.Thread{}, fmt.Errorf("load a thread: %w", err)
	}
	found.Pending = !found.Known
	found.Idle = time.Duration(idle) * time.Microsecond
	return found, nil
}

// Unfollow implements session.Store. The bot no longer follows the thread. by is the person who
// requested it.
func (s *Store) Unfollow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error {
	return s.follow(ctx, tenant, ref, by, true)
}

// Follow implements session.Store. The bot follows the thread again after Unfollow. by is the
// person who requested it.
func (s *Store) Follow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error {
	return s.follow(ctx, tenant, ref, by, false)
}

func (s *Store) follow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string, unfollowed bool) error {
	deed := session.ThreadFollowed
	if unfollowed {
		deed = session.ThreadUnfollowed
	}
	// Served by the primary key. The sub-query, served by session's unique key, returns whether the
	// thread is a direct message.
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

type activeRow struct{ Channel, Thread, LastSeen string }

// Active implements session.Store. It returns the joined threads of a workspace that had a message
// in the last period of length lately, newest first. The last parameter is the maximum number of
// threads.
func (s *Store) Active(
	ctx context.Context, tenant access.TenantID, platform thread.Platform, workspace string, lately time.Duration, most int,
) ([]session.Active, error) {
	// Served by the first columns of the primary key. The query runs only at program start, so a
	// separate index would cost more than it saves.
	const active = `
		select channel, thread, last_message from thread
		where tenant_id = $1 and platform = $2 and workspace = $3 and joined
		  and last_seen_at > clock_timestamp() - $4::bigint * interval '1 microsecond'
		order by last_seen_at desc, thread desc limit $5`
	rows, err := postgres.QueryAll[activeRow](ctx, s.db.Pool, active, tenant, platform, workspace, lately.Microseconds(), most)
	if err != nil {
		return nil, fmt.Errorf("list recently active threads: %w", err)
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

// Traces implements session.Store. It returns what is stored about each message in newest and its
// channel, in the same order.
func (s *Store) Traces(
	ctx context.Context, tenant access.TenantID, platform thread.Platform, workspace string, newest []session.Newest,
) ([]session.Trace, error) {
	// Served by primary and unique keys. The threads of a workspace are read as in Active.
	const traces = `
		with open as materialized (
			select distinct s.channel from thread h
			join session s using (tenant_id, platform, workspace, channel, thread)
			join turn t on t.tenant_id = s.tenant_id and t.session_id = s.id
			where h.tenant_id = $1 and h.platform = $2 and h.workspace = $3 and h.last_seen_at > clock_timestamp() - interval '2 days'
			  and (t.state <> 'done' or t.outcome = 'superseded')
		)
		select coalesce(v.action, ''), m.turn_id is not null, exists (select from open o where o.channel = k.channel)
		from unnest($4::text[], $5::text[]) with ordinality k (channel, message, n)
		left join verdict v on v.tenant_id = $1 and v.platform = $2 and v.workspace = $3 and v.channel = k.channel and v.message = k.message
		left join surface_message m on m.tenant_id = $1 and m.platform = $2 and m.workspace = $3 and m.channel = k.channel and m.message = k.message
		order by k.n`
	channels, messages := make([]string, len(newest)), make([]string, len(newest))
	for i, n := range newest {
		channels[i], messages[i] = n.Channel, postgres.Storable(string(n.Message))
	}
	list, err := postgres.QueryAll[session.Trace](ctx, s.db.Pool, traces, tenant, platform, workspace, channels, messages)
	if err != nil {
		return nil, fmt.Errorf("look for traces of %d newest messages: %w", len(newest), err)
	}
	return list, nil
}
