package main

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/bots/internal/wire"
)

// sourcesApprove approves sources in the database that no operator of this machine has added. Until
// then they are not read.
type sourcesApprove struct {
	Sources []string `arg:"" optional:"" name:"source" help:"Ids as footnote sources lists them. None: list the sources that are not approved."`
}

// Run executes "footnote sources approve".
func (c *sourcesApprove) Run(ctx context.Context, env *environment) error {
	if len(c.Sources) > 0 {
		return (&named{c.Sources}).each(ctx, env, func(base *wire.Base, s wire.StoredSource) (string, error) {
			if s.Refused == "" {
				return "it counted already", nil
			}
			return "approved: " + described(s), base.ApproveSource(ctx, s)
		})
	}
	return env.withBase(ctx, func(base *wire.Base) error {
		stored, err := base.StoredSources(ctx)
		if err != nil {
			return err
		}
		waiting := 0
		for _, s := range stored {
			if s.Refused == "" {
				continue
			}
			waiting++
			if _, err := fmt.Fprintf(env.out, "%s: %s\n", s.ID, plain(described(s))); err != nil {
				return err
			}
		}
		says := "Approve those that you know with: footnote sources approve ID. Take out the others with: footnote sources remove ID."
		if waiting == 0 {
			says = "All sources count."
		}
		_, err = fmt.Fprintln(env.out, says)
		return err
	})
}

// described says what a source reads, from which server, and who may see it, for the person who
// approves it.
func described(s wire.StoredSource) string {
	return fmt.Sprintf("%s, %s, with %s", wire.KindOf(s.Source).Title, s.Place(), s.Row())
}
