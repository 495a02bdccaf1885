package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
)

// searchPeriod returns the period that the model requested. Without one, the first search of a turn
// uses the period that the question clearly asks for. Days are in the time zone of the asker.
func (t *Tool) searchPeriod(ctx context.Context, asked arguments, scope tool.Scope) (knowledge.Period, error) {
	now, q := scope.Now, knowledge.Question{Audience: scope.Audience, Sources: scope.Sources, Documents: scope.Documents}
	if asked.Period != "" {
		p, err := knowledge.DatedAlone(ctx, t.config.Graph, q, asked.Period, now)
		if err != nil && !errors.Is(err, knowledge.ErrNoRelease) {
			return p, &Failure{err}
		}
		if err == nil && p.Open() {
			err = fmt.Errorf("the period %q is invalid; write it like \"last quarter\", \"before March\" or \"since 2026-01-31\", or leave it out", asked.Period)
		}
		return p, err
	}
	if !scope.First && asked.Page < 2 {
		return knowledge.Period{}, nil // in a later search the model looks for something else
	}
	p, rest, err := knowledge.Dated(ctx, t.config.Graph, q, scope.Question, now)
	if err != nil || !knowledge.MeansDates(rest, p, now) {
		// the question does not clearly ask for a period, so do not filter
		return knowledge.Period{}, nil
	}
	return p, nil
}

// removeDateWords removes the words of the period from the queries. Otherwise the index would
// search documents for these words.
func removeDateWords(queries []retrieve.Query, dates knowledge.Period, now time.Time) []retrieve.Query {
	for i := range queries {
		if p, rest := knowledge.ReadPeriod(queries[i].Text, now); !dates.Open() && rest != "" && p == dates {
			queries[i].Text = rest
		} else if _, rest, named := knowledge.ReadSince(queries[i].Text); !dates.Open() && named && rest != "" {
			queries[i].Text = rest
		}
	}
	return queries
}

// searchOrUndated searches within the period of s. If nothing in the period matches well, it
// searches without the period. The results then do not count as evidence, and have a notice.
func (t *Tool) searchOrUndated(ctx context.Context, s retrieve.Search) (retrieve.Result, error) {
	found, err := t.retriever.Search(ctx, s)
	if err != nil || found.Evidence || s.From.IsZero() && s.To.IsZero() {
		return found, err
	}
	dated := found.Trace
	s.From, s.To = time.Time{}, time.Time{}
	if found, err = t.retriever.Search(ctx, s); err != nil {
		return found, err
	}
	found.Evidence = false
	if found.Ranking != nil { // further pages use it
		found.Ranking.Evidence = false
	}
	found.Trace.From, found.Trace.To = dated.From, dated.To
	found.Trace.AddNotice("No document of this period matches, so the results are of other times.")
	return found, nil
}
