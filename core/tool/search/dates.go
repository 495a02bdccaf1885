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

// dates are those of the documents that a call asks for: what the model says, else what the
// question names, where that is clearly meant by it. They begin and end where the asker's days do.
func (t *Tool) dates(ctx context.Context, asked arguments, scope tool.Scope) (knowledge.Period, error) {
	now, q := scope.Now, knowledge.Question{Audience: scope.Audience, Sources: scope.Sources, Documents: scope.Documents}
	if asked.Period != "" {
		p, err := knowledge.DatedAlone(ctx, t.config.Graph, q, asked.Period, now)
		if err != nil && !errors.Is(err, knowledge.ErrNoRelease) {
			return p, &Failure{err}
		}
		if err == nil && p.Open() {
			err = fmt.Errorf("the period %q is not understood; write it like \"last quarter\", \"before March\" or \"since 2026-01-31\", or leave it out", asked.Period)
		}
		return p, err
	}
	if !scope.First && asked.Page < 2 {
		return knowledge.Period{}, nil // the model has seen what there is, and looks for something else
	}
	p, rest, err := knowledge.Dated(ctx, t.config.Graph, q, scope.Question, now)
	if err != nil || !knowledge.MeansDates(rest, p, now) {
		// the question does not ask for it in so many words, so the search goes without
		return knowledge.Period{}, nil
	}
	return p, nil
}

// without takes out of queries the words that name the dates by which documents are chosen: they
// would be looked for in the text.
func without(queries []retrieve.Query, dates knowledge.Period, now time.Time) []retrieve.Query {
	for i := range queries {
		if p, rest := knowledge.ReadPeriod(queries[i].Text, now); !dates.Open() && rest != "" && p == dates {
			queries[i].Text = rest
		} else if _, rest, named := knowledge.ReadSince(queries[i].Text); !dates.Open() && named && rest != "" {
			queries[i].Text = rest
		}
	}
	return queries
}

// find searches, and where nothing of the dates asked for matches, without them: what it finds then
// is no evidence, and the result says of which time it is not.
func (t *Tool) find(ctx context.Context, s retrieve.Search) (retrieve.Result, error) {
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
	if found.Ranking != nil { // of which further pages are shown
		found.Ranking.Evidence = false
	}
	found.Trace.From, found.Trace.To = dated.From, dated.To
	found.Trace.AddNotice("Nothing of these dates matches, so what was found is of other times.")
	return found, nil
}
