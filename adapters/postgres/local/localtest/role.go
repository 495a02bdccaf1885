package localtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// Limited creates a role that may read and write all tables of a test's database, including later
// ones. The role may not change the schema. Limited returns the role's address. The role is dropped
// when the test ends.
func Limited(tb testing.TB, database string) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	role := "limited_" + strings.ToLower(rand.Text()[:10])
	const rights = `create role %[1]s;
		grant usage on schema public to %[1]s;
		grant select, insert, update, delete, truncate on all tables in schema public to %[1]s;
		grant usage, select on all sequences in schema public to %[1]s;
		alter default privileges in schema public grant select, insert, update, delete, truncate on tables to %[1]s;
		alter default privileges in schema public grant usage, select on sequences to %[1]s`
	if err := execute(ctx, database, fmt.Sprintf(rights, role)); err != nil {
		tb.Fatalf("make a role that may not change tables: %v", err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if err := execute(ctx, database, fmt.Sprintf(`drop owned by %[1]s; drop role %[1]s`, role)); err != nil {
			tb.Errorf("drop the role of the test: %v", err)
		}
	})
	return asRole(tb, database, role)
}

// Owner creates a role that owns a test's database and is not a superuser, like the roles that
// database providers create. It returns the role's address. The role is dropped when the test ends.
func Owner(tb testing.TB, database string) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	name, address := Role(tb, database)
	if err := execute(ctx, database, `do $$ begin execute format('alter database %I owner to `+name+`', current_database()); end $$`); err != nil {
		tb.Fatalf("give the test's database an owner: %v", err)
	}
	return address
}

// Role creates a role without permissions in a test's database, and returns its name and address.
// The role is dropped when the test ends.
func Role(tb testing.TB, database string) (name, address string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	name = "role_" + strings.ToLower(rand.Text()[:10])
	if err := execute(ctx, database, "create role "+name); err != nil {
		tb.Fatalf("make a role: %v", err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if err := execute(ctx, database, fmt.Sprintf(`reassign owned by %[1]s to current_user; drop owned by %[1]s; drop role %[1]s`, name)); err != nil {
			tb.Errorf("drop the role of the test: %v", err)
		}
	})
	return name, asRole(tb, database, name)
}

func asRole(tb testing.TB, database, role string) string {
	tb.Helper()
	address, err := url.Parse(database)
	if err != nil {
		tb.Fatalf("address of the test's database: %v", err)
	}
	query := address.Query()
	query.Set("options", "-c role="+role)
	address.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	return address.String()
}
