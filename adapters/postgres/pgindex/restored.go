package pgindex

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// restoredSQL raises the version counter above every version that the engine may have received
// after the backup. The increment is random. Versions after a second restore of the same backup
// therefore differ from those after the first. The engine sums 65,536 versions at a time in 64-bit
// floating point. The sums are exact for about ninety restores.
const restoredSQL = `select setval('search_version', nextval('search_version') + (1e9 * (1 + random()))::bigint)`

// Restored prepares the search engine after a backup was restored. The engine has later changes
// than the database, and would reject lower versions as outdated. Restored raises the version
// counter, and [Index.SweepEngine] repairs the rest. Restored may be called again. unfinished is
// always 0.
func Restored(ctx context.Context, tx pgx.Tx) (unfinished int, err error) {
	if _, err := tx.Exec(ctx, restoredSQL); err != nil {
		return 0, fmt.Errorf("have the search engine take what the backup holds for newer than what it has: %w", err)
	}
	return 0, nil
}
