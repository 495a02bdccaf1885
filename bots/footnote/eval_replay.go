package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/plural"
)

// replayJSON is the output of eval --queries --json. Its field names are stable.
type replayJSON struct {
	evaluate.ReplaySummary
	Results []evaluate.Replayed `json:"results"`
}

// replay runs queries that a model wrote earlier, and prints the ranks of the right pages.
func (c *evalCommand) replay(ctx context.Context, env *environment) error {
	questions, err := readQuestions(c.Questions)
	if err != nil {
		return usageError(fmt.Sprintf("--questions %s: %v", c.Questions, err))
	}
	file, err := os.Open(c.Queries)
	if err != nil {
		return usageError(fmt.Sprintf("--queries: %v", err))
	}
	defer file.Close()
	queries, err := evaluate.ReadQueries(file)
	if err != nil {
		return usageError(fmt.Sprintf("--queries %s: %v", c.Queries, err))
	}
	return env.withBase(ctx, func(base *wire.Base) error {
		var sources []document.SourceID
		for _, id := range c.Source {
			sources = append(sources, document.SourceID(id))
		}
		tool, err := base.SearchTool()
		if err != nil {
			return err
		}
		results, err := evaluate.Replay{Search: tool, Counter: base.Counter, Audience: base.ConsoleAudience(), Sources: sources, Now: time.Now()}.Run(ctx, questions, queries)
		if err != nil {
			return fmt.Errorf("replay %s: %w", c.Queries, err)
		}
		s := evaluate.SummariseReplay(results)
		if c.JSON {
			return newEncoder(env.stdout).Encode(replayJSON{s, results})
		}
		for _, r := range results {
			if r.Rank != 1 {
				fmt.Fprintf(env.out, "%s  right page at %d of %d  %s\n", plain(r.ID), r.Rank, r.Passages, plain(shorten(r.Question, 90)))
			}
		}
		fmt.Fprintf(env.out, "%s: right page first %d, among the first five %d, shown %d; %.1f passages, %.0f tokens\n",
			plural.Count(s.Questions, "question"), s.First, s.Top5, s.Shown, s.Passages, s.Tokens)
		return nil
	})
}
