package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// ErrRole means that [Grant] cannot give a role its rights. It is wrapped in a message that says
// what to do.
var ErrRole = errors.New("the role cannot be granted what answering needs")

// Tables on which [Grant] restricts a role. A role may read and insert rows into those in
// appendOnly, and may only read those in readOnly.
var (
	appendOnly = []string{"audit"}
	readOnly   = []string{"goose_db_version", "schema_floor", "runtime_role"}
)

// Grant gives a role the rights that a process needs to answer questions, and no others on these
// tables. The role may read and change most tables. It may not change the schema or existing audit
// entries.
//
// The current role must be the one that runs Migrate. Migrate repeats the grant after migrations.
func Grant(ctx context.Context, url, role string) error {
	return withConn(ctx, url, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if err := grantable(ctx, tx, role); err != nil {
				return err
			}
			if err := grant(ctx, tx, role); err != nil {
				return fmt.Errorf("grant role %s what answering needs: %w", role, err)
			}
			_, err := tx.Exec(ctx, `insert into runtime_role (name) values ($1) on conflict (name) do update set granted_at = clock_timestamp()`, role)
			return err
		})
	})
}

// grantAgain repeats Grant for all previously granted roles that still exist.
func grantAgain(ctx context.Context, url string) error {
	return withConn(ctx, url, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			rows, err := tx.Query(ctx, `select r.name from runtime_role r join pg_roles p on p.rolname = r.name order by r.name`)
			if err != nil {
				return fmt.Errorf("list the roles that answer: %w", err)
			}
			roles, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return fmt.Errorf("list the roles that answer: %w", err)
			}
			for _, role := range roles {
				if err := grant(ctx, tx, role); err != nil {
					return fmt.Errorf("grant role %s what is new: %w", role, err)
				}
			}
			return nil
		})
	})
}

func withConn(ctx context.Context, url string, do func(*pgx.Conn) error) (err error) {
	cc, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("read the database address: it is not a PostgreSQL address such as postgres://user@host:5432/footnote")
	}
	conn, err := pgx.ConnectConfig(ctx, cc)
	if err != nil {
		return unreachable(err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	return do(conn)
}

// grantable returns ErrRole if the role does not exist, or if grants cannot restrict it because it
// is a superuser or owns the tables.
func grantable(ctx context.Context, tx pgx.Tx, role string) error {
	var super, owner bool
	err := tx.QueryRow(ctx, `select rolsuper, pg_has_role(oid, current_user, 'member') from pg_roles where rolname = $1`, role).Scan(&super, &owner)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("%w: there is no role %q; let a superuser run: create role %s login password '…'", ErrRole, role, pgx.Identifier{role}.Sanitize())
	case err != nil:
		return fmt.Errorf("look for role %s: %w", role, err)
	case super:
		return fmt.Errorf("%w: %q is a superuser, who may do everything anyway; name another role", ErrRole, role)
	case owner:
		return fmt.Errorf("%w: %q is the role that migrates, or a member of it, who owns the tables; name another role", ErrRole, role)
	}
	return nil
}

// grant gives a role its rights on the schema's tables, and revokes its other rights on them. It
// affects only objects that the current role owns.
func grant(ctx context.Context, tx pgx.Tx, role string) error {
	to := pgx.Identifier{role}.Sanitize()
	var schema string
	var may bool
	if err := tx.QueryRow(ctx, `select current_schema(), has_schema_privilege($1, current_schema(), 'usage')`, role).Scan(&schema, &may); err != nil {
		return err
	}
	var statements []string
	if !may {
		statements = append(statements, "grant usage on schema "+pgx.Identifier{schema}.Sanitize()+" to "+to)
	}
	// Skip the tables of extensions.
	rows, err := tx.Query(ctx, `
		select c.relname, c.relkind::text from pg_class c
		where c.relnamespace = to_regnamespace(quote_ident($1)) and c.relowner = current_user::regrole and c.relkind in ('r', 'p', 'v', 'S')
		  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
		order by c.relname`, schema)
	if err != nil {
		return err
	}
	var name, kind string
	_, err = pgx.ForEachRow(rows, []any{&name, &kind}, func() error {
		on, rights := "table ", "select, insert, update, delete"
		switch {
		case kind == "S":
			on, rights = "sequence ", "usage"
		case slices.Contains(appendOnly, name):
			rights = "select, insert"
		case kind == "v" || slices.Contains(readOnly, name):
			rights = "select"
		}
		on += pgx.Identifier{schema, name}.Sanitize()
		statements = append(statements, "revoke all on "+on+" from "+to, "grant "+rights+" on "+on+" to "+to)
		return nil
	})
	if err != nil {
		return err
	}
	functions, err := definers(ctx, tx)
	if err != nil {
		return err
	}
	for _, f := range functions {
		statements = append(statements, "grant execute on function "+f+" to "+to)
	}
	for _, sql := range statements {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// definers lists the functions of the current role that run with its rights, whoever calls them
// ("security definer").
func definers(ctx context.Context, tx pgx.Tx) ([]string, error) {
	rows, err := tx.Query(ctx, `
		select p.oid::regprocedure::text from pg_proc p
		where p.pronamespace = to_regnamespace(quote_ident(current_schema())) and p.proowner = current_user::regrole and p.prosecdef order by 1`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// closeFunctions revokes everyone's right to call the functions that [definers] returns.
func closeFunctions(ctx context.Context, tx pgx.Tx) error {
	functions, err := definers(ctx, tx)
	if err != nil {
		return err
	}
	for _, f := range functions {
		if _, err := tx.Exec(ctx, "revoke all on function "+f+" from public"); err != nil {
			return err
		}
	}
	return nil
}
