package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/plural"
)

type evalCommand struct {
	Dir       string   `arg:"" name:"dir" optional:"" help:"Folder in the layout of BEIR: corpus.jsonl, queries.jsonl, and qrels.tsv or qrels/test.tsv."`
	Questions string   `name:"questions" placeholder:"FILE" help:"Ask the questions of a file about the documents that are indexed, and judge the answers by the pages they cite. Columns parted by tabs: id, question, pages_regex (- where nothing answers), and, if wanted, kind, after, answer."`
	Source    []string `name:"source" placeholder:"ID" help:"With --questions: only these sources, as footnote sources lists them; may be repeated."`
	Answers   bool     `name:"answers" help:"With --questions: print every answer too, to be read by a person."`

	Queries string `name:"queries" placeholder:"FILE" help:"With --questions: ask no model. Run the search queries that a model wrote, and say where the right pages are among the passages that it would be shown. Columns parted by tabs: id of the question, queries."`

	Deep bool `name:"deep" help:"Of a collection whose questions need several documents: how often all of them are found by one search, by parts, by names of the first search, and, where steps.jsonl holds its reasoning, in its order; no model is asked. With --questions: every question is searched deeply, and where there is a model it judges the answers whose right one the file holds."`

	Mode    string `name:"mode" placeholder:"MODE" enum:",keyword,semantic,hybrid,rerank" default:"" help:"keyword, semantic, hybrid or rerank (default: all, rerank where RERANK_URL is set)."`
	JSON    bool   `name:"json" help:"Print one JSON object."`
	Save    string `name:"save" placeholder:"FILE" help:"Where to keep the report (default: below the data folder, one file for each collection)."`
	Trec    string `name:"run" placeholder:"FILE" help:"Also write the rankings there, as a run that trec_eval reads; needs --mode."`
	Compare string `name:"compare" placeholder:"FILE" help:"An earlier report to compare with (default: the last run on the same collection)."`
}

// evaluatedJSON is the output of eval --json. Its field names are stable.
type evaluatedJSON struct {
	evaluate.Report
	Compared *comparedJSON `json:"compared_with,omitempty"`
}

type comparedJSON struct {
	File        string                `json:"file"`
	At          time.Time             `json:"at"`
	Version     string                `json:"version"`
	Differences []evaluate.Difference `json:"differences"`
}

// Run executes "footnote eval". It indexes a labelled collection in a scratch schema, which it
// always drops.
func (c *evalCommand) Run(ctx context.Context, env *environment) error {
	switch {
	case (c.Dir == "") == (c.Questions == ""):
		return usageError("name either the folder of a labelled collection, or --questions FILE with questions about the documents that are indexed")
	case c.Questions != "" && (c.Mode != "" || c.Trec != ""):
		return usageError("--mode and --run are for labelled collections: --questions searches as the bot does when a person asks")
	case c.Queries != "" && (c.Questions == "" || c.Deep || c.Answers || c.Compare != "" || c.Save != ""):
		return usageError("--queries goes with --questions, --source and --json alone")
	case c.Queries != "":
		return c.replay(ctx, env)
	case c.Questions != "":
		return c.ask(ctx, env)
	case c.Deep && (c.Trec != "" || c.Compare != ""):
		return usageError("--deep has no run and no earlier report: leave out --run and --compare")
	case len(c.Source) > 0 || c.Answers:
		return usageError("--source and --answers go with --questions: a labelled collection is indexed apart and has no answers")
	}
	if c.Trec != "" && c.Mode == "" {
		return usageError("--run writes the rankings of one mode: name it with --mode keyword, semantic, hybrid or rerank")
	}
	collection, err := evaluate.Read(os.DirFS(c.Dir))
	if err != nil {
		return fmt.Errorf("evaluate %s: %w", c.Dir, err)
	}
	if c.Deep {
		return c.deep(ctx, env, &collection)
	}
	name, err := filepath.Abs(c.Dir)
	if err != nil {
		return fmt.Errorf("evaluate %s: %w", c.Dir, err)
	}
	report := evaluate.Report{
		Collection: filepath.Base(name), Fingerprint: collection.Fingerprint(), Documents: len(collection.Documents), Queries: len(collection.Queries),
		At: time.Now().UTC().Truncate(time.Second), Version: version, Alpha: env.config.HybridAlpha, TitleRatio: env.config.TitleRatio,
		Notes: collection.Notes,
	}
	baseline, err := c.keeping(env, report) // before the work: a wrong file is reported at once
	if err != nil {
		return err
	}
	if err := c.measure(ctx, env, &collection, &report); err != nil {
		return fmt.Errorf("evaluate %s: %w", c.Dir, err)
	}
	out := evaluatedJSON{Report: report}
	if c.Trec != "" {
		if err := writeWhole(c.Trec, func(w io.Writer) error { return collection.WriteRun(w, report.Results[0]) }); err != nil {
			return fmt.Errorf("write the run: %w", err)
		}
	}
	if baseline.earlier != nil {
		differences, err := report.Compare(*baseline.earlier)
		if err != nil {
			return err
		}
		out.Compared = &comparedJSON{baseline.from, baseline.earlier.At, baseline.earlier.Version, differences}
	}
	if c.JSON {
		encoder := newEncoder(env.stdout)
		err = encoder.Encode(out)
	} else {
		err = printEvaluation(env, out)
	}
	return errors.Join(err, baseline.save(env, report))
}

func (c *evalCommand) measure(ctx context.Context, env *environment, collection *evaluate.Collection, report *evaluate.Report) (err error) {
	bar := newProgress(env, "Indexing "+report.Collection)
	defer bar.end()
	bar.doing("Starting the database")
	base, err := wire.OpenScratch(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	if report.Indexing, err = indexCollection(ctx, base, collection, bar); err != nil {
		return err
	}
	if report.Indexing.Failed > 0 {
		report.Notes = append(report.Notes, fmt.Sprintf("%s could not be indexed and count as not found.", plural.Count(report.Indexing.Failed, "document")))
	}
	runner := evaluate.Runner{Index: base.Index, Config: base.SearchConfig(), Tenant: base.Tenant}
	if runner.Embedder, runner.Config.Alpha, err = base.SearchEmbedder(ctx); err != nil {
		return err
	}
	report.Alpha = runner.Config.Alpha
	report.Embedder = runner.Embedder.Model()
	if runner.Reranker, err = base.Reranker(); err != nil {
		return err
	}
	if env.config.KnowledgeStep {
		runner.Neighbours = base.Knowledge()
	}
	for _, mode := range evaluate.Modes() {
		if c.Mode != "" && c.Mode != string(mode) || c.Mode == "" && mode == evaluate.Reranked && runner.Reranker == nil {
			continue
		}
		result, err := runner.Run(ctx, collection, mode, func(queries int) {
			bar.doing(fmt.Sprintf("Asking %s: %d of %d queries", mode, queries, len(collection.Queries)))
		})
		if err != nil {
			return err
		}
		report.Results = append(report.Results, result)
	}
	return nil
}

func indexCollection(ctx context.Context, base *wire.Base, collection *evaluate.Collection, bar *progress) (evaluate.Indexing, error) {
	var out evaluate.Indexing
	pipeline, err := base.Pipeline(ctx)
	if err != nil {
		return out, err
	}
	run, err := pipeline.Run(ctx, base.Tenant, collection.Connector(), bar.indexing)
	if err != nil {
		return out, err
	}
	if run.Counts.Indexed == 0 {
		return out, fmt.Errorf("no document could be indexed: %s", firstFailure(run))
	}
	took := run.FinishedAt.Sub(run.StartedAt).Seconds()
	out = evaluate.Indexing{Chunks: run.Counts.Chunks, Failed: run.Counts.Failed, Seconds: took, ChunksPerSecond: float64(run.Counts.Chunks) / max(took, 1e-6)}
	settling := time.Now()
	err = base.Settle(ctx, bar.step)
	if err == nil {
		err = embedSentences(ctx, base, bar)
	}
	out.SettleSeconds = time.Since(settling).Seconds()
	return out, err
}

func firstFailure(run index.Run) string {
	if len(run.Failures) == 0 {
		return "none holds any text"
	}
	return run.Failures[0].Name + ": " + run.Failures[0].Sentence
}

func printEvaluation(env *environment, e evaluatedJSON) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s\n", plain(e.Collection), plural.Count(e.Documents, "document"), plural.Count(e.Queries, "query"))
	fmt.Fprintf(&b, "indexed: %s in %.1f s (%.0f/s), then %.1f s to embed what is missing and pack\n", plural.Count(e.Indexing.Chunks, "chunk"), e.Indexing.Seconds,
		e.Indexing.ChunksPerSecond, e.Indexing.SettleSeconds)
	if e.Embedder != "" {
		fmt.Fprintf(&b, "embedder: %s\n", e.Embedder)
	}
	table := tabwriter.NewWriter(&b, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\nmode\tnDCG@10\trecall@100\tMRR@10\tp50 ms\tp95 ms\t")
	for _, r := range e.Results {
		fmt.Fprintf(table, "%s\t%.4f\t%.4f\t%.4f\t%.2f\t%.2f\t\n", r.Mode, r.NDCG10, r.Recall100, r.MRR10, r.Total().P50, r.Total().P95)
	}
	if e.Compared != nil {
		if err := table.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(&b, "\ndifference to the run of %s:\n", e.Compared.At.Local().Format("2006-01-02 15:04"))
		for _, d := range e.Compared.Differences {
			fmt.Fprintf(table, "%s\t%+.4f\t%+.4f\t%+.4f\t%+.2f\t%+.2f\t\n", d.Mode, d.NDCG10, d.Recall100, d.MRR10, d.P50, d.P95)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, r := range e.Results {
		for _, g := range r.Gold {
			fmt.Fprintf(&b, "  %s, %d tokens of passages: %.1f %% of the quotations that answer, all of them for %d of %d queries\n", r.Mode, g.Tokens, 100*g.Found, g.Whole, g.Queries)
		}
	}
	fmt.Fprint(&b, "\nby stage, p50/p95 ms:\n")
	for _, r := range e.Results {
		fmt.Fprintf(&b, "  %s:", r.Mode)
		for _, l := range r.Latency {
			fmt.Fprintf(&b, " %s %.2f/%.2f", l.Stage, l.P50, l.P95)
		}
		fmt.Fprintln(&b)
	}
	for _, note := range e.Notes {
		fmt.Fprintln(&b, note)
	}
	_, err := fmt.Fprint(env.out, b.String())
	return err
}
