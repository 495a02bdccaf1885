package pgsession

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

// Vote implements session.Store. It stores a person's vote about an answer and replaces an earlier
// vote. changed is false if the button press was recorded before or the vote is the same.
func (s *Store) Vote(ctx context.Context, v session.Vote) (changed bool, err error) {
	err = s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		changed = false
		t, err := lockTurn(ctx, tx, v.Tenant, v.Turn)
		if err != nil {
			return err
		}
		if t.removed {
			return session.ErrRemoved
		}
		first, err := claimPress(ctx, tx, v.Tenant, t.ref, v.Key, string(v.Turn))
		if err != nil || !first {
			return err
		}
		const vote = `
			insert into feedback as f (tenant_id, turn_id, person_id, person_name, up, reason, model_index) values ($1, $2, $3, $4, $5, $6, (
				select d.model from delivery d where d.tenant_id = $1 and d.turn_id = $2 and d.kind = 'page' and d.message = $7 and $7 <> '' limit 1))
			on conflict (tenant_id, turn_id, person_id) do update set
				up = excluded.up, person_name = excluded.person_name, at = excluded.at,
				model_index = coalesce(excluded.model_index, f.model_index),
				reason = case when f.up = excluded.up and coalesce(excluded.model_index = f.model_index, true) and excluded.reason = ''
					then f.reason else excluded.reason end
			where f.up <> excluded.up or excluded.reason not in ('', f.reason)
				or excluded.model_index is not null and excluded.model_index is distinct from f.model_index`
		tag, err := tx.Exec(ctx, vote, v.Tenant, v.Turn, postgres.Storable(v.Person.ID), postgres.Storable(v.Person.Name), v.Up, postgres.Storable(v.Reason),
			postgres.Storable(string(v.Message)))
		changed = err == nil && tag.RowsAffected() > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("store a vote about turn %s: %w", v.Turn, err)
	}
	return changed, nil
}

type feedbackRow struct {
	Turn, Person, Name                   string
	Up                                   bool
	Reason                               string
	At                                   time.Time
	Platform, Workspace, Channel, Thread string
	Private                              bool
	Question, Outcome                    string
	Model                                string
}

const defaultFeedback = 1000

// Feedback implements session.Store. It returns votes with their questions, newest first.
func (s *Store) Feedback(ctx context.Context, q session.FeedbackQuery) ([]session.Feedback, error) {
	// Served by feedback_at, then by primary keys.
	const list = `
		select t.id::text, f.person_id, f.person_name, f.up, f.reason, f.at, s.platform, s.workspace, s.channel, s.thread, s.owner <> '', q.text,
			coalesce(t.outcome, ''), coalesce((
				select r.model from run r where r.tenant_id = f.tenant_id and r.turn_id = f.turn_id and r.model_index = coalesce(f.model_index, r.model_index)
				order by r.outcome <> 'answered', r.model_index limit 1), '')
		from feedback f
		join turn t on t.tenant_id = f.tenant_id and t.id = f.turn_id` + turnJoins + `
		where f.tenant_id = $1 and f.at >= $2 and not (f.up and $3) order by f.at desc, t.id limit $4`
	rows, err := postgres.QueryAll[feedbackRow](ctx, s.db.Pool, list, q.Tenant, q.Since, q.Down, cmp.Or(q.Limit, defaultFeedback))
	if err != nil {
		return nil, fmt.Errorf("list feedback: %w", err)
	}
	found := make([]session.Feedback, len(rows))
	for i, r := range rows {
		found[i] = session.Feedback{
			Vote: session.Vote{
				Tenant: q.Tenant, Turn: session.TurnID(r.Turn), Person: thread.Person{ID: r.Person, Name: r.Name}, Up: r.Up, Reason: r.Reason, At: r.At.UTC(),
			},
			Ref:     thread.Ref{Platform: thread.Platform(r.Platform), Workspace: r.Workspace, Channel: r.Channel, Thread: r.Thread},
			Private: r.Private, Question: r.Question, Outcome: session.Outcome(r.Outcome), Model: r.Model,
		}
	}
	return found, nil
}

// ForgetVotes implements session.Store. It deletes all votes of a person on a platform and returns
// their number.
func (s *Store) ForgetVotes(ctx context.Context, tenant access.TenantID, platform thread.Platform, person string) (int, error) {
	// Served by feedback_person.
	const forget = `
		delete from feedback f using turn t
		where f.tenant_id = $1 and f.person_id = $3 and t.tenant_id = f.tenant_id and t.id = f.turn_id and t.platform = $2`
	tag, err := s.db.Pool.Exec(ctx, forget, tenant, platform, person)
	if err != nil {
		return 0, fmt.Errorf("forget a person's votes: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
