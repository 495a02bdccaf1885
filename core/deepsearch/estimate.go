package deepsearch

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/spend"
)

// What is guessed of a search until its first findings tell better. They are guesses: a
// sub-question is two calls of a model, each with the prompt and five passages of 512 tokens, a
// report is read from about as much for each row; hosted models write some fifty tokens a second.
const (
	guessedPart   = 20 * time.Second
	guessedReport = 20 * time.Second
	quotedPart    = time.Second // where no model is asked
)

var guessedUsage = llm.Usage{Input: 9_000, Output: 500}

// budget is what the caps leave, for a reader; empty where there are none.
func (s *inquiry) budget(ctx context.Context) string {
	if s.Left == nil || s.prices.Currency == "" {
		return ""
	}
	left, capped, err := s.Left(ctx, s.req.Audience.Tenant())
	if err != nil {
		s.Logger.WarnContext(ctx, "what is left of the budget is not known", "turn", s.req.Turn, "error", err)
	}
	if err != nil || !capped {
		return ""
	}
	return max(left, 0).String() + " " + s.prices.Currency
}

// ahead is what a search is still to take, as far as it is planned: refinement is not. The caller
// holds mu.
func (s *inquiry) ahead() (time.Duration, spend.Amount) {
	var took time.Duration
	var used llm.Usage
	known, open := 0, 0
	for _, r := range s.rows {
		switch {
		case r.finding == nil:
			open++
		case r.finding.Took > 0:
			known++
			took += r.finding.Took
			used.Input, used.Output = used.Input+r.finding.Usage.Input, used.Output+r.finding.Usage.Output
		}
	}
	report := guessedReport
	if s.fast.Info().Extractive {
		took, report = max(took, quotedPart), 0
		known = max(known, 1)
	}
	if known == 0 {
		known, took, used = 1, guessedPart, guessedUsage
	}
	rounds := (open + s.config.Parallel - 1) / s.config.Parallel
	part := llm.Usage{Input: used.Input / known, Output: used.Output / known}
	// a judgment, and the report
	written := llm.Usage{Input: 2 * (1_000 + len(s.rows)*guessedUsage.Input/4), Output: 3 * guessedUsage.Output}
	cost := spend.Amount(open)*s.prices.Models[s.fast.Info().Name].Of(part) + s.prices.Models[s.model.Info().Name].Of(written)
	return time.Duration(rounds)*(took/time.Duration(known)) + report, cost
}
