// Package knowledge measures what the step along names adds to retrieval, on one index of several
// labelled collections and of manuals with natural questions, and what it costs: `make
// bench-knowledge`. It works in a scratch schema and leaves nothing behind.
package knowledge

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve"
)

type list []string

func (l *list) String() string         { return fmt.Sprint(*l) }
func (l *list) Set(value string) error { *l = append(*l, value); return nil }

type options struct {
	sets    list // folders in the layout of BEIR
	manuals list // FOLDER=QUESTIONS
	walk    int  // passages of a synthetic index on which the step is timed; 0: none
}

// Run indexes the collections that args name into a scratch schema, searches them with and without
// the knowledge graph, and prints both results.
func Run(ctx context.Context, args []string, out io.Writer) (err error) {
	var o options
	flags := flag.NewFlagSet("knowledge", flag.ContinueOnError)
	flags.Var(&o.sets, "set", "folder of a labelled collection in the layout of BEIR; several times")
	flags.Var(&o.manuals, "manual", "FOLDER=QUESTIONS: pages in HTML, and a file of questions about them; several times")
	flags.IntVar(&o.walk, "walk", 0, "time the step on a synthetic index of so many passages, too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if len(o.sets)+len(o.manuals)+o.walk == 0 {
		return errors.New("name what is to be measured with -set and -manual")
	}
	cfg, err := config.Load(os.Getenv)
	if err != nil {
		return err
	}
	base, err := wire.OpenScratch(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(context.WithoutCancel(ctx))) }()
	if o.walk > 0 {
		if err := walk(ctx, base, o.walk, out); err != nil || len(o.sets)+len(o.manuals) == 0 {
			return err
		}
	}
	if err := cost(ctx, base, o, out); err != nil {
		return err
	}
	questions, err := load(ctx, base, o)
	if err != nil {
		return err
	}
	if err := sizes(ctx, base, out); err != nil {
		return err
	}
	embedder, err := base.Embedder()
	if err != nil {
		return err
	}
	everybody := access.NewAudience(base.Tenant, access.Public)
	for _, mode := range []struct {
		name  string
		alpha float64
		step  bool
	}{{"keyword", 0, false}, {"keyword + step", 0, true}, {"hybrid", cfg.HybridAlpha, false}, {"hybrid + step", cfg.HybridAlpha, true}} {
		search := base.SearchConfig()
		search.Above, search.Below, search.Alpha = 0, 0, mode.alpha
		hybrid, err := retrieve.NewHybrid(base.Index, embedder, search)
		if err != nil {
			return err
		}
		if mode.step {
			hybrid = hybrid.WithNeighbours(base.Knowledge())
		}
		r := newReport(mode.name)
		for _, q := range questions {
			found, err := hybrid.Search(ctx, retrieve.Search{Audience: everybody, Queries: []retrieve.Query{{Text: q.text}}, Limit: 100})
			if err == nil && found.Trace.Notice != "" {
				err = errors.New(found.Trace.Notice)
			}
			if err != nil {
				return fmt.Errorf("search for %q: %w", q.text, err)
			}
			r.add(q, found)
		}
		r.print(out)
	}
	return nil
}
