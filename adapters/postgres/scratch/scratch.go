// Package scratch creates a temporary schema inside a database. Connections to the schema's address
// read and write tables only in this schema. The schema is dropped afterwards. Other data in the
// database is neither read nor written.
package scratch

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// prefix is the name prefix of scratch schemas. It is used to find the schemas of killed processes.
const prefix = "footnote_scratch_"

// lockClass is the first key of the advisory lock on a schema that is in use. The second key is the
// hash of the schema's name.
const lockClass = 0x73_63_72_61 // "scra"

// dropping limits how long creating or dropping a schema may take after the context has ended.
const dropping = 30 * time.Second

// Schema is a temporary schema in a database. It exists until Drop. If the process dies, the next
// Create drops it.
type Schema struct {
	name string
	url  string
	conn *pgx.Conn // holds the lock for as long as the schema is in use
	left []string
}

// Create creates a schema in the database at address. It first drops the schemas of dead processes.
// The address must be a direct connection and not a transaction pooler, because the search path is
// set when a connection starts. If pgvector is missing, Create installs it outside of the schema.
// Errors say what to do.
func Create(ctx context.Context, address string) (*Schema, error) {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("connect to PostgreSQL for a scratch schema: %w", withoutAddress(err))
	}
	s := &Schema{name: prefix + strings.ToLower(rand.Text()[:16]), conn: conn}
	if err := s.create(ctx, address); err != nil {
		return nil, errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
	}
	return s, nil
}

func (s *Schema) create(ctx context.Context, address string) error {
	var err error
	if s.left, err = sweep(ctx, s.conn); err != nil {
		return fmt.Errorf("drop scratch schemas that were left behind: %w", err)
	}
	home, err := vectorHome(ctx, s.conn)
	if err != nil {
		return err
	}
	if s.url, err = within(address, s.name, home); err != nil {
		return err
	}
	// The lock comes first, so that no other process drops the new schema as abandoned.
	if _, err := s.conn.Exec(ctx, `select pg_advisory_lock($1::int, hashtext($2))`, lockClass, s.name); err != nil {
		return fmt.Errorf("lock the scratch schema: %w", err)
	}
	// If this statement were interrupted, it would be unknown whether there is a schema to drop.
	whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropping)
	defer cancel()
	if _, err := s.conn.Exec(whole, "create schema "+s.name); err != nil {
		if refused(err) {
			return fmt.Errorf("create a scratch schema: the database refuses it; let its owner run \"grant create on database %s to %s\"",
				pgx.Identifier{s.conn.Config().Database}.Sanitize(), pgx.Identifier{s.conn.Config().User}.Sanitize())
		}
		return fmt.Errorf("create a scratch schema: %w", err)
	}
	return nil
}

// URL returns the address for connections that use the schema.
func (s *Schema) URL() string { return s.url }

// Left returns schemas of dead processes that this database role may not drop, because another role
// created them. They only take up space.
func (s *Schema) Left() []string { return s.left }

// Drop drops the schema with all its contents, even if ctx is done. Close the connections to URL
// first.
func (s *Schema) Drop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropping)
	defer cancel()
	_, err := s.conn.Exec(ctx, "drop schema if exists "+s.name+" cascade")
	if err != nil {
		err = fmt.Errorf("drop the scratch schema %s: %w; the next run tries again", s.name, err)
	}
	return errors.Join(err, s.conn.Close(ctx))
}

// sweep drops the schemas that no process uses. It returns those that only another role may drop.
func sweep(ctx context.Context, conn *pgx.Conn) (left []string, err error) {
	rows, err := conn.Query(ctx, `select nspname from pg_namespace where starts_with(nspname, $1) order by nspname`, prefix)
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		var abandoned bool
		if err := conn.QueryRow(ctx, `select pg_try_advisory_lock($1::int, hashtext($2))`, lockClass, name).Scan(&abandoned); err != nil {
			return nil, err
		}
		if !abandoned {
			continue
		}
		_, err := conn.Exec(ctx, "drop schema if exists "+pgx.Identifier{name}.Sanitize()+" cascade")
		switch {
		case refused(err):
			left = append(left, name)
		case err != nil:
			return nil, err
		}
		if _, err := conn.Exec(ctx, `select pg_advisory_unlock($1::int, hashtext($2))`, lockClass, name); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// refused reports whether err means that the role lacks a right (insufficient_privilege).
func refused(err error) bool {
	var failed *pgconn.PgError
	return errors.As(err, &failed) && failed.Code == "42501"
}

// vectorHome returns the schema that contains pgvector. If pgvector is missing, it installs
// pgvector in the default schema, because an extension in the scratch schema would be dropped with
// it.
func vectorHome(ctx context.Context, conn *pgx.Conn) (string, error) {
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		// The key is "vector" in ASCII. Migrations take the same lock to install the extension.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(x'766563746f72'::bigint)`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `create extension if not exists vector`)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("install pgvector: %w; run \"footnote doctor\", which says what the server lacks", err)
	}
	var home string
	err = conn.QueryRow(ctx, `select extnamespace::regnamespace::text from pg_extension where extname = 'vector'`).Scan(&home)
	if err != nil {
		return "", fmt.Errorf("look for pgvector: %w", err)
	}
	return home, nil
}

// within returns address with a search path of schema, then home. The address is a URL or a string
// of keywords.
func within(address, schema, home string) (string, error) {
	path := schema + "," + home
	if !strings.HasPrefix(address, "postgres://") && !strings.HasPrefix(address, "postgresql://") {
		return address + " search_path='" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(path) + "'", nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", errors.New("read the database address: it is not one such as postgres://user@host:5432/footnote")
	}
	// The parameters are not re-encoded: pgx reads a plus sign as itself, and url.Values would
	// not.
	parts := slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(part string) bool {
		return part == "" || strings.HasPrefix(part, "search_path=")
	})
	u.RawQuery = strings.Join(append(parts, "search_path="+url.PathEscape(path)), "&")
	return u.String(), nil
}

// withoutAddress removes the address from an error, because the address may contain a password.
func withoutAddress(err error) error {
	var answered *pgconn.PgError
	if errors.As(err, &answered) {
		return fmt.Errorf("the server answered %q (SQLSTATE %s)", answered.Message, answered.Code)
	}
	var failed *pgconn.ConnectError
	if errors.As(err, &failed) {
		return errors.Unwrap(failed)
	}
	return errors.New("the address is not one such as postgres://user@host:5432/footnote")
}
