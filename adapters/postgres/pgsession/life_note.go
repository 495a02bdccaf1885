package pgsession

import (
	_ "embed"

	"github.com/footnotehq/footnote/core/session"
)

// transcriptsSQL deletes the transcripts (file id $6) of a thread, which counts as read up to $7.
//
//go:embed queries/life_transcripts.sql
var transcriptsSQL string

// overwrittenSQL makes the messages of turn $2 be written again, because attempt $3 of turn $4 may
// have changed them. It does nothing if that attempt is the newest of turn $2 itself.
var overwrittenSQL = eventSQL(session.Overwritten, `update turn t set disturbed = true where tenant_id = $1 and id = $2 and (attempt <> $3 or id <> $4) and {from t}`)

// beingAnswered is true if attempt $3 of turn $2 is the newest, and the turn has no outcome. It is
// false if the question was deleted.
const beingAnswered = `tenant_id = $1 and id = $2 and attempt = $3 and outcome is null and withdrawn_at is null`

// SQL statements for facts that were unknown when a question was accepted. settledSQL stores until
// when a quota is exhausted. completedSQL stores the audience and the asker's name.
// completedFilesSQL stores the same for a turn that is locked.
const (
	settledSQL   = `update turn set pending = pending - 'unsettled', limited_until = $4 where ` + beingAnswered
	completedSQL = `
		with t as (
			update turn set pending = null, principals = $4, asker_name = case when asker_name = '' then $5 else asker_name end
			where ` + beingAnswered + ` and pending is not null returning tenant_id, id
		), q as (
			update message m set author = $5 from t
			where $5 <> '' and m.tenant_id = t.tenant_id and m.turn_id = t.id and m.model_index = -1 and m.ordinal = 0 and m.author = ''
		)
		select count(*) from t`
	completedFilesSQL = `
		update turn set pending = null, principals = $3, asker_name = case when asker_name = '' then $4 else asker_name end
		where tenant_id = $1 and id = $2`
)

// wokenSQL ends the wait of a turn whose deep search waits for a person to start it.
const wokenSQL = `
	update turn set not_before = '-infinity' where tenant_id = $1 and id = $2 and state = 'queued'
		and exists (select from deep_search d where d.tenant_id = $1 and d.turn_id = $2 and d.asked_at is not null)`

// placeAfterSQL moves a waiting turn ($2) behind another turn ($3). $4 is the difference between
// the numbers of both. $5 is the new place in the conversation, or null for the place of the other
// turn.
const placeAfterSQL = `
	update turn t set number = n.number + $4, place = coalesce($5, n.sequence) from turn n
	where t.tenant_id = $1 and t.id = $2 and n.tenant_id = $1 and n.id = $3`

// clearedSQL removes turns from quarantines that no longer exist.
const clearedSQL = `
	update turn t set quarantine = ''
	where ` + quarantinedTurn + ` and not exists (select from quarantine q where q.replica = t.quarantine)`

// quarantinedTurn is true if turn t is in a quarantine and needs work.
const quarantinedTurn = `t.quarantine <> '' and (t.state <> 'done' or t.disturbed)`

// offeredSQL records that a person was offered the answer in private. It changes nothing if this
// was recorded before or a private answer exists.
const offeredSQL = `
	update turn t set offered_at = clock_timestamp() where tenant_id = $1 and id = $2 and offered_at is null
	  and not exists (select from turn d where d.tenant_id = t.tenant_id and d.origin = t.id and d.origin_as = 'private')`

const expiredSQL = `update turn set reply_token = null, reply_expires_at = null where reply_token is not null and reply_expires_at < clock_timestamp() and state = 'done'`

// SQL statements that forget a person ($3) on a platform ($2). forgottenSQL deletes the person's
// turns, with all rows that reference them. The others remove the person's name from stops,
// removals and corrections.
const (
	forgottenSQL = `
		with gone as (
			delete from turn where tenant_id = $1 and platform = $2 and asker_id = $3 returning id, session_id, state, owner
		), unknown as (
			delete from surface_message m using gone where m.tenant_id = $1 and m.turn_id = gone.id
		)
		select id::text, session_id::text, state in ('running', 'delivering') from gone`
	forgottenStopSQL    = `update turn set stop_requested_by = '' where tenant_id = $1 and platform = $2 and stop_requested_by = $3`
	forgottenRemovalSQL = `
		update turn set removed_by = '', removed_by_name = '', removal_reason = '' where tenant_id = $1 and platform = $2 and removed_by = $3`
	forgottenCorrectionSQL = `
		update turn set corrected_by = '', corrected_by_name = '' where tenant_id = $1 and platform = $2 and corrected_by = $3`
)
