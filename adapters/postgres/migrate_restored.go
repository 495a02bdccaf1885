package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Restored prepares a database restored from a backup, before any process uses it. It calls each
// room in one transaction, and grants prepared roles that exist here their rights again. A room
// returns how many questions were unfinished when the backup was made, and unfinished is their sum.
// A second call does no harm.
func Restored(ctx context.Context, url string, rooms ...func(context.Context, pgx.Tx) (int, error)) (unfinished int, err error) {
	err = withConn(ctx, url, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			for _, room := range rooms {
				n, err := room(ctx, tx)
				if err != nil {
					return err
				}
				unfinished += n
			}
			// Backups hold no rights, and everyone may call a function that is made again.
			return closeFunctions(ctx, tx)
		})
	})
	if err == nil {
		err = grantAgain(ctx, url)
	}
	if err != nil {
		return 0, fmt.Errorf("prepare the restored database: %w", err)
	}
	return unfinished, nil
}
