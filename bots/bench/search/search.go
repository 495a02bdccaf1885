// Package search measures indexing and search on a large synthetic index: `make bench-search`,
// `make bench-opensearch`. It works in scratch schemas, of the private PostgreSQL in its own folder
// or of DATABASE_URL, and leaves nothing behind. Latencies are those of retrieve.Hybrid.Search
// without the call of the embedder, from the question to the passages, warm: every measured
// question is new, after others of its kind.
package search

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"runtime"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
)

type options struct {
	size    int    // chunks of the synthetic index
	text    string // folder that sentences are taken from
	queries int    // of each case
	profile string // file for a CPU profile of the searches
	keep    string // folder of a server that stays, with the large index in it
	only    string // which search stages run, as a regular expression over their names; all
}

// Run builds a large synthetic index, searches it in many ways, and prints how long everything
// took. The flags in args choose size, questions and stages.
func Run(ctx context.Context, args []string, out io.Writer) (err error) {
	var o options
	flags := flag.NewFlagSet("search", flag.ContinueOnError)
	flags.IntVar(&o.size, "size", 1_000_000, "chunks to index")
	flags.StringVar(&o.text, "text", "", "folder of documents to take sentences from (default: the PostgreSQL manual, the documentation of Go, or this repository, whichever is there)")
	flags.IntVar(&o.queries, "queries", 50, "questions of each case")
	flags.StringVar(&o.profile, "cpuprofile", "", "write a CPU profile of the search stages to this file")
	flags.StringVar(&o.keep, "keep", "", "keep the server and the large index in this folder, and measure it again the next time")
	flags.StringVar(&o.only, "only", "", "of the stages that search, run only those whose names match this regular expression")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.size < 1000 || o.queries < 1 {
		return errors.New("a benchmark needs at least 1000 chunks and one question")
	}
	b := &bench{options: o, out: out, began: time.Now(), logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	if err := b.start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.stop(ctx)) }()
	indexing := []stage{
		{"index the text itself", b.indexText},
		{"index 100,000 chunks through the pipeline", b.indexPipeline},
		{"index the synthetic chunks", b.indexAll},
		{"maintain", b.maintain},
		{"size on disk", b.printSizes},
	}
	searching := []stage{
		{"search", b.searchAll},
		{"search through MCP", b.searchThroughMCP},
		{"move to OpenSearch", b.moveToEngine},
		{"search by OpenSearch", b.searchByEngine},
		{"write to OpenSearch", b.writeToEngine},
		{"choose the route of the vector side", b.compareRoutes},
		{"search while access lists change", b.searchDuringChanges},
		{"search while segments are written and merged", b.searchDuringMerges},
		{"8 clients", b.searchTogether},
		{"memory for 300 sets of principals", b.manyAudiences},
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	stages := append([]stage{{"read the text", b.readText}}, indexing...)
	if again, err := b.again(ctx); err != nil {
		return err
	} else if again {
		stages = stages[:1]
	}
	for _, s := range searching {
		if only.MatchString(s.name) {
			stages = append(stages, s)
		}
	}
	defer func() { err = errors.Join(err, b.leaveEngine(ctx)) }()
	for _, s := range stages {
		if err := b.stage(ctx, s); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\neverything: %s\n", time.Since(b.began).Round(time.Second))
	return nil
}

type bench struct {
	options
	server
	loaded
	engine searchEngine
	out    io.Writer
	logger *slog.Logger
	began  time.Time
	corpus *corpus
	index  *pgindex.Index
	db     *postgres.DB
}

type stage struct {
	name string
	run  func(context.Context) error
}

func (b *bench) stage(ctx context.Context, s stage) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	b.printf("\n== %s\n", s.name)
	began, cpu := time.Now(), cpuTime()
	if err := s.run(ctx); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	b.printf("-- %.1f s, of which this program computed %.1f s on %d cores\n", time.Since(began).Seconds(), (cpuTime() - cpu).Seconds(), runtime.GOMAXPROCS(0))
	return nil
}

func (b *bench) printf(format string, args ...any) { fmt.Fprintf(b.out, format, args...) }
