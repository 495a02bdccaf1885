// Package pgaccess stores the permissions of sources that have their own permissions: who may read
// what. It stores their nodes, groups and people, and each person's principals. It also stores the
// progress of the loops that read them.
//
// Documents belong to package pgindex. Its searches query the view readable_node for the nodes that
// an audience may read.
package pgaccess

import (
	"context"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/jackc/pgx/v5"
)

var (
	_ index.AccessStore = (*Store)(nil)
	_ access.Grants     = (*Store)(nil)
)

// Store stores permissions in PostgreSQL. It caches nothing, and is safe for concurrent use by any
// number of processes.
type Store struct {
	db *postgres.DB
}

// New returns the Store in db.
func New(db *postgres.DB) *Store { return &Store{db: db} }

// TouchIndex invalidates the permissions that searches have cached for a tenant. It must be the
// last statement of its transaction. It locks index rows in the same order as writers of documents.
func TouchIndex(ctx context.Context, tx pgx.Tx, tenant access.TenantID) error {
	_, err := tx.Exec(ctx, `
		with rows as materialized (select shard from index_shard where tenant_id = $1 order by shard for no key update)
		update index_shard s set next_chunk = s.next_chunk from rows where s.tenant_id = $1 and s.shard = rows.shard`, string(tenant))
	if err != nil {
		return fmt.Errorf("have searches ask again who may read: %w", err)
	}
	return nil
}

// Remove deletes all permissions of a source. Call it in the transaction that removes the source.
func Remove(ctx context.Context, tx pgx.Tx, tenant access.TenantID, source document.SourceID) error {
	batch := &pgx.Batch{}
	for _, statement := range []string{
		`delete from source_access where tenant_id = $1 and source_id = $2`,
		`delete from access_node where tenant_id = $1 and source_id = $2`,
		`delete from access_set_clause c using access_set s where s.tenant_id = $1 and s.source_id = $2 and c.tenant_id = $1 and c.principal = s.principal`,
		`delete from access_set where tenant_id = $1 and source_id = $2`,
		`delete from source_member where tenant_id = $1 and source_id = $2`,
		`delete from source_group where tenant_id = $1 and source_id = $2`,
		`delete from source_person where tenant_id = $1 and source_id = $2`,
		`delete from identity where tenant_id = $1 and source_id = $2`,
	} {
		batch.Queue(statement, string(tenant), string(source))
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("forget who may read source %s: %w", source, err)
	}
	return nil
}

// clean replaces invalid UTF-8 and removes NUL, which PostgreSQL cannot store.
func clean(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "") }

func strs[S ~string](in []S) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = string(s)
	}
	return out
}
