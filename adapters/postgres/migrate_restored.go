package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Restored prepares a database that a backup was put into, before any process works with it, and returns how many turns had no end when the
// backup was made. Each of them may have been answered since, in messages that the backup does not know: the one who takes it up looks for them
// first and edits what it finds, as after any write whose outcome is not known. Roles that were granted what answering needs, and exist here,
// are granted it. A second call does no harm.
func Restored(ctx context.Context, url string) (unfinished int, err error) {
	err = withConn(ctx, url, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			// The replicas of another life hold nothing any more, and were there for nobody: what is too old by now is closed.
			if _, err := tx.Exec(ctx, `delete from replica`); err != nil {
				return err
			}
			// A raised attempt tells that there was one before.
			const handBack = `
				update turn set state = case when outcome is null then 'queued' else 'delivering' end, owner = '', attempt = attempt + 1
				where state <> 'done'`
			tag, err := tx.Exec(ctx, handBack)
			if err != nil {
				return err
			}
			unfinished = int(tag.RowsAffected())
			// A page that was intended is looked for; with the first that is found all that follow it are.
			const intend = `
				insert into delivery (tenant_id, turn_id, kind, model, page, platform, workspace, channel, thread, state, attempt)
				select t.tenant_id, t.id, 'page', 0,
					(select coalesce(max(d.page) + 1, 0) from delivery d where d.tenant_id = t.tenant_id and d.turn_id = t.id and d.kind = 'page' and d.model = 0),
					s.platform, s.workspace, s.channel, s.thread, 'intended', t.attempt
				from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id
				where t.state <> 'done' and not exists (
					select from delivery d where d.tenant_id = t.tenant_id and d.turn_id = t.id and d.kind = 'page' and d.model = 0 and d.message = '')`
			if _, err = tx.Exec(ctx, intend); err != nil {
				return err
			}
			// Backups hold no rights, and a function that is made anew may be called by anybody.
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
