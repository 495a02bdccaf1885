// Package localtest gives tests a real PostgreSQL with pgvector: one private cluster for
// all test packages of a user, and a fresh database for each call.
//
// The cluster runs without fsync. It is shared by every test process that runs at the same
// time, and stopped soon after the last one has ended. TEST_DATABASE_URL names another
// server to use instead; its role has to be allowed to create databases and extensions.
package localtest

import (
	"context"
	"crypto/rand"
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

// limit is how long any one step may take: making the first cluster of a machine that
// compiles at the same time is the slowest.
const limit = 3 * time.Minute

// URL returns the address of a new, empty database that has the extension vector. The
// database is dropped when the test ends, whoever is still connected. It may be called
// from parallel tests, and the test fails when there is no server.
func URL(tb testing.TB) string {
	tb.Helper()
	server, err := sharedServer()
	if err != nil {
		tb.Fatalf("no PostgreSQL for tests: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	name := fmt.Sprintf("%s%s_%s", prefix, strconv.FormatInt(time.Now().Unix(), 36), strings.ToLower(rand.Text()[:10]))
	if err := execute(ctx, server, "create database "+name+" template "+template); err != nil {
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

// sharedServer is started once a process. Its share in the cluster is never closed: it
// ends with the process, and the cluster's watcher then stops the server.
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

// startCluster keeps one directory for each user and major version, so that an upgrade of
// the system's PostgreSQL begins with a new one.
func startCluster(ctx context.Context) (*local.Cluster, error) {
	found, err := local.Find(ctx)
	if err != nil {
		return nil, err
	}
	base := filepath.Join(os.TempDir(), fmt.Sprintf("footnote-test-%d", os.Geteuid()))
	// Root's server runs as another user, who has to pass through.
	if err := os.Mkdir(base, 0o711); err != nil && !os.IsExist(err) {
		return nil, err
	}
	cluster, err := local.Start(ctx, local.Config{
		Dir: filepath.Join(base, strconv.Itoa(found.Major)),
		Settings: map[string]string{
			"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off",
			"shared_buffers": "128MB", "max_connections": "300", "autovacuum_naptime": "10min",
		},
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	return cluster, cluster.StopWhenUnused(ctx)
}

func execute(ctx context.Context, server, statement string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.Exec(ctx, statement)
	return err
}

// withDatabase replaces the database in an address.
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
