// Package migrations holds the database schema, one numbered change per file, embedded in the
// binary. Files are never edited after they have been released: a change is a new file (expand,
// migrate, contract).
package migrations

import "embed"

// Files are the goose migrations.
//
//go:embed *.sql
var Files embed.FS
