package pgsession

import "github.com/footnotehq/footnote/core/session"

// withdrawnSQL records that the question of turns ($2) was deleted. Turns without a running attempt
// end as superseded, with the sentence $3. Turns with visible messages are delivered again, to
// change the messages.
var withdrawnSQL = eventSQL(session.Withdrawn, `
	update turn t set withdrawn_at = coalesce(withdrawn_at, clock_timestamp()), edited_text = null, edited_files = null, pending = null,
		state = {next t}, attempt = attempt + (state = 'queued')::int, revision = revision + (state <> 'running')::int,
		outcome = case when state = 'running' then outcome else 'superseded' end,
		sentence = case when state = 'running' then sentence else $3 end,
		finished_at = case when state = 'running' then finished_at else coalesce(finished_at, clock_timestamp()) end,
		disturbed = case when state = 'running' then disturbed
			else state = 'delivering' or exists (select from delivery d where d.tenant_id = t.tenant_id and d.turn_id = t.id) end
	where tenant_id = $1 and id = any($2::text[]::uuid[]) and {from t}`)

// withdrawnEraseSQL deletes the answers and the searches of turns ($2) whose question was deleted.
// It skips turns whose messages must still be written.
var withdrawnEraseSQL = eventSQL(session.Withdrawn, `
	with gone as (
		update turn t set correction = null, corrected_at = null, corrected_by = '', corrected_by_name = ''
		where tenant_id = $1 and id = any($2::text[]::uuid[]) and withdrawn_at is not null and {from t done} and not disturbed
		returning id
	), said as (
		delete from message m using gone where m.tenant_id = $1 and m.turn_id = gone.id and m.model_index >= 0
	)
	delete from run r using gone where r.tenant_id = $1 and r.turn_id = gone.id`)

// editedEraseSQL deletes the texts of the turns that an edited turn ($2) replaced: questions,
// answers and searches. Shared copies remain. It uses the index turn_place.
var editedEraseSQL = eventSQL(session.Edited, `
	with before as (
		select e.id from turn t join turn e on e.tenant_id = t.tenant_id and e.session_id = t.session_id
			and coalesce(e.place, e.sequence) = coalesce(t.place, t.sequence) and e.id <> t.id
			and e.origin_as is distinct from 'share'
		where t.tenant_id = $1 and t.id = $2
	), corrected as (
		update turn t set correction = null, corrected_at = null, corrected_by = '', corrected_by_name = '' from before
		where t.tenant_id = $1 and t.id = before.id and t.correction is not null
	), asked as (
		update message m set text = '', tokens = 0 from before where m.tenant_id = $1 and m.turn_id = before.id and m.model_index = -1 returning m.id
	), sent as (
		delete from message_file f using asked where f.tenant_id = $1 and f.message_id = asked.id
	), said as (
		delete from message m using before where m.tenant_id = $1 and m.turn_id = before.id and m.model_index >= 0
	)
	delete from run r using before where r.tenant_id = $1 and r.turn_id = before.id`)

// removedSQL removes an answer from all turns ($2) that show it. It returns the turns, and whether
// each is running. Waiting turns do not start. For running turns, Finish later returns
// session.ErrRemoved.
var removedSQL = eventSQL(session.Removed, `
	update turn t set removed_at = clock_timestamp(), removed_by = $3, removed_by_name = $4, removal_reason = $5,
		correction = null, corrected_at = null, corrected_by = '', corrected_by_name = '', sentence = '',
		stop_requested_at = case when outcome is null then coalesce(stop_requested_at, clock_timestamp()) else stop_requested_at end,
		outcome = case when state = 'queued' then 'stopped' else outcome end,
		finished_at = case when state = 'queued' then clock_timestamp() else finished_at end,
		state = {next t},
		revision = revision + 1, disturbed = replaced_by is null and (outcome is distinct from 'superseded' or exists (
			select from delivery d where d.tenant_id = t.tenant_id and d.turn_id = t.id))
	where tenant_id = $1 and id = any($2::text[]::uuid[]) and removed_at is null and {from t}
	returning id::text, state = 'running'`)

// removedShownSQL deletes the answer of a turn ($2) after a person deleted a message of it. It also
// deletes the earlier answers that this answer replaced.
var removedShownSQL = eventSQL(session.Removed, `
	with gone as (
		update turn e set removed_at = clock_timestamp(), sentence = '', correction = null, corrected_at = null, corrected_by = '', corrected_by_name = ''
		from turn t where t.tenant_id = $1 and t.id = $2 and e.tenant_id = t.tenant_id and e.session_id = t.session_id
		  and coalesce(e.place, e.sequence) = coalesce(t.place, t.sequence) and {from e done}
		returning e.id
	), said as (
		delete from message m using gone where m.tenant_id = $1 and m.turn_id = gone.id and m.model_index >= 0
	)
	delete from run r using gone where r.tenant_id = $1 and r.turn_id = gone.id`)

// SQL statements for actions on the answer of a turn ($2). correctedSQL stores a correction, and
// keptSQL that a private answer stays private. resentSQL makes the answer be posted again.
// replacedSQL records the turn that replaces this one.
var (
	correctedSQL = eventSQL(session.Revised, `
		update turn t set correction = $3, corrected_at = clock_timestamp(), corrected_by = $4, corrected_by_name = $5,
			revision = revision + 1, disturbed = true
		where tenant_id = $1 and id = $2 and {from t}`)
	keptSQL   = eventSQL(session.Revised, `update turn t set kept_at = clock_timestamp() where tenant_id = $1 and id = $2 and {from t}`)
	resentSQL = eventSQL(session.Revised, `
		update turn t set reply_token = null, reply_expires_at = null, revision = revision + 1, disturbed = true
		where tenant_id = $1 and id = $2 and {from t}`)
	replacedSQL = eventSQL(session.Revised, `update turn t set replaced_by = $3::uuid, disturbed = false where tenant_id = $1 and id = $2 and {from t}`)
)

// orphanedSQL ends turns that no replica can deliver, such as those of a closed terminal. For each
// turn it returns whether the turn had no outcome before and is now superseded.
var orphanedSQL = eventSQL(session.Orphaned, `
	update turn t set state = {next t}, outcome = coalesce(t.outcome, 'superseded'), owner = '', attempt = t.attempt + 1,
		finished_at = coalesce(t.finished_at, clock_timestamp())
	from (select t.tenant_id, t.id, t.outcome is null as open from turn t
		where {from t} and t.intake_at < clock_timestamp() - $1::bigint * interval '1 microsecond'
		  and t.owner not in (select id from replica where expires_at > clock_timestamp()) order by t.id for update) o
	where t.tenant_id = o.tenant_id and t.id = o.id
	returning t.tenant_id, t.id::text, o.open`)

// restoredSQL releases all unfinished turns of a restored backup. It increases their attempt
// number, because an earlier attempt may have written messages.
var restoredSQL = eventSQL(session.Restored, `update turn t set state = {next t}, owner = '', attempt = attempt + 1 where {from t}`)
