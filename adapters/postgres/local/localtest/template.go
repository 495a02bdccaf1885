package localtest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	prefix   = "footnote_test_"
	template = "footnote_template"
	// lockKey is the key of the advisory lock for creating templates. The number is arbitrary.
	lockKey = 7_031_940_118
	// abandoned is the age after which a test's database is dropped. Its process must have been
	// killed.
	abandoned = 2 * time.Hour
)

func prepare(ctx context.Context, server string) error {
	return alone(ctx, server, func(conn *pgx.Conn) error {
		for prefix, age := range map[string]time.Duration{prefix: abandoned, schemaPrefix: 2 * schemaAge} {
			if err := sweep(ctx, conn, prefix, age); err != nil {
				return fmt.Errorf("drop abandoned databases: %w", err)
			}
		}
		// A template that refuses connections is complete. Otherwise a process died while creating
		// it.
		var complete bool
		const finished = `select exists (select from pg_database where datname = $1 and not datallowconn)`
		if err := conn.QueryRow(ctx, finished, template).Scan(&complete); err != nil || complete {
			return err
		}
		return makeTemplate(ctx, conn, server, template, "template0", func(inside string) error {
			if err := execute(ctx, inside, "create extension vector"); err != nil {
				return fmt.Errorf("create the extension vector: %w", err)
			}
			return nil
		})
	})
}

func alone(ctx context.Context, server string, f func(*pgx.Conn) error) error {
	return connected(ctx, server, func(conn *pgx.Conn) error { // its end releases the lock
		if _, err := conn.Exec(ctx, `select pg_advisory_lock($1)`, lockKey); err != nil {
			return err
		}
		return f(conn)
	})
}

// makeTemplate creates the template database name as a copy of source, and calls fill with its
// address. It then forbids connections to the template, because PostgreSQL cannot copy a database
// that has connections.
func makeTemplate(ctx context.Context, conn *pgx.Conn, server, name, source string, fill func(inside string) error) error {
	if _, err := conn.Exec(ctx, "drop database if exists "+name+" with (force)"); err != nil {
		return err
	}
	if err := copyDatabase(ctx, conn, name, source); err != nil {
		return err
	}
	inside, err := withDatabase(server, name)
	if err != nil {
		return err
	}
	if err := fill(inside); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "alter database "+name+" with allow_connections false")
	return err
}

// copyDatabase creates a database as a copy of source. Copying files takes a tenth of the time of
// logging every page.
func copyDatabase(ctx context.Context, conn *pgx.Conn, name, source string) error {
	_, err := conn.Exec(ctx, "create database "+name+" template "+source+" strategy file_copy")
	return err
}

func stamp(at time.Time) string { return strconv.FormatInt(at.Unix(), 36) }

func sweep(ctx context.Context, conn *pgx.Conn, prefix string, age time.Duration) error {
	rows, err := conn.Query(ctx, `select datname from pg_database where starts_with(datname, $1)`, prefix)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		stamped, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), "_")
		made, err := strconv.ParseInt(stamped, 36, 64)
		if err != nil || time.Since(time.Unix(made, 0)) < age {
			continue
		}
		if _, err := conn.Exec(ctx, "drop database if exists "+pgx.Identifier{name}.Sanitize()+" with (force)"); err != nil {
			return err
		}
	}
	return nil
}
