package pgsession

import (
	"context"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
)

type runRow struct {
	Model                    string
	Input, Output, Reasoning int
	Shown                    string
	Outcome, Grounding       string
	Sentence, Reference      string
	Cause                    string
	Retryable                bool
	Notices                  []string
	Closest                  []closestRow
	Searches                 []retrieve.Account
}

type closestRow struct {
	ID        string     `json:"id"`
	Source    string     `json:"source"`
	Kind      string     `json:"kind"`
	Title     string     `json:"title"`
	URL       string     `json:"url,omitempty"`
	UpdatedAt *time.Time `json:"updated_at,omitempty"`
}

func insertRun(ctx context.Context, q postgres.Executor, f session.Fence, model int, r session.Run) error {
	const insert = `
		insert into run (tenant_id, turn_id, model_index, model, input_tokens, output_tokens, reasoning, shown,
		                 outcome, grounding, sentence, reference, retryable, notices, closest, searches, cause)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`
	notices := make([]string, len(r.Ending.Notices))
	for i, n := range r.Ending.Notices {
		notices[i] = postgres.Storable(n)
	}
	closest := make([]closestRow, len(r.Ending.Closest))
	for i, d := range r.Ending.Closest {
		closest[i] = closestRow{ID: postgres.Storable(string(d.ID)), Source: string(d.Source), Kind: string(d.Kind), Title: postgres.Storable(d.Title),
			URL: postgres.Storable(d.URL), UpdatedAt: postgres.OrNull(d.UpdatedAt)}
	}
	_, err := q.Exec(ctx, insert, f.Tenant, f.Turn, model, postgres.Storable(r.Model), r.Usage.Input, r.Usage.Output, r.Reasoning, postgres.Storable(r.Shown),
		r.Ending.Outcome, r.Ending.Grounding, postgres.Storable(r.Ending.Sentence), r.Ending.Reference, r.Ending.Retryable, notices, closest, storableSearches(r.Searches), r.Ending.Cause)
	if err != nil {
		return err
	}
	return insertMessages(ctx, q, f.Tenant, string(f.Turn), model, r.Messages)
}

// storableSearches returns a copy that jsonb accepts: never null, and without invalid text.
func storableSearches(accounts []retrieve.Account) []retrieve.Account {
	stored := make([]retrieve.Account, len(accounts))
	for i, a := range accounts {
		a.Queries = slices.Clone(a.Queries)
		for q := range a.Queries {
			a.Queries[q] = postgres.Storable(a.Queries[q])
		}
		a.Found = slices.Clone(a.Found)
		for f := range a.Found {
			a.Found[f].Title, a.Found[f].Document = postgres.Storable(a.Found[f].Title), document.ID(postgres.Storable(string(a.Found[f].Document)))
		}
		stored[i] = a
	}
	return stored
}

// loadRuns returns the runs of a turn, ordered by model, without their messages.
func loadRuns(ctx context.Context, q postgres.Executor, of session.Turn) ([]session.Run, error) {
	rows, err := postgres.QueryAll[runRow](ctx, q, `
		select model, input_tokens, output_tokens, reasoning, shown, outcome, grounding, sentence, reference, cause, retryable, notices, closest, searches
		from run where tenant_id = $1 and turn_id = $2 order by model_index`, of.Session.Tenant, of.ID)
	if err != nil {
		return nil, err
	}
	runs := make([]session.Run, len(rows))
	for i, r := range rows {
		runs[i] = session.Run{
			Model: r.Model, Usage: llm.Usage{Input: r.Input, Output: r.Output}, Reasoning: r.Reasoning, Shown: r.Shown,
			Ending: session.Ending{Outcome: session.Outcome(r.Outcome), Grounding: packet.Grounding(r.Grounding), Sentence: r.Sentence,
				Reference: r.Reference, Cause: session.Cause(r.Cause), Retryable: r.Retryable},
		}
		if len(r.Notices) > 0 {
			runs[i].Ending.Notices = r.Notices
		}
		if len(r.Searches) > 0 {
			runs[i].Searches = r.Searches
		}
		for _, d := range r.Closest {
			runs[i].Ending.Closest = append(runs[i].Ending.Closest, document.Ref{ID: document.ID(d.ID), Source: document.SourceID(d.Source),
				Kind: document.Kind(d.Kind), Title: d.Title, URL: d.URL, UpdatedAt: orZero(d.UpdatedAt)})
		}
	}
	return runs, nil
}
