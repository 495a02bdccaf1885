package pgsession

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

var _ deepsearch.Steering = (*DeepSearches)(nil)

// steerable is a deep search whose plan a person wants to change, with its turn.
//
//   - Going: the turn has no outcome yet.
//   - Open: a worker checks for changes of the plan, or will do so.
//   - Asked: the search waited or waits for a person to start it.
//   - Waits: the search waits for a person to start it.
//   - Rows: number of planned sub-questions.
//   - Added: number of sub-questions from people, including those from before the plan.
type steerable struct {
	ID, Asker, Starter        string
	Going, Open, Asked, Waits bool
	Rows, Added, Round        int
}

// Steer implements deepsearch.Steering. It applies a person's instruction to the plan of a deep
// search, and returns the result.
func (s *DeepSearches) Steer(ctx context.Context, at session.StopRequest, in deepsearch.Instruction) (deepsearch.Steered, error) {
	var became deepsearch.Steered
	err := s.db.InTxAgain(ctx, func(tx pgx.Tx) (err error) {
		became, err = steer(ctx, tx, at, in)
		return err
	})
	if err != nil {
		return deepsearch.Steered{}, fmt.Errorf("change a plan in %s: %w", at.Ref.Platform, err)
	}
	return became, nil
}

func steer(ctx context.Context, tx pgx.Tx, at session.StopRequest, in deepsearch.Instruction) (deepsearch.Steered, error) {
	// Selects the running deep search of the thread or channel, or else that of its newest turn.
	// Served by turn_unfinished and turn_in_session.
	const meant = `
		select t.id::text, t.asker_id, s.starter, t.state in ('running', 'queued'), d.steerable and t.state in ('running', 'queued'),
			d.asked_at is not null, d.asked_at is not null and d.choice is null and t.state in ('running', 'queued'),
			(select count(*)::int from deep_question q where q.tenant_id = t.tenant_id and q.turn_id = t.id),
			(select count(*)::int from deep_question q where q.tenant_id = t.tenant_id and q.turn_id = t.id and q.added) + json_array_length(d.early),
			(select coalesce(max(q.round), 0) from deep_question q where q.tenant_id = t.tenant_id and q.turn_id = t.id)
		from session s join turn t on t.tenant_id = s.tenant_id and t.session_id = s.id
			join deep_search d on d.tenant_id = t.tenant_id and d.turn_id = t.id and not d.direct
		where s.tenant_id = $1 and s.platform = $2 and s.workspace = $3 and s.channel = $4 and (s.thread = $5 or $5 = '' and t.asker_id = $6) and s.owner in ('', $6)
			and ($7 = '' or t.id::text = $7) and (t.state in ('running', 'queued') or not exists (select from turn n where n.tenant_id = t.tenant_id and n.session_id = t.session_id and n.sequence > t.sequence))
			and t.removed_at is null and t.withdrawn_at is null
		order by t.state = 'running' desc, t.state = 'queued' desc, t.sequence desc limit 1 for update of t, d`
	found, err := postgres.QueryAll[steerable](ctx, tx, meant, at.Tenant, at.Ref.Platform, at.Ref.Workspace, at.Ref.Channel, at.Ref.Thread, at.By.ID, in.Of)
	if err != nil || len(found) == 0 || in.Choice != "" && !found[0].Asked {
		return deepsearch.Steered{}, err
	}
	d := found[0]
	became := deepsearch.Steered{Rows: d.Rows, Turn: session.TurnID(d.ID)}
	switch {
	case !session.MayStop(at.By, d.Asker, d.Starter):
		became.Became = deepsearch.Forbidden
	case in.Choice != "" && !d.Waits:
		became.Became = deepsearch.Decided
	case in.Choice != "":
		became.Became = deepsearch.Changed
		_, err = tx.Exec(ctx, `update deep_search set choice = $3 where tenant_id = $1 and turn_id = $2`, at.Tenant, d.ID, in.Choice)
	case d.Going && d.Rows == 0 && (in.Add == "" || len(in.Drop) > 0) && in.MissingPart() == "":
		became.Became = deepsearch.Unplanned
	case !d.Open && !(d.Going && d.Rows == 0):
		became.Became = deepsearch.Over
	case in.MissingPart() != "":
		became.Became = deepsearch.Lacked
	case slices.ContainsFunc(in.Drop, func(n int) bool { return n < 1 || n > d.Rows }):
		became.Became = deepsearch.NoRow
	case in.Add != "" && d.Added >= deepsearch.MaxAdded:
		became.Became = deepsearch.Full
	case d.Rows == 0:
		became.Became = deepsearch.Changed
		err = storeEarly(ctx, tx, at.Tenant, d.ID, in)
	default:
		became.Became = deepsearch.Changed
		err = changePlan(ctx, tx, session.Fence{Tenant: at.Tenant, Turn: became.Turn}, d, in)
	}
	// a waiting search shows its plan again, or starts
	if err == nil && became.Became == deepsearch.Changed {
		_, err = tx.Exec(ctx, wokenSQL, at.Tenant, d.ID)
	}
	return became, err
}

// storeEarly stores an instruction that arrived before the plan. It does nothing if an equal
// instruction is stored.
func storeEarly(ctx context.Context, tx pgx.Tx, tenant access.TenantID, turn string, in deepsearch.Instruction) error {
	_, err := tx.Exec(ctx, `
		update deep_search set early = (early::jsonb || jsonb_build_array($3::jsonb))::json
		where tenant_id = $1 and turn_id = $2 and not early::jsonb @> jsonb_build_array($3::jsonb)`, tenant, turn, in)
	return err
}

// changePlan drops and adds sub-questions as an instruction requests. It does not add a
// sub-question that the plan already has.
func changePlan(ctx context.Context, tx pgx.Tx, f session.Fence, d steerable, in deepsearch.Instruction) error {
	drop := make([]int, 0, len(in.Drop))
	drop = append(drop, in.Drop...)
	const dropped = `
		update deep_question q set state = 'dropped', shown = '', finding = '{"State": "dropped"}',
			ordinal = coalesce(q.ordinal, q.number + (select coalesce(max(o.ordinal), 0) from deep_question o where o.tenant_id = $1 and o.turn_id = $2))
		where q.tenant_id = $1 and q.turn_id = $2 and (q.number = any($3) or $4 and q.state is null and lower(q.text) <> lower($5))`
	if _, err := tx.Exec(ctx, dropped, f.Tenant, f.Turn, drop, in.Rest, postgres.Storable(in.Add)); err != nil {
		return err
	}
	if in.Add == "" {
		return nil
	}
	const stands = `select from deep_question where tenant_id = $1 and turn_id = $2 and lower(text) = lower($3) and state is distinct from 'dropped'`
	if err := tx.QueryRow(ctx, stands, f.Tenant, f.Turn, postgres.Storable(in.Add)).Scan(); !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	return addDeep(ctx, tx, f, d.Rows, []deepsearch.SubQuestion{{Text: strings.TrimSpace(in.Add), Round: d.Round, Added: true}})
}

// Changes implements deepsearch.Journal. It returns the sub-questions that the caller has not seen,
// and the numbers of all dropped sub-questions. known is the number of sub-questions that the
// caller has seen.
//
// The statement uses the primary key.
func (s *DeepSearches) Changes(ctx context.Context, f session.Fence, known int) (deepsearch.Changes, error) {
	var changes deepsearch.Changes
	rows, err := s.db.Pool.Query(ctx, `
		select number, round, text, added, coalesce(state = 'dropped', false) from deep_question where tenant_id = $1 and turn_id = $2 and (number > $3 or state = 'dropped') order by number`,
		f.Tenant, f.Turn, known)
	if err == nil {
		var number int
		var q deepsearch.SubQuestion
		var dropped bool
		_, err = pgx.ForEachRow(rows, []any{&number, &q.Round, &q.Text, &q.Added, &dropped}, func() error {
			if number > known {
				changes.Added = append(changes.Added, q)
			}
			if dropped {
				changes.Dropped = append(changes.Dropped, number)
			}
			return nil
		})
	}
	if err != nil {
		return deepsearch.Changes{}, fmt.Errorf("look for changes in the plan of turn %s: %w", f.Turn, err)
	}
	return changes, nil
}

// Close implements deepsearch.Journal. It ends the time in which people may change the plan. It
// returns false if the plan has sub-questions that the caller has not seen. known is the number of
// those that the caller has seen.
func (s *DeepSearches) Close(ctx context.Context, f session.Fence, known int) (closed bool, err error) {
	err = s.fenced(ctx, f, "end of the search", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			update deep_search set steerable = false where tenant_id = $1 and turn_id = $2
				and not exists (select from deep_question q where q.tenant_id = $1 and q.turn_id = $2 and q.number > $3)`, f.Tenant, f.Turn, known)
		closed = tag.RowsAffected() > 0
		return err
	})
	return closed, err
}
