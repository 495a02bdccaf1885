// Package postgres is what everything that lasts stands on: the pool, transactions, the schema, and
// what an operator reads when the server refuses. All statements work through PgBouncer in
// transaction mode: nothing relies on session state. Row structs never leave a room.
//
// The tables belong to the rooms next to it: package pgindex has documents and both searches,
// pgsession conversations, admin what holds for whole workspaces and what it costs, and audit the
// trail, which the others write into. A statement that names a table belongs into a room, not here.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/sleep"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxvector "github.com/pgvector/pgvector-go/pgx"
)

const (
	// minServer is PostgreSQL 15, as server_version_num counts.
	minServer = 150000
	// minVector is the first pgvector with iterative scans, without which filtered vector searches
	// come up short.
	minVector = "0.8.0"
)

// Sentinels for what a caller may want to tell apart. Each is wrapped in a sentence that says what
// to do.
var (
	ErrUnreachable = errors.New("PostgreSQL cannot be reached")
	// in addition to ErrUnreachable: trying again may help
	ErrBusy         = errors.New("it takes no connection at the moment")
	ErrServerTooOld = errors.New("PostgreSQL is too old")
	ErrNoVector     = errors.New("pgvector is missing or too old")
	ErrSchema       = errors.New("the database schema does not fit this version of footnote")
	ErrNoSchema     = fmt.Errorf("%w: the database holds none yet", ErrSchema)
)

// poolSize is how many connections a process has by default. What answering and taking in need of
// the server are statements of a fraction of a millisecond: few connections with warm caches carry
// out more of them than many with cold ones, and a server with few cores is not asked for more at
// once than it can do. One is for background work that holds it for long, one for searches, one for
// everything else; they are shared, and no caller needs a second one while it holds a first.
const poolSize = 3

// connectTimeout is how long a connection may take to come about, unless the URL says otherwise.
const connectTimeout = 10 * time.Second

// Config says how to connect. URL is required.
type Config struct {
	URL      string // libpq URL or keyword string; pgx pool parameters are honoured
	MaxConns int32  // 0 means 3, or what the URL says
	// OnError is called with the SQLSTATE of each error of the server. It must not block.
	OnError func(state string)
}

// DB is a pool of connections to a migrated database. It is safe for concurrent use.
type DB struct {
	Pool *pgxpool.Pool
	// Schema is the version of the schema that was found. A newer version of footnote may have
	// migrated the database, in a way that this one can work with.
	Schema Schema
}

// Schema is the number of the newest migration that a database has, and that this program knows.
type Schema struct{ Have, Want int64 }

// Newer reports whether a newer version of footnote has migrated the database.
func (s Schema) Newer() bool { return s.Have > s.Want }

// Open connects and checks that server, extension and schema are fit for use; it changes nothing.
// Errors wrap this package's sentinels and say what to do.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	pc, err := poolConfig(cfg, "DATABASE_URL")
	if err != nil {
		return nil, err
	}
	check, err := pgx.ConnectConfig(ctx, pc.ConnConfig.Copy())
	if err != nil {
		return nil, unreachable(err)
	}
	schema, err := checkSchema(ctx, check)
	kept := new(plans)
	err = errors.Join(checkServer(ctx, check), err, kept.ask(ctx, check))
	if closeErr := check.Close(ctx); err == nil && closeErr != nil {
		err = fmt.Errorf("close the first connection to PostgreSQL: %w", closeErr)
	}
	if err != nil {
		return nil, err
	}
	kept.use(pc)
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, unreachable(err)
	}
	return &DB{Pool: pool, Schema: schema}, nil
}

// poolConfig is how a pool connects to the address that a setting names.
func poolConfig(cfg Config, setting string) (*pgxpool.Config, error) {
	pc, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("read %s: it is not a PostgreSQL address such as postgres://user@host:5432/footnote", setting)
	}
	if cfg.MaxConns > 0 {
		pc.MaxConns = cfg.MaxConns
	} else if !strings.Contains(cfg.URL, "pool_max_conns") {
		pc.MaxConns = poolSize
	}
	if pc.ConnConfig.ConnectTimeout == 0 {
		pc.ConnConfig.ConnectTimeout = connectTimeout
	}
	// Statement descriptions are cached here, not plans on the server, until it is known that no
	// transaction pooler hands every statement to another connection (plans).
	if pc.ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
		pc.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	pc.AfterConnect = pgxvector.RegisterTypes
	if cfg.OnError != nil {
		handle := pc.ConnConfig.OnPgError
		pc.ConnConfig.OnPgError = func(conn *pgconn.PgConn, err *pgconn.PgError) bool {
			cfg.OnError(err.Code)
			return handle(conn, err)
		}
	}
	return pc, nil
}

// Close waits for connections in use and closes the pool.
func (db *DB) Close() { db.Pool.Close() }

// unreachable says what to do about a failed connection without repeating the address, which may
// hold a password.
func unreachable(err error) error {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		switch say := Advice(err); {
		case say != "" && passing(pgErr.Code):
			return fmt.Errorf("%w, %w: the server answered %q (SQLSTATE %s): %s", ErrUnreachable, ErrBusy, pgErr.Message, pgErr.Code, say)
		case say != "":
			return fmt.Errorf("%w: the server answered %q (SQLSTATE %s): %s", ErrUnreachable, pgErr.Message, pgErr.Code, say)
		}
		return fmt.Errorf("%w: the server answered %q (SQLSTATE %s); check user, password and database name in DATABASE_URL",
			ErrUnreachable, pgErr.Message, pgErr.Code)
	}
	var connectErr *pgconn.ConnectError
	if errors.As(err, &connectErr) {
		err = distinct(errors.Unwrap(connectErr))
	}
	return fmt.Errorf("%w: check that it runs and that DATABASE_URL is right: %w", ErrUnreachable, err)
}

// distinct leaves out of joined errors those that say the same: pgx tries each address with TLS and
// without.
func distinct(err error) error {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return err
	}
	said := make(map[string]bool)
	var kept []error
	for _, e := range joined.Unwrap() {
		if !said[e.Error()] {
			said[e.Error()] = true
			kept = append(kept, e)
		}
	}
	return errors.Join(kept...)
}

// InTx runs f in one transaction and commits it unless f fails. f makes no network call but through
// tx.
func (db *DB) InTx(ctx context.Context, opts pgx.TxOptions, f func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, db.Pool, opts, f)
}

// Deadlock is the SQLSTATE of a transaction that was rolled back so that another one could go on.
const Deadlock = "40P01"

// InTxAgain is InTx for changes that begin with a person, which meet in no fixed order: f is called
// again, in a new transaction, when it was rolled back to end a deadlock. each call of f sets what
// it returns.
func (db *DB) InTxAgain(ctx context.Context, f func(pgx.Tx) error) error {
	const tries = 4
	for try := 1; ; try++ {
		err := pgx.BeginTxFunc(ctx, db.Pool, pgx.TxOptions{}, f)
		var pgErr *pgconn.PgError
		if !errors.As(err, &pgErr) || pgErr.Code != Deadlock || try == tries || ctx.Err() != nil {
			return err
		}
	}
}

// restarting is how long a read waits for a server that restarts: a private one takes a second or
// two.
const restarting = 5 * time.Second

// ReadAgain calls read, which changes nothing, and again while the connection to the server is
// lost.
func (db *DB) ReadAgain(ctx context.Context, read func() error) error {
	for wait, began := 100*time.Millisecond, time.Now(); ; wait = min(2*wait, time.Second) {
		err := read()
		if err == nil || !Lost(err) || time.Since(began) > restarting || sleep.For(ctx, wait) != nil {
			return err
		}
	}
}

// CheckLibraries calls a function of plpgsql and one of pgvector. The server's library of
// either may not load, such as after an upgrade of its package.
func (db *DB) CheckLibraries(ctx context.Context) error {
	if _, err := db.Pool.Exec(ctx, `do $$ begin perform '[1]'::vector <-> '[2]'::vector; end $$`); err != nil {
		return fmt.Errorf("call functions of plpgsql and pgvector: %w", err)
	}
	return nil
}

// Versions returns the server's version and that of pgvector, as people write them.
func (db *DB) Versions(ctx context.Context) (server, vector string, err error) {
	err = db.Pool.QueryRow(ctx, `
		select current_setting('server_version'), (select extversion from pg_extension where extname = 'vector')`).Scan(&server, &vector)
	if err != nil {
		return "", "", fmt.Errorf("ask PostgreSQL for its version: %w", err)
	}
	return server, vector, nil
}
