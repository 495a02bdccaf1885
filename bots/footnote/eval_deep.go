package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/plural"
)

func (c *evalCommand) deep(ctx context.Context, env *environment, collection *evaluate.Collection) (err error) {
	bar := newProgress(env, "Indexing "+c.Dir)
	defer bar.end()
	bar.doing("Starting the database")
	base, err := wire.OpenScratch(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	if _, err := indexCollection(ctx, base, collection, bar); err != nil {
		return fmt.Errorf("evaluate %s: %w", c.Dir, err)
	}
	runner := evaluate.Runner{Index: base.Index, Config: base.SearchConfig(), Tenant: base.Tenant}
	if runner.Embedder, runner.Config.Alpha, err = base.SearchEmbedder(ctx); err != nil {
		return err
	}
	if base.Config.KnowledgeStep { // as an answer searches
		runner.Neighbours = base.Knowledge()
	}
	if runner.Reranker, err = base.Reranker(); err != nil {
		return err
	}
	deep, err := runner.Deep(ctx, collection, cmp.Or(evaluate.Mode(c.Mode), evaluate.Hybrid), func(n int) {
		bar.doing(fmt.Sprintf("Asking: %d of %d queries", n, len(collection.Queries)))
	})
	if err != nil {
		return fmt.Errorf("evaluate %s: %w", c.Dir, err)
	}
	bar.end()
	if c.JSON {
		return newEncoder(env.stdout).Encode(deep)
	}
	return printDeep(env, deep)
}

func printDeep(env *environment, d evaluate.Deep) error {
	table := tabwriter.NewWriter(env.out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "%s\tall in ten\trecall@5\tsearches\t\n", plural.Count(d.Queries, "query"))
	for _, r := range d.Results {
		fmt.Fprintf(table, "%s\t%.3f\t%.3f\t%.1f\t\n", r.Way, r.AllTen, r.Recall5, r.Searches)
	}
	for _, o := range d.Ordered {
		fmt.Fprintf(table, "steps in order, first %d\t%.3f\t\t\t\n", o.Depth, o.Found)
	}
	return table.Flush()
}
