package local

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func (c *Cluster) ensureDatabase(ctx context.Context) error {
	if err := c.with(ctx, "postgres", c.ensureCreated); err != nil {
		return err
	}
	return c.with(ctx, Database, c.ensureVector)
}

func (c *Cluster) with(ctx context.Context, database string, do func(context.Context, *pgx.Conn) error) (err error) {
	conn, err := pgx.Connect(ctx, socketURL(c.socket, database))
	if err != nil {
		return fmt.Errorf("connect to the private PostgreSQL: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	return do(ctx, conn)
}

func (c *Cluster) ensureCreated(ctx context.Context, conn *pgx.Conn) error {
	// pg_available_extensions reads the server's own directory of extensions.
	var offered string
	const available = `select coalesce(max(default_version), '') from pg_available_extensions where name = 'vector'`
	if err := conn.QueryRow(ctx, available).Scan(&offered); err != nil {
		return fmt.Errorf("look for pgvector: %w", err)
	}
	if !newEnough(offered) {
		return c.lacksVector(offered)
	}

	// Served by pg_database_datname_index.
	var there bool
	if err := conn.QueryRow(ctx, `select exists (select from pg_database where datname = $1)`, Database).Scan(&there); err != nil {
		return fmt.Errorf("look for the database %s: %w", Database, err)
	}
	if there {
		return nil
	}
	_, err := conn.Exec(ctx, "create database "+Database+" template template0")
	// If two processes create it at once, the check of the name or the index stops one of them.
	if err != nil && !hasCode(err, "42P04", "23505") {
		return fmt.Errorf("create the database %s: %w", Database, err)
	}
	return nil
}

// ensureVector installs pgvector in the database, or updates it if it is too old. It returns an
// error if the server has no suitable pgvector.
func (c *Cluster) ensureVector(ctx context.Context, conn *pgx.Conn) error {
	const version = `select coalesce((select extversion from pg_extension where extname = 'vector'), '')`
	var have string
	if err := conn.QueryRow(ctx, version).Scan(&have); err != nil {
		return fmt.Errorf("look for pgvector in %s: %w", Database, err)
	}
	if newEnough(have) {
		return nil
	}
	for _, statement := range []string{`create extension if not exists vector`, `alter extension vector update`} {
		if _, err := conn.Exec(ctx, statement); err != nil && !hasCode(err, "23505") {
			return fmt.Errorf("set up pgvector in %s: %w", Database, err)
		}
	}
	if err := conn.QueryRow(ctx, version).Scan(&have); err != nil {
		return fmt.Errorf("look for pgvector in %s: %w", Database, err)
	}
	if !newEnough(have) {
		return c.lacksVector(have)
	}
	return nil
}

func (c *Cluster) lacksVector(found string) error {
	if found == "" {
		found = "none"
	}
	return fmt.Errorf("%w: PostgreSQL %s in %s has %s; %s", ErrNoVector, c.server.Version, c.server.Dir, found, otherWay)
}

func hasCode(err error, codes ...string) bool {
	var failure *pgconn.PgError
	if !errors.As(err, &failure) {
		return false
	}
	for _, code := range codes {
		if failure.Code == code {
			return true
		}
	}
	return false
}
