package postgres

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
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

// Looked up in the catalog: on each table the rights that are meant, on no table another, and none
// to make anything.
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

// Binaries of the version before may go on asking for the index of vectors that nothing reads any
// more: nothing is built, and what there was is gone.
func TestMigrationDropsIndexesOfVectors(t *testing.T) {
	t.Parallel()
	url := localtest.URL(t)
	if _, err := Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	const before = 28
	down, done, err := migrator(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	_, err = down.DownTo(t.Context(), before)
	if err := errors.Join(err, done()); err != nil {
		t.Fatal(err)
	}
	const fill = `insert into embedding_model (tenant_id, name, dimensions, precision) values ('default', 'm', 3, 'halfvec') returning number`
	model := collect(t, url, `with m as (`+fill+`) select number::text from m`)[0]
	build := `select build_vector_index(` + model + `)::text`
	indexes := func() int {
		return len(collect(t, url, `select indexname::text from pg_indexes where indexname like 'embedding\_hnsw\_%'`))
	}
	if got := collect(t, url, build); got[0] != "true" || indexes() != 1 {
		t.Fatalf("before the migration: built %v, %d indexes", got, indexes())
	}
	if _, err := Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if got := collect(t, url, build); got[0] != "false" || indexes() != 0 {
		t.Errorf("after the migration: built %v, %d indexes", got, indexes())
	}
	if got := collect(t, url, `select name from embedding_model where indexed`); len(got) > 0 {
		t.Errorf("%v count as indexed", got)
	}
}

// What a later migration adds is granted to the roles that were granted before, and those that are
// gone are passed over.
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

// Entries of the audit trail are removed by whoever writes it, as before that was said, and by
// nobody else who can connect.
func TestOnlyWhoWritesTheTrailRemovesFromIt(t *testing.T) {
	t.Parallel()
	url := localtest.URL(t)
	if _, err := Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	const before = 29
	down, done, err := migrator(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	_, err = down.DownTo(t.Context(), before)
	if err := errors.Join(err, done()); err != nil {
		t.Fatal(err)
	}
	_, stranger := localtest.Role(t, url)
	name, writer := localtest.Role(t, url)
	collect(t, url, "grant insert on audit to "+pgx.Identifier{name}.Sanitize())
	if _, err := Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	const may = `select has_function_privilege('audit_expire(text, interval, int)', 'execute')::text`
	for who, want := range map[string]string{url: "true", writer: "true", stranger: "false"} {
		if got := collect(t, who, may); got[0] != want {
			t.Errorf("%s may remove entries of the trail: %s, want %s", collect(t, who, `select current_user::text`)[0], got[0], want)
		}
	}
}
