package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/migrations"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// Migrate updates the schema and returns how many migrations ran. Roles that Grant prepared get the
// same rights on new tables. Migrate takes a session lock, so any number of processes may call it
// at once. url must be a direct connection, not a transaction pooler. Migrate does not change a
// schema that is newer than this program.
func Migrate(ctx context.Context, url string) (int, error) {
	provider, done, err := migrator(ctx, url)
	if err != nil {
		return 0, err
	}
	results, err := provider.Up(ctx)
	if err := errors.Join(err, done()); err != nil {
		return 0, fmt.Errorf("migrate the database: %w", err)
	}
	if len(results) == 0 {
		return 0, nil
	}
	return len(results), grantAgain(ctx, url)
}

func migrator(ctx context.Context, url string) (*goose.Provider, func() error, error) {
	cc, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, nil, fmt.Errorf("read the database address: it is not a PostgreSQL address such as postgres://user@host:5432/footnote")
	}
	conn, err := pgx.ConnectConfig(ctx, cc)
	if err != nil {
		return nil, nil, unreachable(err)
	}
	err = errors.Join(checkServer(ctx, conn), createVector(ctx, conn))
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		return nil, nil, err
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, nil, fmt.Errorf("prepare the migration lock: %w", err)
	}
	db := stdlib.OpenDB(*cc)
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files, goose.WithSessionLocker(locker))
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("read the embedded migrations: %w", err), db.Close())
	}
	return provider, provider.Close, nil
}

// createVector installs pgvector in the database if it is missing. It takes a lock, because two
// processes may start for the first time at once.
func createVector(ctx context.Context, conn *pgx.Conn) error {
	if err := checkVector(ctx, conn); err != nil {
		return err
	}
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		// The key of the lock is "vector" in ASCII. It only has to differ from other lock keys of
		// this database.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(x'766563746f72'::bigint)`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `create extension if not exists vector`)
		return err
	})
	if err != nil {
		return fmt.Errorf("%w: creating it in this database failed; let a superuser run \"create extension vector\" once: %w", ErrNoVector, err)
	}
	return nil
}

type rowQuerier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func checkServer(ctx context.Context, conn rowQuerier) error {
	var num int
	if err := conn.QueryRow(ctx, `select current_setting('server_version_num')::int`).Scan(&num); err != nil {
		return fmt.Errorf("ask PostgreSQL for its version: %w", err)
	}
	if num < minServer {
		return fmt.Errorf("%w: this is version %d, and 15 or newer is needed; upgrade the server or point DATABASE_URL at another",
			ErrServerTooOld, num/10000)
	}
	return nil
}

// checkVector returns ErrNoVector if pgvector is missing or older than minVector. If pgvector is
// not installed in the database, it checks the version that the server offers.
func checkVector(ctx context.Context, conn rowQuerier) error {
	var version string
	err := conn.QueryRow(ctx, `
		select coalesce((select extversion from pg_extension where extname = 'vector'),
		                (select default_version from pg_available_extensions where name = 'vector'), '')`).Scan(&version)
	if err != nil {
		return fmt.Errorf("ask PostgreSQL for pgvector: %w", err)
	}
	switch {
	case version == "":
		return fmt.Errorf("%w: the server does not have it; run \"make deps\" for a server of your own, or ask your provider for pgvector %s",
			ErrNoVector, minVector)
	case versionLess(version, minVector):
		return fmt.Errorf("%w: this is %s, and %s or newer is needed; upgrade the package, then run \"alter extension vector update\"",
			ErrNoVector, version, minVector)
	}
	return nil
}

// versionLess reports whether version a is older than b, such as "0.9" and "0.10". A part that is
// not a number counts as 0.
func versionLess(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		var x, y int
		if i < len(as) {
			x, _ = strconv.Atoi(as[i])
		}
		if i < len(bs) {
			y, _ = strconv.Atoi(bs[i])
		}
		if x != y {
			return x < y
		}
	}
	return false
}

// checkSchema returns the schema's version. The error is ErrNoSchema if the database was never
// migrated, and ErrSchema if its schema is too old, or too new and not compatible.
func checkSchema(ctx context.Context, conn *pgx.Conn) (schema Schema, err error) {
	want, err := newestMigration()
	if err != nil {
		return schema, err
	}
	var exists, floored bool
	err = conn.QueryRow(ctx, `select to_regclass('goose_db_version') is not null, to_regclass('schema_floor') is not null`).Scan(&exists, &floored)
	if err != nil {
		return schema, fmt.Errorf("look for the schema version: %w", err)
	}
	var have int64
	if exists {
		if err := conn.QueryRow(ctx, `select coalesce(max(version_id), 0) from goose_db_version where is_applied`).Scan(&have); err != nil {
			return schema, fmt.Errorf("read the schema version: %w", err)
		}
	}
	schema = Schema{have, want}
	if have == 0 {
		return schema, fmt.Errorf("%w; run \"footnote migrate\"", ErrNoSchema)
	}
	if have < want {
		return schema, fmt.Errorf("%w: it is at version %d, and %d is needed; run \"footnote migrate\"", ErrSchema, have, want)
	}
	if have == want {
		return schema, nil
	}
	floor := have
	if floored {
		if err := conn.QueryRow(ctx, `select version from schema_floor`).Scan(&floor); err != nil {
			return schema, fmt.Errorf("read which versions the schema fits: %w", err)
		}
	}
	if want < floor {
		return schema, fmt.Errorf("%w: it is at version %d, which binaries that know version %d or newer can work with, and this one knows only %d; "+
			"run the newer footnote, or restore the backup from before the upgrade", ErrSchema, have, floor, want)
	}
	return schema, nil
}

func newestMigration() (int64, error) {
	names, err := migrations.Files.ReadDir(".")
	if err != nil {
		return 0, fmt.Errorf("read the embedded migrations: %w", err)
	}
	var newest int64
	for _, entry := range names {
		number, _, found := strings.Cut(entry.Name(), "_")
		if !found {
			continue
		}
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("migration %s has no number: %w", entry.Name(), err)
		}
		newest = max(newest, version)
	}
	return newest, nil
}
