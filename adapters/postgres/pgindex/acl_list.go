package pgindex

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

// sortedACL returns an access list as stored: sorted and without duplicates.
func sortedACL(acl access.ACL) []string {
	out := strs(acl)
	slices.Sort(out)
	return slices.Compact(out)
}

// aclKey returns a map key for an access list. principals must be sorted.
func aclKey(principals []string) string { return strings.Join(principals, "\x00") }

func internACLs(ctx context.Context, tx pgx.Tx, tenant access.TenantID, entries []*preparedEntry) (map[string]int32, error) {
	lists := make(map[string][]string)
	for _, p := range entries {
		acl := sortedACL(p.Document.ACL)
		lists[aclKey(acl)] = acl
	}
	return internLists(ctx, tx, tenant, lists)
}

// internLists stores the access lists that are not stored yet. It returns the number of each list.
// The keys of both maps are from aclKey.
func internLists(ctx context.Context, tx pgx.Tx, tenant access.TenantID, lists map[string][]string) (map[string]int32, error) {
	byDigest := make(map[string]string, len(lists))
	var digests [][]byte
	batch := &pgx.Batch{}
	for _, key := range sortedKeys(lists) {
		sum := sha256.Sum256([]byte(key))
		byDigest[string(sum[:])] = key
		digests = append(digests, sum[:])
		batch.Queue(`insert into access_list (tenant_id, digest, principals) values ($1, $2, $3::text[]) on conflict do nothing`,
			string(tenant), sum[:], lists[key])
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("store access lists: %w", err)
	}
	rows, err := tx.Query(ctx, `select digest, number from access_list where tenant_id = $1 and digest = any($2::bytea[])`, string(tenant), digests)
	if err != nil {
		return nil, fmt.Errorf("read access lists: %w", err)
	}
	numbers := make(map[string]int32, len(lists))
	var digest []byte
	var number int32
	if _, err := pgx.ForEachRow(rows, []any{&digest, &number}, func() error {
		numbers[byDigest[string(digest)]] = number
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read access lists: %w", err)
	}
	return numbers, nil
}
