package jobs_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/jackc/pgx/v5/pgxpool"
)

// restrict returns a database whose connections are made as cfg says.
func restrict(t *testing.T, cfg *pgxpool.Config) *postgres.DB {
	t.Helper()
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return &postgres.DB{Pool: pool}
}
