package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/plural"
)

// migrateCommand prefers MIGRATE_DATABASE_URL to DATABASE_URL, because the role that answers may
// not be allowed to change tables.
type migrateCommand struct {
	Grant    []string `name:"grant" placeholder:"ROLE" help:"Give this database role what serve --no-migrate needs, and no more. Later migrations are granted to it as well."`
	Restored bool     `name:"restored" help:"The database comes from a backup: what was answered since the backup was made is looked for before anything is answered. Run it before serve."`
}

// Run executes "footnote migrate".
func (c *migrateCommand) Run(ctx context.Context, env *environment) error {
	n, err := wire.Migrate(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	if n == 0 {
		_, err = fmt.Fprintln(env.out, "The database schema is up to date.")
	} else {
		_, err = fmt.Fprintf(env.out, "%s ran. The database schema is up to date.\n", plural.Count(n, "migration"))
	}
	if err != nil || len(c.Grant) == 0 && !c.Restored {
		return err
	}
	return c.prepare(ctx, env)
}

func (c *migrateCommand) prepare(ctx context.Context, env *environment) (err error) {
	direct, err := wire.OpenDirect(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, direct.Close(ctx)) }()
	if c.Restored {
		unfinished, err := direct.Restored(ctx)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(env.out, "The restored database is ready. Questions that were under way when the backup was made: %d.\n", unfinished); err != nil {
			return err
		}
	}
	if err := direct.Grant(ctx, c.Grant...); err != nil {
		return err
	}
	for _, role := range c.Grant {
		if _, err := fmt.Fprintf(env.out, "The role %s may run footnote serve --no-migrate.\n", role); err != nil {
			return err
		}
	}
	return nil
}
