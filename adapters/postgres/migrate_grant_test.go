package postgres

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

// granted is a database that one role owns and another was granted what answering needs.
func granted(t *testing.T) (owner, role, answering, database string) {
	t.Helper()
	database = localtest.URL(t)
	owner = localtest.Owner(t, database)
	role, answering = localtest.Role(t, database)
	if _, err := Migrate(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	if err := Grant(t.Context(), owner, role); err != nil {
		t.Fatal(err)
	}
	return owner, role, answering, database
}

// collect returns one column of strings.
func collect(t *testing.T, url, sql string, args ...any) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err := errors.Join(err, conn.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	return list
}

// Looked up in the catalog: on each table the rights that are meant, on no table another, and none to make anything.
func TestGrantedRoleMayDoWhatAnsweringNeedsAndNothingElse(t *testing.T) {
	t.Parallel()
	owner, role, _, _ := granted(t)
	const rights = `
		select c.relname || ': ' || coalesce((select string_agg(lower(a.privilege_type), ', ' order by a.privilege_type)
			from aclexplode(c.relacl) a where a.grantee = $1::text::regrole), '') || case when c.relowner = $1::text::regrole then ', owner' else '' end
		from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`
	got := collect(t, owner, rights, role)
	if len(got) < 40 {
		t.Errorf("there are only %d tables: %v", len(got), got)
	}
	for _, line := range got {
		name, has, _ := strings.Cut(line, ": ")
		want := "delete, insert, select, update"
		switch name {
		case "audit":
			want = "insert, select"
		case "goose_db_version", "schema_floor", "runtime_role":
			want = "select"
		}
		if has != want {
			t.Errorf("on %s the role was granted %q, want %q", name, has, want)
		}
	}
	const wider = `select what from (values
			('create in the schema', has_schema_privilege($1, 'public', 'create')),
			('create in the database', has_database_privilege($1, current_database(), 'create')),
			('be somebody else', exists (select from pg_auth_members where member = $1::text::regrole))) as may (what, allowed)
		where allowed`
	if got := collect(t, owner, wider, role); len(got) > 0 {
		t.Errorf("the role may also %v", got)
	}
	const functions = `select proname || ': ' || coalesce(array_to_string(proconfig, '; '), '') from pg_proc where prosecdef and proowner = current_user::regrole`
	for _, f := range collect(t, owner, functions) {
		name, config, _ := strings.Cut(f, ": ")
		if !slices.Contains([]string{"audit_expire", "build_vector_index", "drop_vector_index"}, name) {
			t.Errorf("%s works with the owner's rights, and nobody has thought about that", name)
		}
		if !strings.Contains(config, "search_path=") || !strings.HasSuffix(config, "pg_temp") {
			t.Errorf("%s works with the owner's rights and looks among temporary tables: %q", name, config)
		}
	}
}

// The role builds and drops the indexes of vectors, which only the owner could; anybody else is told what to do.
func TestGrantedRoleBuildsIndexes(t *testing.T) {
	t.Parallel()
	owner, _, answering, database := granted(t)
	db, err := Open(t.Context(), Config{URL: answering})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	x, err := NewIndex(db, IndexConfig{ExactLimit: 2})
	if err != nil {
		t.Fatal(err)
	}
	const tenant = access.DefaultTenant
	if err := x.RegisterModel(t.Context(), tenant, "m", 3); err != nil {
		t.Fatal(err)
	}
	_, err = db.Pool.Exec(t.Context(), `
		insert into embedding (tenant_id, shard, chunk, model, access_number, source, emb)
		select $1, 0, n, (select number from embedding_model), 1, 1, '[1,0,0]' from generate_series(1, 10) n`, string(tenant))
	if err != nil {
		t.Fatal(err)
	}
	built := func() []string {
		return collect(t, owner, `select indexname::text from pg_indexes where indexname like 'embedding\_hnsw\_%'`)
	}
	_, stranger := localtest.Role(t, database)
	if got := collect(t, stranger, `select case when has_function_privilege('build_vector_index(int)', 'execute') then 'may' else 'may not' end`); got[0] != "may not" {
		t.Error("anybody may build indexes")
	}
	// A temporary table of the same name is not looked at: it would say what the owner executes.
	conn, err := pgx.Connect(t.Context(), answering)
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Exec(t.Context(), `create temp table embedding (emb halfvec, model int)`)
	if err == nil {
		_, err = conn.Exec(t.Context(), `select build_vector_index(number) from embedding_model`)
	}
	if err := errors.Join(err, conn.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got := collect(t, owner, `select n.nspname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relname like 'embedding\_hnsw\_%'`); !slices.Equal(got, []string{"public"}) {
		t.Errorf("the index was built in %v", got)
	}
	if err := x.BuildGraphs(t.Context(), tenant); err != nil {
		t.Fatal(err)
	}
	if len(built()) != 1 {
		t.Errorf("the indexes of vectors are %v", built())
	}
	if err := x.DropModel(t.Context(), tenant, "m"); err != nil {
		t.Fatal(err)
	}
	if len(built()) != 0 {
		t.Errorf("after the model was dropped there are %v", built())
	}
}

// What a later migration adds is granted to the roles that were granted before, and those that are gone are passed over.
func TestMigrationsAreGranted(t *testing.T) {
	t.Parallel()
	owner, role, _, _ := granted(t)
	conn, err := pgx.Connect(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Exec(t.Context(), `create table later (id bigserial primary key); insert into runtime_role (name) values ('nobody here')`)
	if err := errors.Join(err, conn.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := grantAgain(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	const may = `select 'rows' where has_table_privilege($1, 'later', 'insert') union all select 'numbers' where has_sequence_privilege($1, 'later_id_seq', 'usage')`
	if got := collect(t, owner, may, role); !slices.Equal(got, []string{"rows", "numbers"}) {
		t.Errorf("of what is new the role may use %v", got)
	}
}

func TestGrantRefusesRolesThatItDoesNotBind(t *testing.T) {
	t.Parallel()
	database := localtest.URL(t)
	owner := localtest.Owner(t, database)
	if _, err := Migrate(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	self := collect(t, owner, `select current_user::text`)[0]
	super := collect(t, database, `select current_user::text`)[0]
	for _, tt := range []struct{ name, role, want string }{
		{"nobody", `no "such" role`, `create role "no ""such"" role" login`},
		{"the owner", self, "name another role"},
		{"a superuser", super, "superuser"},
	} {
		if err := Grant(t.Context(), owner, tt.role); !errors.Is(err, ErrRole) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
