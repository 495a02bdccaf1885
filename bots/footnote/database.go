package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/bots/internal/wire"
)

type databaseCommand struct {
	Command []string `arg:"" passthrough:"" placeholder:"PROGRAM" help:"Program and its arguments, such as: psql, or: pg_dump --format=custom --file=FILE."`
}

// Run executes "footnote database", which runs a program such as psql. The program gets a
// DATABASE_URL that bypasses a pooler, the same address in PGHOST, PGUSER, PGDATABASE and so on,
// and a PATH with the private server's programs. The private server runs as long as the program
// does.
func (c *databaseCommand) Run(ctx context.Context, env *environment) (err error) {
	args := c.Command
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return usageError("say which program is to be run, such as: footnote database psql")
	}
	direct, err := wire.OpenDirect(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, direct.Close(ctx)) }()
	variables, err := direct.Env()
	if err != nil {
		return err
	}
	path := os.Getenv("PATH")
	if direct.Bins != "" {
		path = direct.Bins + string(os.PathListSeparator) + path
	}
	name := args[0]
	// look the program up here, before it has its PATH
	if !strings.ContainsRune(name, os.PathSeparator) && direct.Bins != "" {
		if found, err := exec.LookPath(direct.Bins + string(os.PathSeparator) + name); err == nil {
			name = found
		}
	}
	cmd := exec.CommandContext(ctx, name, args[1:]...)
	// libpq prefers these to PGHOST and the others
	inherited := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "PGSERVICE") || strings.HasPrefix(v, "PGHOSTADDR=")
	})
	cmd.Env = slices.Concat(inherited, variables, []string{"PATH=" + path, "DATABASE_URL=" + direct.URL})
	cmd.Stdin, cmd.Stdout, cmd.Stderr = env.stdin, env.stdout, env.stderr
	err = cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s is not installed here: install it (pg_dump and psql come with PostgreSQL's client programs), or run it on another machine with the address of the database", args[0])
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", args[0], err)
	}
	return nil
}
