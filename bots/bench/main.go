// Bench measures the product, and holds adapters against servers that were written elsewhere. Its
// commands are what make targets run:
//
//	search      make bench-search, make bench-opensearch
//	knowledge   make bench-knowledge
//	try-github  make try-github
//	try-drive   make try-drive
//	code        counts what a checkout consists of
//
// What needs the harness of tests is a benchmark of its package, as bots/bench/stop.
package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/footnotehq/footnote/bots/bench/code"
	"github.com/footnotehq/footnote/bots/bench/knowledge"
	"github.com/footnotehq/footnote/bots/bench/search"
	"github.com/footnotehq/footnote/bots/bench/trydrive"
	"github.com/footnotehq/footnote/bots/bench/trygithub"
)

var commands = map[string]func(ctx context.Context, args []string, out io.Writer) error{
	"search": search.Run, "knowledge": knowledge.Run, "try-github": trygithub.Run, "try-drive": trydrive.Run,
	"code": code.Run,
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) == 0 || commands[args[0]] == nil {
		return fmt.Errorf("name what to run: %s", strings.Join(slices.Sorted(maps.Keys(commands)), ", "))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if err := commands[args[0]](ctx, args[1:], out); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}
