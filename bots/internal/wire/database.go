package wire

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/bots/internal/config"
)

// Direct is a connection to the database that bypasses a transaction pooler. Schema changes and
// PostgreSQL's own programs need it. The private server, if there is one, runs until Close.
type Direct struct {
	URL  string // address in libpq's form
	Bins string // folder of the private server's programs; empty if DATABASE_URL is set
	base *Base
}

// OpenDirect finds the database, and starts the private server if none is configured. It does not
// read or change the database.
func OpenDirect(ctx context.Context, cfg *config.Config, logger *slog.Logger) (*Direct, error) {
	d := &Direct{base: &Base{Config: cfg, Logger: logger}}
	_, address, err := d.base.addresses(ctx)
	if err != nil {
		return nil, errors.Join(err, d.Close(ctx))
	}
	d.URL = libpqURL(address)
	if d.base.cluster != nil {
		d.Bins = d.base.cluster.Server().Dir
	}
	return d, nil
}

// Env returns the variables with which PostgreSQL's own programs connect without an argument.
func (d *Direct) Env() ([]string, error) { return postgres.ClientEnv(d.URL) }

// Grant gives database roles the privileges that a process needs to answer questions.
func (d *Direct) Grant(ctx context.Context, roles ...string) error {
	for _, role := range roles {
		if err := postgres.Grant(ctx, d.URL, role); err != nil {
			return err
		}
	}
	return nil
}

// Restored prepares a database that was restored from a backup. It returns the number of questions
// that were being answered when the backup was made.
func (d *Direct) Restored(ctx context.Context) (int, error) {
	return postgres.Restored(ctx, d.URL, pgindex.Restored, pgsession.Restored)
}

// Close releases the private server.
func (d *Direct) Close(ctx context.Context) error { return d.base.Close(ctx) }

// libpqURL returns an address without pgx's own parameters, which libpq rejects.
func libpqURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	query := u.Query()
	for name := range query {
		if strings.HasPrefix(name, "pool_") || name == "default_query_exec_mode" || strings.HasSuffix(name, "_cache_capacity") {
			query.Del(name)
		}
	}
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20") // libpq reads a plus as itself
	return u.String()
}
