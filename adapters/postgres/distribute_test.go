package postgres

import (
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
)

// sharded are the tables that grow with the documents. They hold a shard, by which a distributed
// engine divides them.
var sharded = []string{"alias", "chunk", "document", "edge", "embedding", "extracted", "fresh_posting", "index_shard", "mention", "posting", "segment", "segment_change", "search_entry"}

// wholeTables have no tenant in their unique constraints, each for a reason. On a distributed
// engine they are reference tables, or stay where they are.
var wholeTables = map[string]string{
	"goose_db_version":   "versions of the schema: the same for everybody",
	"schema_floor":       "one row about the schema",
	"runtime_role":       "roles of the database",
	"tenant":             "the list of tenants itself",
	"workspace":          "says whose a workspace is: it belongs to one tenant at most, which only a constraint without the tenant can hold",
	"replica":            "processes, which serve all tenants",
	"audience_workspace": "what is known of a workspace, whichever tenant it belongs to at the moment",
	"audience_change":    "likewise",
	"audience_person":    "likewise",
	"account":            "likewise",
	"identity_key":       "one row: the key of the hashes by which people are forgotten, the same for all tenants",
	"river_job":          "the queue of the work beside: few rows, of all tenants",
	"river_leader":       "one row: who plans that work",
	"river_queue":        "names of queues",
	"quarantine":         "of processes, which answer for all tenants; small, and deleted within minutes",
	"search_generation":  "the indexes of a search engine, each of which holds all tenants",
	"river_notification": "not used: workers ask, and are never notified",
}

// wholeIndexes are unique indexes without a tenant on tables that have one.
var wholeIndexes = map[string]string{
	"embedding_model_pkey": "the number stands in the name of the model's index, and is handed out by one sequence; the table is small and would be a reference table",
}

// A Postgres-compatible engine that distributes tables by tenant, and those of the index by shard,
// demands both in every unique constraint. The catalog says whether they are there.
func TestUniqueConstraintsHoldTenantAndShard(t *testing.T) {
	t.Parallel()
	url := localtest.URL(t)
	if _, err := Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	const unique = `
		select c.relname || ' ' || i.relname || ' ' || (
			select string_agg(a.attname, ',' order by k.n) from unnest(x.indkey::int2[]) with ordinality k (attnum, n)
			join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum where k.n <= x.indnkeyatts)
		from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
		where x.indisunique and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`
	seen := map[string]bool{}
	for _, line := range collect(t, url, unique) {
		f := strings.Fields(line)
		table, index, columns := f[0], f[1], strings.Split(f[2], ",")
		seen[table], seen[index] = true, true
		if wholeTables[table] != "" || wholeIndexes[index] != "" {
			continue
		}
		if !slices.Contains(columns, "tenant_id") {
			t.Errorf("%s of %s is unique on %v, without the tenant", index, table, columns)
		}
		if slices.Contains(sharded, table) && !slices.Contains(columns, "shard") {
			t.Errorf("%s of %s is unique on %v, without the shard", index, table, columns)
		}
	}
	for name := range wholeTables {
		if !seen[name] {
			t.Errorf("the exception for table %s is not needed any more", name)
		}
	}
	for name := range wholeIndexes {
		if !seen[name] {
			t.Errorf("the exception for index %s is not needed any more", name)
		}
	}

	// Tables without any unique constraint cannot be found by the above; and those that hold a
	// shard belong to the list.
	const tables = `
		select c.relname || ' ' || coalesce((select string_agg(a.attname, ',') from pg_attribute a
			where a.attrelid = c.oid and a.attname in ('tenant_id', 'shard') and not a.attisdropped), '-')
		from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`
	for _, line := range collect(t, url, tables) {
		table, columns, _ := strings.Cut(line, " ")
		if !seen[table] {
			t.Errorf("table %s has no unique constraint", table)
		}
		if wholeTables[table] == "" && !strings.Contains(columns, "tenant_id") {
			t.Errorf("table %s has no tenant", table)
		}
		if strings.Contains(columns, "shard") != slices.Contains(sharded, table) {
			t.Errorf("table %s holds a shard, or is said to: %s", table, columns)
		}
	}
	// A foreign key between distributed tables leads along the tenant.
	const keys = `
		select c.conname || ' ' || (select string_agg(a.attname, ',') from unnest(c.conkey) k (n) join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n)
		from pg_constraint c where c.contype = 'f' and c.connamespace = 'public'::regnamespace`
	for _, line := range collect(t, url, keys) {
		name, columns, _ := strings.Cut(line, " ")
		if !slices.Contains(strings.Split(columns, ","), "tenant_id") {
			t.Errorf("foreign key %s leads along %s, without the tenant", name, columns)
		}
	}
}
