package main

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/bots/internal/wire"
)

// migrateCommand brings the schema up to date. Where the runtime role has no rights to do so, it runs with MIGRATE_DATABASE_URL.
type migrateCommand struct{}

// Run implements the verb.
func (c *migrateCommand) Run(ctx context.Context, env *environment) error {
	n, err := wire.Migrate(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	if n == 0 {
		_, err = fmt.Fprintln(env.stdout, "The database schema is up to date.")
	} else {
		_, err = fmt.Fprintf(env.stdout, "%d migrations ran. The database schema is up to date.\n", n)
	}
	return err
}
