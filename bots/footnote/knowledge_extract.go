package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/extract"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/spend"
)

type knowledgeExtract struct {
	Estimate bool `name:"estimate" help:"Ask no model: say how many passages there are to read, what that costs and how long it takes."`
	Again    bool `name:"again" help:"Read those, too, that the model was given up for."`
	JSON     bool `name:"json" help:"With --estimate, print one JSON object."`
}

// estimateJSON is the output of knowledge extract --estimate --json. Its field names are stable.
// Costs are omitted if the model has no price.
type estimateJSON struct {
	Model     string        `json:"model"`
	Documents int           `json:"documents"`
	Passages  int           `json:"passages"`
	Texts     int           `json:"texts"`
	Input     int           `json:"input_tokens"`
	Output    int           `json:"output_tokens"`
	Measured  bool          `json:"measured"`
	Cost      *spend.Amount `json:"cost,omitempty"`
	Most      *spend.Amount `json:"most,omitempty"`
	Currency  string        `json:"currency,omitempty"`
	Seconds   float64       `json:"seconds"`
}

// Run executes "footnote knowledge extract".
func (c *knowledgeExtract) Run(ctx context.Context, env *environment) error {
	if env.config.KnowledgeModel == "" {
		return usageError("KNOWLEDGE_MODEL is not set, so no model reads what passages state. To see what one would cost: KNOWLEDGE_MODEL=NAME footnote knowledge extract --estimate")
	}
	if c.JSON && !c.Estimate {
		return usageError("--json goes with --estimate")
	}
	return env.withBase(ctx, func(base *wire.Base) error {
		if c.Again && !c.Estimate {
			n, err := base.Index.Extraction().Again(ctx, base.Tenant)
			if err != nil {
				return err
			}
			fmt.Fprintf(env.errs, "%s %s read once more.\n", plural.Count(n, "passage"), plural.Are(n))
		}
		if c.Estimate {
			return c.estimate(ctx, env, base)
		}
		bar := newProgress(env, "")
		p, _, err := base.Extract(ctx, time.Time{}, func(p extract.Progress) {
			bar.doing(fmt.Sprintf("Reading: %s, %s, %d failed", plural.Count(p.Read, "passage"), plural.Count(p.Stated, "statement"), p.Failed))
		})
		bar.end()
		if err != nil {
			return err
		}
		fmt.Fprintf(env.out, "%s read, %s kept and %d not believed; %s failed; %s done.\n", plural.Count(p.Read, "passage"), plural.Count(p.Stated, "statement"), p.Dropped, plural.Count(p.Failed, "passage"), plural.Count(p.Documents, "document"))
		if p.Waiting > 0 && p.Stopped == nil {
			fmt.Fprintf(env.out, "%s %s being read by another process.\n", plural.Count(p.Waiting, "passage"), plural.Are(p.Waiting))
		}
		if p.Stopped != nil {
			return fmt.Errorf("reading stopped before its end: %w; what was read is kept, and the next run goes on", p.Stopped)
		}
		return nil
	})
}

func (c *knowledgeExtract) estimate(ctx context.Context, env *environment, base *wire.Base) error {
	e, err := base.EstimateExtraction(ctx)
	if err != nil {
		return err
	}
	model := base.Config.KnowledgeModel
	if c.JSON {
		out := estimateJSON{Model: model, Documents: e.Documents, Passages: e.Passages, Texts: e.Texts, Input: e.Input, Output: e.Output, Measured: e.Measured, Currency: e.Currency, Seconds: e.Took.Seconds()}
		if e.Currency != "" {
			out.Cost, out.Most = &e.Cost, &e.Most
		}
		return newEncoder(env.stdout).Encode(out)
	}
	by := "as far as can be guessed"
	if e.Measured {
		by = "as its calls went so far"
	}
	table := tabwriter.NewWriter(env.out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(table, "Due\t%s of %s\n", plural.Count(e.Passages, "passage"), plural.Count(e.Documents, "document"))
	fmt.Fprintf(table, "To be read\t%s by %s; the others it has read before, or they stand there twice\n", plural.Count(e.Texts, "passage"), plain(model))
	fmt.Fprintf(table, "Tokens\t%d in, about %d out, %s\n", e.Input, e.Output, by)
	if e.Currency == "" {
		fmt.Fprintf(table, "Costs\tnot known: write a price for %s under prices: in footnote.yaml\n", plain(model))
	} else {
		fmt.Fprintf(table, "Costs\tabout %s %s, at most %s %s\n", e.Cost, e.Currency, e.Most, e.Currency)
	}
	fmt.Fprintf(table, "Takes\tabout %s, with %d calls at once\n", e.Took.Round(time.Second), extract.Calls)
	if said, err := base.Spent(ctx, base.Tenant); err != nil {
		return err
	} else if base.Config.Caps.Any() {
		fmt.Fprintf(table, "Spent so far\t%s; reading stops at half of a cap\n", said)
	} else {
		fmt.Fprintln(table, "Caps\tnone: set COST_CAP_DAILY or COST_CAP_MONTHLY to keep it below an amount")
	}
	return table.Flush()
}

// extractionJSON is a part of knowledge status --json. Its field names are stable.
type extractionJSON struct {
	Model    string                  `json:"model,omitempty"`
	Read     int64                   `json:"read"`
	Failed   int64                   `json:"failed"`
	Stated   int64                   `json:"statements"`
	Dropped  int64                   `json:"not_believed"`
	Done     int64                   `json:"documents"`
	Due      int64                   `json:"documents_due"`
	Calls    int64                   `json:"calls"`
	Cost     map[string]spend.Amount `json:"cost"` // by currency
	Failures map[string]int64        `json:"failures"`
}

// extractionOf returns nil if no model is set and none has ever read anything.
func extractionOf(e wire.Extracted) *extractionJSON {
	if e.Model == "" && e.Read+e.Failed == 0 {
		return nil
	}
	return &extractionJSON{e.Model, e.Read, e.Failed, e.Stated, e.Dropped, e.Documents, e.Due, e.Calls, e.Spent, e.Reasons}
}

func printExtraction(to io.Writer, e wire.Extracted) {
	if extractionOf(e) == nil {
		return
	}
	fmt.Fprintf(to, "Read by %s\t%s, which state %s; %d more were not believed\n", orNobody(e.Model), plural.Count(e.Read, "passage"), plural.Count(e.Stated, "thing"), e.Dropped)
	if e.Model != "" {
		fmt.Fprintf(to, "  documents\t%d read, %d to be read\n", e.Documents, e.Due)
	}
	if e.Failed > 0 {
		fmt.Fprintf(to, "  failed\t%s; footnote knowledge extract --again reads them once more\n", plural.Count(e.Failed, "passage"))
		for _, reason := range slices.Sorted(maps.Keys(e.Reasons)) {
			fmt.Fprintf(to, "  \t%d: %s\n", e.Reasons[reason], plain(reason))
		}
	}
	var cost []string
	for _, currency := range slices.Sorted(maps.Keys(e.Spent)) {
		cost = append(cost, costOf(e.Spent[currency], currency))
	}
	if len(cost) == 0 {
		cost = []string{"what that cost is not known without prices"}
	}
	fmt.Fprintf(to, "  calls\t%d, %s\n", e.Calls, strings.Join(cost, ", "))
}

func orNobody(model string) string {
	if model == "" {
		return "a model (none is set now)"
	}
	return plain(model)
}
