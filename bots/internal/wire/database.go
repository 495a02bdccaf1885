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

// Direct is the way to the database that leads past a transaction pooler, for what changes the
// schema and for PostgreSQL's own programs. Close it: until then the private server runs, where
// there is one.
type Direct struct {
	URL  string // as libpq reads it
	Bins string // folder of the private server's programs; empty where DATABASE_URL is set
	base *Base
}

// OpenDirect finds the database, starting the private server where none is configured. Nothing in
// it is read or changed.
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

// Grant gives roles what answering needs.
func (d *Direct) Grant(ctx context.Context, roles ...string) error {
	for _, role := range roles {
		if err := postgres.Grant(ctx, d.URL, role); err != nil {
			return err
		}
	}
	return nil
}

// Restored prepares a database that a backup was put into, and returns how many questions were
// under way when it was made.
func (d *Direct) Restored(ctx context.Context) (int, error) {
	return postgres.Restored(ctx, d.URL, pgindex.Restored, pgsession.Restored)
}

// Close lets go of the private server.
func (d *Direct) Close(ctx context.Context) error { return d.base.Close(ctx) }

// libpqURL is an address without the parameters of pgx, which libpq does not know.
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
