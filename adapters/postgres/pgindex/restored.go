package pgindex

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// restoredSQL raises the version counter above every version that the search engine may have. The
// increment is random, so that versions differ after a second restore of the same backup. The
// engine's sums of versions stay exact for about ninety restores.
const restoredSQL = `select setval('search_version', nextval('search_version') + (1e9 * (1 + random()))::bigint)`

// Restored prepares the search engine after the database was restored from a backup. The engine has
// later changes, and would reject lower versions as outdated. Restored therefore raises the version
// counter, and [Index.SweepEngine] repairs the rest. It may be called again. unfinished is always
// 0.
func Restored(ctx context.Context, tx pgx.Tx) (unfinished int, err error) {
	if _, err := tx.Exec(ctx, restoredSQL); err != nil {
		return 0, fmt.Errorf("have the search engine take what the backup holds for newer than what it has: %w", err)
	}
	return 0, nil
}
