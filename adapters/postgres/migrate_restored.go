package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Restored prepares a database that was restored from a backup. It must be called before any
// process uses the database, and may be called again.
//
// It runs repairs in one transaction, and repeats [Grant] for the roles that have been granted
// rights before. Each repair returns a number of unfinished questions, and Restored returns their
// sum.
func Restored(ctx context.Context, url string, repairs ...func(context.Context, pgx.Tx) (int, error)) (unfinished int, err error) {
	err = withConn(ctx, url, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			for _, room := range repairs {
				n, err := room(ctx, tx)
				if err != nil {
					return err
				}
				unfinished += n
			}
			// A backup contains no rights, and everyone may call a newly created function.
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
