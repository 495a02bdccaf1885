package pgsession

import (
	"context"
	"errors"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

// tombstone records what happened to a platform message before it belonged to a turn: who requested
// a stop, and whether the message was deleted.
type tombstone struct {
	by         []string
	privileged bool
	deleted    bool
}

// allowedStopper reports whether a person who requested the stop may stop the turn, and returns
// that person. by is empty if the request is allowed only because a privileged person made it.
func (s tombstone) allowedStopper(asker, starter string) (by string, ok bool) {
	for _, id := range s.by {
		if session.MayStop(session.Stopper{ID: id}, asker, starter) {
			return id, true
		}
	}
	return "", s.privileged
}

// errTaken means that a message already belongs to a turn.
var errTaken = errors.New("the message belongs to a turn")

// claimMessage records that a platform message belongs to a turn, in a role such as "question". It
// returns the message's tombstone. If a question belongs to a turn already, it returns errTaken.
// Messages in other roles move to the new turn.
func claimMessage(ctx context.Context, q postgres.Executor, tenant access.TenantID, at thread.Ref, id thread.MessageID, turn, role string) (tombstone, error) {
	// Waits for a concurrent stop of the same message. Served by the primary key.
	const claim = `
		insert into surface_message as m (tenant_id, platform, workspace, channel, message, turn_id, role) values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (tenant_id, platform, workspace, channel, message) do update set turn_id = excluded.turn_id, role = excluded.role
		where m.turn_id is null or excluded.role <> 'question'
		returning stop_at > clock_timestamp() - $8::bigint * interval '1 microsecond', stop_by, stop_privileged, deleted`
	var s tombstone
	var fresh *bool
	err := q.QueryRow(ctx, claim, tenant, at.Platform, at.Workspace, at.Channel, id, turn, role, session.TombstoneAge.Microseconds()).
		Scan(&fresh, &s.by, &s.privileged, &s.deleted)
	if errors.Is(err, pgx.ErrNoRows) {
		return tombstone{}, errTaken
	}
	if err != nil || fresh == nil || !*fresh {
		return tombstone{}, err
	}
	return s, nil
}
