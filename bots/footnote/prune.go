package main

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
)

type pruneCommand struct {
	DryRun bool `name:"dry-run" help:"Count what would be removed, and remove nothing."`
}

// Run executes "footnote prune".
func (c *pruneCommand) Run(ctx context.Context, env *environment) error {
	keeping := session.Retention{Sessions: env.config.SessionRetention, Audit: env.config.AuditRetention}
	if keeping == (session.Retention{}) {
		_, err := fmt.Fprintln(env.out, "Everything is kept: neither SESSION_RETENTION nor AUDIT_RETENTION is set.")
		return err
	}
	return env.withBase(ctx, func(base *wire.Base) error {
		base.By = operator()
		store, did := base.Sessions(), "Removed"
		tenants, err := store.Tenants(ctx)
		if err != nil {
			return err
		}
		var sum session.Pruned
		for _, tenant := range tenants {
			if c.DryRun {
				did = "Would remove"
				found, err := store.Prunable(ctx, tenant, keeping)
				if err != nil {
					return err
				}
				sum = sum.Add(found)
				continue
			}
			for more := true; more; {
				var gone session.Pruned
				if gone, more, err = store.Prune(ctx, tenant, keeping, base.Actor()); err != nil {
					return fmt.Errorf("%w (%s before: %s)", err, did, sayPruned(sum))
				}
				sum = sum.Add(gone)
			}
		}
		_, err = fmt.Fprintf(env.out, "%s: %s.\n", did, sayPruned(sum))
		return err
	})
}

func sayPruned(p session.Pruned) string {
	return fmt.Sprintf("%s with %s and %s; what was known of %s; %s of the audit trail", plural.Count(p.Sessions, "conversation"), plural.Count(p.Turns, "question"),
		plural.Count(p.Files, "file"), plural.Count(p.Threads, "thread"), plural.Count(p.Entries, "entry"))
}
