// Package localtest gives tests a real PostgreSQL with pgvector. All test packages of a user share
// one private cluster. Each call returns a new database.
//
// The cluster runs without fsync, and in memory if there is enough. Most of its work is creating
// and dropping databases, which consist of hundreds of files. All concurrent test processes share
// the cluster. It stops soon after the last process has ended, and its files remain for the next
// run. TEST_DATABASE_URL selects another server. The role in that URL must be allowed to create
// databases and extensions.
package localtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/local"
	"github.com/jackc/pgx/v5"
)

// limit is the timeout of any step. The slowest step is creating a machine's first cluster while
// the machine compiles.
const limit = 3 * time.Minute

// URL returns the address of a new, empty database with the extension vector. The database is
// dropped when the test ends, even if it has open connections. Parallel tests may call URL. The
// test fails if there is no server.
func URL(tb testing.TB) string {
	tb.Helper()
	return lend(tb, func(context.Context, *pgx.Conn, string) (string, error) { return template, nil })
}

// Migrated is like URL, but the database has the complete schema. migrate creates the schema once
// per set of migrations. Later databases are copies, which is much faster. Tests of migrations use
// URL instead.
func Migrated(tb testing.TB, migrate func(ctx context.Context, url string) (int, error)) string {
	tb.Helper()
	return lend(tb, func(ctx context.Context, conn *pgx.Conn, server string) (string, error) {
		return schemaTemplate(ctx, conn, server, migrate)
	})
}

func lend(tb testing.TB, choose func(ctx context.Context, conn *pgx.Conn, server string) (string, error)) string {
	tb.Helper()
	server, err := sharedServer()
	if err != nil {
		tb.Fatalf("no PostgreSQL for tests: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	name := fmt.Sprintf("%s%s_%s", prefix, stamp(time.Now()), strings.ToLower(rand.Text()[:10]))
	err = connected(ctx, server, func(conn *pgx.Conn) error {
		source, err := choose(ctx, conn, server)
		if err != nil {
			return err
		}
		return copyDatabase(ctx, conn, name, source)
	})
	if err != nil {
		tb.Fatalf("create a database for the test: %v", err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if err := execute(ctx, server, "drop database if exists "+name+" with (force)"); err != nil {
			tb.Errorf("drop the database of the test: %v", err)
		}
	})
	address, err := withDatabase(server, name)
	if err != nil {
		tb.Fatalf("address of the test's database: %v", err)
	}
	return address
}

// sharedServer returns the address of the test server. The first call in a process starts the
// server, or uses TEST_DATABASE_URL. The cluster is never closed. A separate process stops the
// server after its last user has ended.
var sharedServer = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	server := os.Getenv("TEST_DATABASE_URL")
	if server == "" {
		cluster, err := startCluster(ctx)
		if err != nil {
			return "", err
		}
		server = cluster.URL()
	}
	if err := prepare(ctx, server); err != nil {
		return "", fmt.Errorf("prepare %s: %w", redacted(server), err)
	}
	return server, nil
})

// startCluster starts the cluster for tests. Each user and major version has a separate directory.
// After an upgrade of the system's PostgreSQL, tests therefore start with a new cluster.
func startCluster(ctx context.Context) (*local.Cluster, error) {
	found, err := local.Find(ctx)
	if err != nil {
		return nil, err
	}
	base := filepath.Join(place(), fmt.Sprintf("footnote-test-%d", os.Geteuid()))
	// Root's server runs as another user, who must be able to enter the directory.
	if err := os.Mkdir(base, 0o711); err != nil && !os.IsExist(err) {
		return nil, err
	}
	cluster, err := local.Start(ctx, local.Config{
		Dir: filepath.Join(base, strconv.Itoa(found.Major)),
		Settings: map[string]string{
			"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "wal_compression": "off",
			"max_wal_size": "512MB", "shared_buffers": "128MB", "max_connections": "300", "autovacuum_naptime": "10min",
		},
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	return cluster, cluster.StopWhenUnused(ctx)
}

func connected(ctx context.Context, server string, f func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	return errors.Join(f(conn), conn.Close(context.WithoutCancel(ctx)))
}

func execute(ctx context.Context, server, statement string) error {
	return connected(ctx, server, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err
	})
}

func withDatabase(server, name string) (string, error) {
	address, err := url.Parse(server)
	if err != nil {
		return "", fmt.Errorf("TEST_DATABASE_URL is not an address like postgres://user@host/database: %w", err)
	}
	address.Path = "/" + name
	return address.String(), nil
}

func redacted(server string) string {
	address, err := url.Parse(server)
	if err != nil {
		return "the test server"
	}
	return address.Redacted()
}
