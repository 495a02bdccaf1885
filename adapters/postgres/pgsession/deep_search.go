package pgsession

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

// DeepSearches stores the state of deep searches. A deep search answers a turn's question by
// several sub-questions. It is deleted together with its turn. DeepSearches is safe for concurrent
// use.
type DeepSearches struct{ db *postgres.DB }

var _ deepsearch.Journal = (*DeepSearches)(nil)

// NewDeepSearches returns the store of deep searches in db.
func NewDeepSearches(db *postgres.DB) *DeepSearches { return &DeepSearches{db} }

type deepRow struct {
	Number, Round, After, Again int
	Added                       bool
	Text                        string
	Ordinal                     *int
	State                       *string
	Shown                       string
	Finding                     []byte
}

// deepRows returns the sub-questions of a turn's deep search. Those with findings come first, in
// the order of the findings. The statement uses the primary key.
func deepRows(ctx context.Context, q postgres.Executor, tenant access.TenantID, turn session.TurnID) ([]deepRow, error) {
	return postgres.QueryAll[deepRow](ctx, q, `
		select number, round, after, again, added, text, ordinal, state, shown, finding from deep_question where tenant_id = $1 and turn_id = $2 order by ordinal nulls last, number`, tenant, turn)
}

// Record implements deepsearch.Journal. It returns the stored deep search of a turn, or the zero
// Record. It reads from one snapshot.
func (s *DeepSearches) Record(ctx context.Context, tenant access.TenantID, turn session.TurnID) (r deepsearch.Record, err error) {
	if !postgres.IsID(string(turn)) {
		return r, nil
	}
	err = s.db.InTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		r = deepsearch.Record{Findings: make(map[int]deepsearch.Finding)}
		err := tx.QueryRow(ctx, `
			select question, audience, direct, not steerable and exists (select from deep_question q where q.tenant_id = $1 and q.turn_id = $2),
				asked_at is not null, coalesce(clock_timestamp() - asked_at, '0'), coalesce(choice, '')
			from deep_search where tenant_id = $1 and turn_id = $2`, tenant, turn).Scan(&r.Question, &r.Audience, &r.Direct, &r.Closed, &r.Asked, &r.Waited, &r.Choice)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		rows, err := deepRows(ctx, tx, tenant, turn)
		if err != nil {
			return err
		}
		r.Questions = make([]deepsearch.SubQuestion, len(rows))
		for _, row := range rows {
			if row.Number > len(rows) {
				return fmt.Errorf("sub-question %d is one of %d", row.Number, len(rows))
			}
			r.Questions[row.Number-1] = deepsearch.SubQuestion{Text: row.Text, Round: row.Round, After: row.After, Again: row.Again, Added: row.Added}
			if row.State == nil {
				continue
			}
			var f deepsearch.Finding
			if err := json.Unmarshal(row.Finding, &f); err != nil {
				return fmt.Errorf("read finding %d: %w", row.Number, err)
			}
			r.Findings[row.Number], r.Order = f, append(r.Order, row.Number)
		}
		judged, err := tx.Query(ctx, `select judgment from deep_judgment where tenant_id = $1 and turn_id = $2 order by round`, tenant, turn)
		if err != nil {
			return err
		}
		r.Judgments, err = pgx.CollectRows(judged, func(row pgx.CollectableRow) (j deepsearch.Judgment, err error) {
			var data []byte
			if err = row.Scan(&data); err == nil {
				err = json.Unmarshal(data, &j)
			}
			return j, err
		})
		return err
	})
	if err != nil {
		return deepsearch.Record{}, fmt.Errorf("load the deep search of turn %s: %w", turn, err)
	}
	return r, nil
}

// fenced runs a change in a transaction if f is the newest attempt of a running turn. Otherwise it
// returns the reason as an error, such as session.ErrFenced. what names the data in errors.
func (s *DeepSearches) fenced(ctx context.Context, f session.Fence, what string, change func(pgx.Tx) error) error {
	err := s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		var n int
		err := tx.QueryRow(ctx, `select 1 from turn where tenant_id = $1 and id = $2 and attempt = $3 and state = 'running' for update`, f.Tenant, f.Turn, f.Attempt).Scan(&n)
		if errors.Is(err, pgx.ErrNoRows) {
			return fenceError(ctx, tx, f)
		}
		if err != nil {
			return err
		}
		return change(tx)
	})
	if err != nil {
		return fmt.Errorf("keep the %s of turn %s: %w", what, f.Turn, err)
	}
	return nil
}

// Plan implements deepsearch.Journal. It stores the plan of a turn's deep search and replaces an
// earlier plan. Sub-questions that people have requested in advance are added to the plan.
func (s *DeepSearches) Plan(ctx context.Context, f session.Fence, r deepsearch.Record) error {
	return s.fenced(ctx, f, "plan", func(tx pgx.Tx) error {
		early, err := earlyInstructions(ctx, tx, f, r.Question)
		switch {
		case err != nil:
			return err
		case r.Direct && len(early) > 0:
			return deepsearch.ErrSteered
		}
		if err := forgetDeep(ctx, tx, f.Tenant, string(f.Turn)); err != nil {
			return err
		}
		remaining := early
		if len(r.Questions) > 0 || early == nil {
			remaining = []deepsearch.Instruction{}
		}
		const plan = `
			insert into deep_search (tenant_id, turn_id, question, audience, direct, steerable, asked_at, choice, early)
			values ($1, $2, $3, $4, $5, $6, case when $7 then clock_timestamp() end, nullif($8, ''), $9)`
		_, err = tx.Exec(ctx, plan, f.Tenant, f.Turn, postgres.Storable(r.Question), r.Audience, r.Direct, len(r.Questions) > 0, r.Asked, r.Choice, remaining)
		if err != nil || len(r.Questions) == 0 {
			return err
		}
		if err := addDeep(ctx, tx, f, 0, r.Questions); err != nil {
			return err
		}
		for i, in := range early {
			if err := changePlan(ctx, tx, f, steerable{Rows: len(r.Questions) + i}, in); err != nil {
				return err
			}
		}
		return nil
	})
}

func earlyInstructions(ctx context.Context, tx pgx.Tx, f session.Fence, question string) (early []deepsearch.Instruction, err error) {
	const said = `select early from deep_search where tenant_id = $1 and turn_id = $2 and question = $3`
	err = tx.QueryRow(ctx, said, f.Tenant, f.Turn, postgres.Storable(question)).Scan(&early)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return early, err
}

// Await implements deepsearch.Journal. It releases a turn whose search waits for a person.
func (s *DeepSearches) Await(ctx context.Context, f session.Fence, w deepsearch.Waiting) error {
	return s.fenced(ctx, f, "waiting", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, awaitedSQL, f.Tenant, f.Turn, f.Attempt, w.Most.Microseconds(), w.Again.Microseconds(), w.Questions, w.Dropped)
		return err
	})
}

// Conclude implements deepsearch.Journal. It stores the final progress of a search.
func (s *DeepSearches) Conclude(ctx context.Context, f session.Fence, p packet.Progress) error {
	return s.fenced(ctx, f, "end of the search", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `update deep_search set progress = $3 where tenant_id = $1 and turn_id = $2`, f.Tenant, f.Turn, p)
		return err
	})
}

// addDeep stores further sub-questions of a deep search. before is the number of sub-questions that
// are stored already.
func addDeep(ctx context.Context, tx pgx.Tx, f session.Fence, before int, questions []deepsearch.SubQuestion) error {
	batch := new(pgx.Batch)
	for i, q := range questions {
		batch.Queue(`insert into deep_question (tenant_id, turn_id, number, round, text, after, again, added) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
			f.Tenant, f.Turn, before+i+1, q.Round, postgres.Storable(q.Text), q.After, q.Again, q.Added)
	}
	return tx.SendBatch(ctx, batch).Close()
}

// errErased means that a deep search was erased with its question or answer.
var errErased = errors.New("the deep search was erased")

// Extend implements deepsearch.Journal. It stores a judgment of the findings, and the sub-questions
// that the judgment adds. It returns deepsearch.ErrSteered if a person has added sub-questions in
// the meantime.
func (s *DeepSearches) Extend(ctx context.Context, f session.Fence, known int, j deepsearch.Judgment, more []deepsearch.SubQuestion) error {
	data, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("write a judgment: %w", err)
	}
	return s.fenced(ctx, f, "judgment", func(tx pgx.Tx) error {
		var before, round int
		const standing = `
			select (select count(*) from deep_question where tenant_id = $1 and turn_id = $2), (select count(*) from deep_judgment where tenant_id = $1 and turn_id = $2)
			from deep_search where tenant_id = $1 and turn_id = $2`
		if err := tx.QueryRow(ctx, standing, f.Tenant, f.Turn).Scan(&before, &round); err != nil {
			if errors.Is(err, pgx.ErrNoRows) {
				return errErased
			}
			return err
		}
		if before != known {
			return deepsearch.ErrSteered
		}
		const judged = `insert into deep_judgment (tenant_id, turn_id, round, judgment) values ($1, $2, $3, $4)`
		if _, err := tx.Exec(ctx, judged, f.Tenant, f.Turn, round+1, data); err != nil {
			return err
		}
		return addDeep(ctx, tx, f, before, more)
	})
}

// Found implements deepsearch.Journal. It stores the finding of a sub-question. A dropped
// sub-question stays dropped.
func (s *DeepSearches) Found(ctx context.Context, f session.Fence, number int, finding deepsearch.Finding) error {
	data, err := json.Marshal(finding)
	if err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	return s.fenced(ctx, f, "finding", func(tx pgx.Tx) error {
		const found = `
			update deep_question q set state = $4, shown = $5, finding = $6,
				ordinal = coalesce(q.ordinal, (select coalesce(max(o.ordinal), 0) + 1 from deep_question o where o.tenant_id = $1 and o.turn_id = $2))
			where q.tenant_id = $1 and q.turn_id = $2 and q.number = $3 and q.state is distinct from 'dropped'`
		tag, err := tx.Exec(ctx, found, f.Tenant, f.Turn, number, finding.State, postgres.Storable(finding.Shown), data)
		if err != nil || tag.RowsAffected() > 0 {
			return err
		}
		err = tx.QueryRow(ctx, `select from deep_question where tenant_id = $1 and turn_id = $2 and number = $3`, f.Tenant, f.Turn, number).Scan()
		if errors.Is(err, pgx.ErrNoRows) {
			return errErased
		}
		return err // the sub-question was dropped
	})
}

// Forget implements deepsearch.Journal. It deletes the content of all judgments of the search. In
// the sub-questions that a judgment has added, it replaces the question by text.
func (s *DeepSearches) Forget(ctx context.Context, f session.Fence, text string) error {
	return s.fenced(ctx, f, "taking back of judgments", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `update deep_question set text = $3 where tenant_id = $1 and turn_id = $2 and round > 0`, f.Tenant, f.Turn, text); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `update deep_judgment set judgment = '{}' where tenant_id = $1 and turn_id = $2`, f.Tenant, f.Turn)
		return err
	})
}

func forgetDeep(ctx context.Context, q postgres.Executor, tenant access.TenantID, turns ...string) error {
	_, err := q.Exec(ctx, `delete from deep_search where tenant_id = $1 and turn_id = any($2::text[]::uuid[])`, tenant, turns)
	return err
}

// copyDeep copies a deep search from one turn to another. In the copy, it marks sub-questions
// without a finding as not searched.
func copyDeep(ctx context.Context, tx pgx.Tx, tenant access.TenantID, from, to string) error {
	batch := new(pgx.Batch)
	batch.Queue(`
		insert into deep_search (tenant_id, turn_id, question, audience, direct)
		select tenant_id, $3::uuid, question, audience, direct from deep_search where tenant_id = $1 and turn_id = $2`, tenant, from, to)
	batch.Queue(`
		insert into deep_question (tenant_id, turn_id, number, round, text, after, again, added, ordinal, state, shown, finding)
		select tenant_id, $3::uuid, number, round, text, after, again, added, coalesce(ordinal, 1000 + number), coalesce(state, 'failed'),
			case when state is null then $4::text else shown end, coalesce(finding, json_build_object('State', 'failed', 'Shown', $4::text))
		from deep_question where tenant_id = $1 and turn_id = $2`, tenant, from, to, sentenceUnasked)
	batch.Queue(`
		insert into deep_judgment (tenant_id, turn_id, round, judgment)
		select tenant_id, $3::uuid, round, judgment from deep_judgment where tenant_id = $1 and turn_id = $2`, tenant, from, to)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("copy what was found: %w", err)
	}
	return nil
}

// sentenceUnasked is stored as the finding of a sub-question that a stopped search did not reach.
const sentenceUnasked = "The search was stopped before this was looked into."

// loadPlan returns the plan of a turn's deep search, in the order of the findings, and the final
// progress. It returns nil if the turn has no plan.
func loadPlan(ctx context.Context, tx pgx.Tx, of session.Turn) (plan []session.PlanRow, end packet.Progress, err error) {
	rows, err := deepRows(ctx, tx, of.Session.Tenant, of.ID)
	if err != nil || len(rows) == 0 {
		return nil, end, err
	}
	const ended = `select coalesce(progress, '{}') from deep_search where tenant_id = $1 and turn_id = $2`
	if err := tx.QueryRow(ctx, ended, of.Session.Tenant, of.ID).Scan(&end); err != nil {
		return nil, end, err
	}
	for _, row := range rows {
		r := session.PlanRow{Number: row.Number, Round: row.Round, Question: row.Text, Shown: row.Shown}
		if row.State != nil {
			var f deepsearch.Finding
			if err := json.Unmarshal(row.Finding, &f); err != nil {
				return nil, end, fmt.Errorf("read finding %d: %w", row.Number, err)
			}
			r.State, r.Citations, r.Searches = *row.State, f.Citations, len(f.Searches)
		}
		plan = append(plan, r)
	}
	return plan, end, nil
}
