package localtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	prefix   = "footnote_test_"
	template = "footnote_template"
	// lockKey is the advisory lock under which the template is made: any number that
	// nothing else on the server uses.
	lockKey = 7_031_940_118
	// abandoned is the age at which a test's database is taken for that of a test
	// process that was killed.
	abandoned = 2 * time.Hour
)

// prepare makes the template database, once for a server, and removes what killed test
// processes left.
func prepare(ctx context.Context, server string) (err error) {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if _, err := conn.Exec(ctx, `select pg_advisory_lock($1)`, lockKey); err != nil {
		return err
	}
	if err := sweep(ctx, conn); err != nil {
		return fmt.Errorf("drop abandoned databases: %w", err)
	}
	// A template that nobody may connect to is complete; one that is open was left
	// half-made.
	var complete bool
	const finished = `select exists (select from pg_database where datname = $1 and not datallowconn)`
	if err := conn.QueryRow(ctx, finished, template).Scan(&complete); err != nil || complete {
		return err
	}
	for _, statement := range []string{"drop database if exists " + template + " with (force)", "create database " + template + " template template0"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	inside, err := withDatabase(server, template)
	if err != nil {
		return err
	}
	if err := execute(ctx, inside, "create extension vector"); err != nil {
		return fmt.Errorf("create the extension vector: %w", err)
	}
	// Copying a database needs it free of connections.
	_, err = conn.Exec(ctx, "alter database "+template+" with allow_connections false")
	return err
}

func sweep(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `select datname from pg_database where starts_with(datname, $1)`, prefix)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		stamp, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), "_")
		made, err := strconv.ParseInt(stamp, 36, 64)
		if err != nil || time.Since(time.Unix(made, 0)) < abandoned {
			continue
		}
		if _, err := conn.Exec(ctx, "drop database if exists "+pgx.Identifier{name}.Sanitize()+" with (force)"); err != nil {
			return err
		}
	}
	return nil
}
