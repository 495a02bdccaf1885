package deepsearch

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/spend"
)

// Estimated durations that apply until the first findings give better values. They assume a hosted
// model that writes about fifty tokens a second.
const (
	guessedPart   = 20 * time.Second
	guessedReport = 20 * time.Second
	quotedPart    = time.Second // without a model call
)

var guessedUsage = llm.Usage{Input: 9_000, Output: 500}

// remainingBudget returns for example "4.20 USD", or "" without a cap.
func (s *inquiry) remainingBudget(ctx context.Context) string {
	if s.RemainingBudget == nil || s.prices.Currency == "" {
		return ""
	}
	left, capped, err := s.RemainingBudget(ctx, s.req.Audience.Tenant())
	if err != nil {
		s.Logger.WarnContext(ctx, "cannot determine the remaining budget", "turn", s.req.Turn, "error", err)
	}
	if err != nil || !capped {
		return ""
	}
	return max(left, 0).String() + " " + s.prices.Currency
}

// estimate returns the expected remaining time and cost, without further rounds of questions. It
// must be called with mu held.
func (s *inquiry) estimate() (time.Duration, spend.Amount) {
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
	// usage of the judgment and of the report
	written := llm.Usage{Input: 2 * (1_000 + len(s.rows)*guessedUsage.Input/4), Output: 3 * guessedUsage.Output}
	cost := spend.Amount(open)*s.prices.Models[s.fast.Info().Name].Of(part) + s.prices.Models[s.model.Info().Name].Of(written)
	return time.Duration(rounds)*(took/time.Duration(known)) + report, cost
}
