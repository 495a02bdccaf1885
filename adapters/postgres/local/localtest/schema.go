package localtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strconv"
	"sync"
	"time"

	"github.com/footnotehq/footnote/migrations"
	"github.com/jackc/pgx/v5"
)

const (
	schemaPrefix = "footnote_schema_"
	// schemaAge is how long a template database is used before a new one is made. A template of
	// twice this age is dropped.
	schemaAge = 24 * time.Hour
)

// schemaTemplate returns the name of a template database with the complete schema, and creates it
// if necessary. Each set of migrations has a separate template.
func schemaTemplate(ctx context.Context, conn *pgx.Conn, server string, migrate func(ctx context.Context, url string) (int, error)) (string, error) {
	sum, err := migrationSum()
	if err != nil {
		return "", err
	}
	name, err := findSchema(ctx, conn, sum)
	if err != nil || name != "" {
		return name, err
	}
	err = alone(ctx, server, func(conn *pgx.Conn) error {
		// Another test may have made it in the meantime.
		if name, err = findSchema(ctx, conn, sum); err != nil || name != "" {
			return err
		}
		name = schemaPrefix + stamp(time.Now()) + "_" + sum
		return makeTemplate(ctx, conn, server, name, template, func(inside string) error {
			_, err := migrate(ctx, inside)
			return err
		})
	})
	if err != nil {
		return "", fmt.Errorf("make a template with the schema: %w", err)
	}
	return name, nil
}

func findSchema(ctx context.Context, conn *pgx.Conn, sum string) (string, error) {
	rows, err := conn.Query(ctx, `select datname from pg_database where starts_with(datname, $1) and right(datname, $2) = $3 and not datallowconn`,
		schemaPrefix, len(sum), sum)
	if err != nil {
		return "", err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", err
	}
	for _, name := range names {
		made, err := strconv.ParseInt(name[len(schemaPrefix):len(name)-len(sum)-1], 36, 64)
		if err == nil && time.Since(time.Unix(made, 0)) < schemaAge {
			return name, nil
		}
	}
	return "", nil
}

var migrationSum = sync.OnceValues(func() (string, error) {
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, name := range names { // in the order of their names
		text, err := fs.ReadFile(migrations.Files, name)
		if err != nil {
			return "", fmt.Errorf("read a migration: %w", err)
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
})
