package pgindex_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/jackc/pgx/v5"
)

// outgrown returns an index of many documents whose statistics were taken when there was one. All
// statements run in one session, whose counters reads returns.
func outgrown(t *testing.T, many int) (*pgindex.Index, *postgres.DB) {
	t.Helper()
	db := postgrestest.Connect(t, postgres.Config{URL: postgrestest.URL(t), MaxConns: 1})
	x, err := pgindex.New(db, pgindex.Config{})
	if err != nil {
		t.Fatal(err)
	}
	put := func(from, to int) {
		t.Helper()
		var entries []index.Entry
		for i := from; i < to; i++ {
			d := retrievetest.One(fmt.Sprintf("d%03d", i), fmt.Sprintf("Harbour %d manual", i), fmt.Sprintf("See the Harbour %d manual.", (i+1)%many))
			d.Model, d.Vectors = "m", [][]float32{{1, float32(i)}}
			entries = append(entries, entryOf(d))
		}
		if err := x.Put(t.Context(), access.DefaultTenant, entries); err != nil {
			t.Fatal(err)
		}
	}
	put(0, 1)
	if err := x.Maintain(t.Context(), access.DefaultTenant); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool.Exec(t.Context(), `analyze`); err != nil { // those that autovacuum takes, too
		t.Fatal(err)
	}
	put(1, many)
	return x, db
}

// reads returns how many rows were read by what was called.
func reads(t *testing.T, db *postgres.DB, called func()) (n int64) {
	t.Helper()
	count := func() (n int64) {
		t.Helper()
		if _, err := db.Pool.Exec(t.Context(), `select pg_stat_force_next_flush()`); err != nil {
			t.Fatal(err)
		}
		if err := db.Pool.QueryRow(t.Context(), `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_user_tables`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := count()
	called()
	return count() - before
}

// Until statistics are taken again, statements read each row that they need a few times, and not
// the tables for each row.
func TestReadsDoNotDependOnStatistics(t *testing.T) {
	t.Parallel()
	const many = 500
	x, db := outgrown(t, many)
	var ids []document.ID
	for i := range many {
		ids = append(ids, document.ID(fmt.Sprintf("d%03d", i)))
	}
	if n := reads(t, db, func() {
		if got, err := x.Vectors(t.Context(), access.DefaultTenant, "m", ids); err != nil || len(got) != many {
			t.Errorf("%d vectors of %d: %v", len(got), many, err)
		}
	}); n > 10*many {
		t.Errorf("%d rows were read for %d vectors", n, many)
	}
	names, err := pgknowledge.New(db).Unsearched(t.Context(), access.DefaultTenant, many)
	if err != nil {
		t.Fatal(err)
	}
	var passages []pgknowledge.Passage
	rows, err := db.Pool.Query(t.Context(), `select id, text from chunk`)
	if err != nil {
		t.Fatal(err)
	}
	if passages, err = pgx.CollectRows(rows, pgx.RowToStructByPos[pgknowledge.Passage]); err != nil {
		t.Fatal(err)
	}
	if n := reads(t, db, func() {
		if err := db.InTx(t.Context(), pgx.TxOptions{}, func(tx pgx.Tx) error {
			return pgknowledge.NewWriter().Find(t.Context(), tx, access.DefaultTenant, 0, passages, names)
		}); err != nil {
			t.Error(err)
		}
	}); n > 10*many {
		t.Errorf("%d rows were read to look for %d names in %d passages", n, len(names), len(passages))
	}
}

// Names are looked up by their words, and not in all postings.
func TestLookForNamesReadsTheirPostings(t *testing.T) {
	t.Parallel()
	const many, few = 500, 10
	x, db := outgrown(t, many)
	if more, err := x.Purge(t.Context(), access.DefaultTenant, time.Time{}); more || err != nil { // packs all
		t.Fatal(more, err)
	}
	if err := x.Maintain(t.Context(), access.DefaultTenant); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool.Exec(t.Context(), `update entity_name set searched = false where id in (select id from entity_name order by id limit $1)`, few); err != nil {
		t.Fatal(err)
	}
	var postings int
	if err := db.Pool.QueryRow(t.Context(), `select count(*) from posting`).Scan(&postings); err != nil || postings < many {
		t.Fatalf("%d postings are packed: %v", postings, err)
	}
	if n := reads(t, db, func() {
		if err := x.Maintain(t.Context(), access.DefaultTenant); err != nil {
			t.Error(err)
		}
	}); n > 100*few {
		t.Errorf("%d rows were read to look for %d names", n, few)
	}
}

// Statistics are taken again before the step that is planned with them, as soon as the tables have
// outgrown the last ones, and not when nothing has changed.
func TestTidyTakesStatisticsOfGrownTables(t *testing.T) {
	t.Parallel()
	x, db := outgrown(t, 300)
	for _, want := range [][]string{
		{"Packing the index", "Taking statistics of the index", "Looking for new names in the index"},
		{"Packing the index", "Looking for new names in the index"},
	} {
		var steps []string
		if more, err := x.Tidy(t.Context(), access.DefaultTenant, time.Time{}, func(step string) { steps = append(steps, step) }); more || err != nil {
			t.Fatal(more, err)
		}
		if !slices.Equal(steps, want) {
			t.Errorf("Tidy reports %q, want %q", steps, want)
		}
	}
	var known int
	if err := db.Pool.QueryRow(t.Context(), `select reltuples::int from pg_class where oid = 'document'::regclass`).Scan(&known); err != nil || known != 300 {
		t.Errorf("the statistics are of %d documents, want 300: %v", known, err)
	}
}
