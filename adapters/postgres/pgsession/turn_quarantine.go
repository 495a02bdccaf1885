package pgsession

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/turn_apart.sql
var quarantineQuery string

// leaseQuarantined moves turns of dead replicas to quarantines, and leases one turn to the replica.
// It returns session.ErrDraining if the replica must first end its other turns. An advisory lock
// makes replicas call it one at a time.
func (s *Store) leaseQuarantined(ctx context.Context, r session.LeaseRequest) (rows []turnRow, err error) {
	draining := false
	err = s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		rows, draining = nil, false
		// "quar" as bytes
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(x'71756172'::bigint)`); err != nil {
			return err
		}
		if err := quarantineDead(ctx, tx, r.Replica); err != nil {
			return err
		}
		group, wait, err := chooseQuarantine(ctx, tx, r)
		if err != nil || wait != nil {
			draining = errors.Is(wait, session.ErrDraining)
			return err
		}
		rows, err = leaseIn(ctx, tx, r, 1, group, false)
		return err
	})
	if err == nil && draining {
		err = session.ErrDraining
	}
	return rows, err
}

// quarantineDead moves the turns of dead replicas to quarantines, one per replica. It skips turns
// that another transaction is changing. The next lease moves those turns.
func quarantineDead(ctx context.Context, tx pgx.Tx, me session.ReplicaID) error {
	const held = `
		select t.tenant_id, t.id::text, t.owner, coalesce(q.beside, 0) from turn t left join quarantine q on q.replica = t.quarantine
		where (t.state in ('running', 'delivering')
				and t.owner = any (array(select r.id from replica r where r.expires_at <= statement_timestamp() and r.id <> $1::text))
			or t.state = 'done' and t.disturbed and t.owner not in ('', $1::text)
				and not exists (select from replica r where r.id = t.owner and r.expires_at > statement_timestamp()))
		for update of t skip locked`
	type suspect struct {
		Tenant access.TenantID
		ID     string
		Owner  string
		Beside int // size limit of the quarantine in which it ran; 0: none
	}
	rows, err := tx.Query(ctx, held, me)
	if err != nil {
		return fmt.Errorf("list turns of dead replicas: %w", err)
	}
	suspects, err := pgx.CollectRows(rows, pgx.RowToStructByPos[suspect])
	if err != nil {
		return fmt.Errorf("list turns of dead replicas: %w", err)
	}
	died, again := map[string]int{}, map[string]bool{}
	batch := new(pgx.Batch)
	batch.Queue(`delete from quarantine q where not exists (select from turn t where t.quarantine = q.replica and ` + quarantinedTurn + `)`)
	for _, t := range suspects {
		died[t.Owner]++
		again[t.Owner] = again[t.Owner] || t.Beside > 0
		batch.Queue(suspectedSQL, t.Tenant, t.ID, loneDeaths(t.Beside))
	}
	for owner, n := range died {
		batch.Queue(`insert into quarantine (replica, beside) values ($1, $2) on conflict do nothing`, owner, session.MaxConcurrentSuspects(n, again[owner]))
	}
	batch.Queue(clearedSQL)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("quarantine turns of dead replicas: %w", err)
	}
	return nil
}

// loneDeaths returns 1 if a turn ran alone when its replica died, and 0 otherwise. atOnce is the
// number of turns that could run at once in its quarantine, or 0 outside quarantines.
func loneDeaths(atOnce int) int {
	if atOnce == 1 {
		return 1
	}
	return 0
}

// errFull means that no further turn of a quarantine may run now.
var errFull = errors.New("the quarantine is full")

// chooseQuarantine returns the quarantine from which a replica may lease turns, or "" for turns
// outside quarantines. If the replica gets no turn now, wait says why: errFull, or
// session.ErrDraining if the replica must first end its other turns.
func chooseQuarantine(ctx context.Context, tx pgx.Tx, r session.LeaseRequest) (group string, wait, err error) {
	// $3 are the turns that the replica certainly holds, if $2 is true. $4 and $5 are the platforms
	// and workspaces that it can deliver to. A quarantine waits if one of its turns could be
	// leased.
	const groups = `
		with held as (
			select t.owner, t.quarantine, count(*) filter (where t.owner <> $1::text or not $2::boolean or t.id = any ($3::text[]::uuid[])) n from turn t
			where t.owner <> '' and (t.state in ('running', 'delivering') or t.state = 'done' and t.disturbed) group by 1, 2
		), alive as (
			select id from replica where expires_at > statement_timestamp()
		)
		select q.replica, q.beside, q.host = $1::text,
			exists (select from alive a where a.id = q.host),
			coalesce((select h.n from held h where h.owner = q.host and h.quarantine = q.replica), 0),
			exists (select from held h where h.owner = $1::text and h.quarantine = q.replica),
			exists (select from turn t where t.quarantine = q.replica and t.owner = '' and (t.state <> 'done' or t.disturbed)
				and t.not_before <= statement_timestamp()
				and ($4::text[] is null or t.platform = any ($4::text[])) and ($5::text[] is null or t.workspace = any ($5::text[]))
				and (t.state <> 'queued' or not ` + mustWait + `)),
			(select count(*) from alive a where a.id <> $1::text and not exists (select from quarantine o where o.host = a.id and o.replica <> q.replica)),
			(select count(*) from alive a where a.id <> $1::text),
			coalesce((select sum(h.n) from held h where h.owner = $1::text and h.quarantine = ''), 0)
		from quarantine q order by q.host = $1::text desc, q.beside desc, q.at, q.replica`
	type state struct {
		Group          string
		Beside         int
		Mine, Hosted   bool
		Held           int // turns of the quarantine that its host holds
		Holding, Waits bool
		// Free and Others count the other live replicas: those without a quarantine, and all.
		// Elsewhere counts the turns outside quarantines that this replica holds.
		Free, Others, Elsewhere int
	}
	rows, err := tx.Query(ctx, groups, r.Replica, r.Holding != nil, heldTurns(r), r.Platforms, r.Workspaces)
	if err != nil {
		return "", nil, fmt.Errorf("load the quarantine: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[state])
	if err != nil {
		return "", nil, fmt.Errorf("load the quarantine: %w", err)
	}
	for _, g := range all {
		switch {
		case !g.Holding:
		case g.Held < g.Beside:
			return g.Group, nil, nil
		default:
			return "", errFull, nil
		}
	}
	for _, g := range all {
		idle := g.Elsewhere == 0
		// an idle replica need not wait for a draining one
		taken := !g.Mine && g.Hosted && (!idle || g.Held > 0)
		if !g.Waits || taken || !g.Mine && g.Others > 0 && g.Free == 0 {
			continue
		}
		if _, err := tx.Exec(ctx, `update quarantine set host = case when replica = $2 then $1 when host = $1 then '' else host end`, r.Replica, g.Group); err != nil {
			return "", nil, fmt.Errorf("take over quarantine %s: %w", g.Group, err)
		}
		if !idle {
			return "", session.ErrDraining, nil
		}
		return g.Group, nil, nil
	}
	_, err = tx.Exec(ctx, `update quarantine set host = '' where host = $1`, r.Replica)
	return "", nil, err
}
