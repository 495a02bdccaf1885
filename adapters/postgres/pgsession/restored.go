package pgsession

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Restored prepares conversations after the database was restored from a backup. It returns how
// many turns were unfinished in the backup. Repeated calls do no harm.
//
// Such a turn may have been answered after the backup. The replica that resumes the turn therefore
// first searches the chat for its messages, and edits those that it finds.
func Restored(ctx context.Context, tx pgx.Tx) (unfinished int, err error) {
	// Without the replicas of the backup, turns that are too old by now are closed.
	if _, err := tx.Exec(ctx, `delete from replica`); err != nil {
		return 0, fmt.Errorf("delete the replicas of the backup: %w", err)
	}
	tag, err := tx.Exec(ctx, restoredSQL)
	if err != nil {
		return 0, fmt.Errorf("release the turns of the backup: %w", err)
	}
	// A worker searches for a page in state "intended". With the first page that it finds, it
	// searches for all later pages.
	const intend = `
		insert into delivery (tenant_id, turn_id, kind, model, page, platform, workspace, channel, thread, state, attempt)
		select t.tenant_id, t.id, 'page', 0,
			(select coalesce(max(d.page) + 1, 0) from delivery d where d.tenant_id = t.tenant_id and d.turn_id = t.id and d.kind = 'page' and d.model = 0),
			s.platform, s.workspace, s.channel, s.thread, 'intended', t.attempt
		from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id
		where t.state <> 'done' and not exists (
			select from delivery d where d.tenant_id = t.tenant_id and d.turn_id = t.id and d.kind = 'page' and d.model = 0 and d.message = '')`
	if _, err = tx.Exec(ctx, intend); err != nil {
		return 0, fmt.Errorf("mark the messages of unfinished turns: %w", err)
	}
	// Owners of pages may have been asked since. They are not mentioned again.
	if _, err = tx.Exec(ctx, `
		insert into owner_ask (tenant_id, session_id, question, turn_id)
		select t.tenant_id, t.session_id, `+askedQuestion+`, t.id from turn t on conflict do nothing`); err != nil {
		return 0, fmt.Errorf("have no owner of a page asked again: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
