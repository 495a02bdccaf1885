package pgindex

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// restoredSQL gives later versions a lead over all that the engine may have been told after the
// backup was made. Its length is random. So what is written after a second restore of the same
// backup has other versions than what was written after the first. The engine sums versions up in
// 64-bit floating point, 65,536 at a time: some ninety restores pass before such a sum is not
// exact.
const restoredSQL = `select setval('search_version', nextval('search_version') + (1e9 * (1 + random()))::bigint)`

// Restored is what has to be done about the search engine after a backup was put into a database:
// it knows of changes that the database does not, and takes what comes with a lower version for
// old. The rest is found by the comparison (SweepEngine). A second call does no harm. Of questions
// it knows nothing.
func Restored(ctx context.Context, tx pgx.Tx) (unfinished int, err error) {
	if _, err := tx.Exec(ctx, restoredSQL); err != nil {
		return 0, fmt.Errorf("have the search engine take what the backup holds for newer than what it has: %w", err)
	}
	return 0, nil
}
