package pgindex

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// restoredSQL raises the version counter above all versions that the search engine has seen. The
// increase is random, so that versions differ even if the same backup is restored again.
const restoredSQL = `select setval('search_version', nextval('search_version') + (1e9 * (1 + random()))::bigint)`

// Restored raises the version counter of chunks after the database was restored from a backup. The
// search engine would reject lower versions as outdated. [Index.SweepEngine] corrects its content
// later. Restored may be called again. unfinished is always 0.
func Restored(ctx context.Context, tx pgx.Tx) (unfinished int, err error) {
	if _, err := tx.Exec(ctx, restoredSQL); err != nil {
		return 0, fmt.Errorf("have the search engine take what the backup holds for newer than what it has: %w", err)
	}
	return 0, nil
}
