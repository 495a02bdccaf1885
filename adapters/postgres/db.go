// Package postgres opens the database. It contains the connection pool, transactions, the schema,
// and advice for operators about server errors. All statements work through PgBouncer in
// transaction mode, because none relies on session state. Row structs stay inside the subpackage
// that declares them.
//
// The tables belong to the subpackages. Package pgindex has documents and both searches, pgsession
// has conversations, and admin has workspace settings and costs. Package audit has the audit trail,
// to which the other packages write. Statements that name a table belong in a subpackage, not here.
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
	// minServer is PostgreSQL 15, in the format of server_version_num.
	minServer = 150000
	// minVector is the first pgvector version with iterative scans. Without them, filtered vector
	// searches return too few rows.
	minVector = "0.8.0"
)

// Sentinel errors of this package. Each is wrapped in a message that says what to do.
var (
	ErrUnreachable = errors.New("PostgreSQL cannot be reached")
	// ErrBusy is wrapped together with ErrUnreachable if a retry may succeed.
	ErrBusy         = errors.New("it takes no connection at the moment")
	ErrServerTooOld = errors.New("PostgreSQL is too old")
	ErrNoVector     = errors.New("pgvector is missing or too old")
	ErrSchema       = errors.New("the database schema does not fit this version of footnote")
	ErrNoSchema     = fmt.Errorf("%w: the database holds none yet", ErrSchema)
)

// poolSize is the default number of connections per process: one for long background work, one for
// searches and one for other statements. A caller must not wait for a second connection while it
// holds one.
const poolSize = 3

// connectTimeout limits how long opening a connection may take, unless the URL sets a limit.
const connectTimeout = 10 * time.Second

// Config describes how to connect. URL is required.
type Config struct {
	URL      string // libpq URL or keyword string; pgx pool parameters are honoured
	MaxConns int32  // 0 means 3, or what the URL says
	// OnError is called with the SQLSTATE of each server error. It must not block.
	OnError func(state string)
}

// DB is a pool of connections to a migrated database. It is safe for concurrent use.
type DB struct {
	Pool *pgxpool.Pool
	// Schema is the schema version that Open found. It may be newer than this program if the
	// migration is compatible.
	Schema Schema
}

// Schema holds the newest migration in the database (Have) and the newest migration that this
// program knows (Want).
type Schema struct{ Have, Want int64 }

// Newer reports whether a newer version of footnote migrated the database.
func (s Schema) Newer() bool { return s.Have > s.Want }

// Open connects to the database and checks that the server, pgvector and the schema are usable. It
// changes nothing. Errors wrap this package's sentinels and say what to do.
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
	err = errors.Join(checkServer(ctx, check), err, kept.detectPooler(ctx, check))
	if closeErr := check.Close(ctx); err == nil && closeErr != nil {
		err = fmt.Errorf("close the first connection to PostgreSQL: %w", closeErr)
	}
	if err != nil {
		return nil, err
	}
	kept.configure(pc)
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, unreachable(err)
	}
	return &DB{Pool: pool, Schema: schema}, nil
}

// poolConfig parses the URL and sets defaults. setting is the name of the setting with the URL.
// Errors contain this name instead of the URL, which may contain a password.
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
	// Behind a transaction pooler, each statement may run on another server connection. Until
	// detectPooler has ruled out a pooler, statement descriptions are cached here, and no plans on
	// the server.
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

// Close waits until all connections in use are returned, and then closes the pool.
func (db *DB) Close() { db.Pool.Close() }

// unreachable returns an error that wraps ErrUnreachable and says what to do. It omits the address,
// which may contain a password.
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

// distinct removes repeated messages from joined errors. pgx tries each address with and without
// TLS, and often reports the same failure twice.
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

// InTx runs f in a transaction. It commits if f succeeds and rolls back otherwise. f must not make
// network calls except through tx.
func (db *DB) InTx(ctx context.Context, opts pgx.TxOptions, f func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, db.Pool, opts, f)
}

// Deadlock is the SQLSTATE of a transaction that the server rolled back to end a deadlock.
const Deadlock = "40P01"

// InTxAgain is like [DB.InTx], but after a deadlock it runs f again in a new transaction. It tries
// up to four times. f must not keep results of an earlier run.
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

// restarting sets how often and how long [DB.ReadAgain] retries while the server restarts.
var restarting = sleep.Backoff{First: 100 * time.Millisecond, Most: time.Second, Within: 6 * time.Second}

// ReadAgain calls read, and retries it for a few seconds while the connection to the server is
// lost. read must not change data.
func (db *DB) ReadAgain(ctx context.Context, read func() error) error {
	return restarting.Retry(ctx, read, func(err error) time.Duration {
		if !Lost(err) {
			return sleep.Never
		}
		return 0
	})
}

// CheckLibraries calls one function of plpgsql and one of pgvector. It returns an error if the
// server cannot load either library, for example after a package upgrade.
func (db *DB) CheckLibraries(ctx context.Context) error {
	if _, err := db.Pool.Exec(ctx, `do $$ begin perform '[1]'::vector <-> '[2]'::vector; end $$`); err != nil {
		return fmt.Errorf("call functions of plpgsql and pgvector: %w", err)
	}
	return nil
}

// Versions returns the versions of the server and of pgvector as text.
func (db *DB) Versions(ctx context.Context) (server, vector string, err error) {
	err = db.Pool.QueryRow(ctx, `
		select current_setting('server_version'), (select extversion from pg_extension where extname = 'vector')`).Scan(&server, &vector)
	if err != nil {
		return "", "", fmt.Errorf("ask PostgreSQL for its version: %w", err)
	}
	return server, vector, nil
}
