package pgsession

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/session"
)

// Only the files life*.go contain statements that change a turn. The statements below and in
// life_end.go perform the events of session.Life, in its order. Those in life_note.go store data in
// a turn without changing its state. Callers take the necessary locks and change the other tables.

// eventSQL replaces placeholders for states of turns in a statement, so that the statement allows
// only the transitions of session.Life for the event. t is a table alias.
//
//   - {from t} is true if turn t is in a state in which the event can happen.
//   - {from t running …} is true if turn t is in one of the named states.
//   - {next t} is the state of turn t after the event.
//   - {to done} is the named state.
//
// eventSQL panics if session.Life has no such transition. Statements are built at program start.
func eventSQL(e session.Event, sql string) string {
	return placeholderPattern.ReplaceAllStringFunc(sql, func(text string) string {
		words := strings.Fields(text[1 : len(text)-1])
		switch {
		case words[0] == "to" && len(words) == 2:
			if !slices.ContainsFunc(session.Life, func(w session.Transition) bool { return w.Event == e && w.To == session.State(words[1]) }) {
				panic(fmt.Sprintf("no turn is %s when it was %s", words[1], e))
			}
			return "'" + words[1] + "'"
		case words[0] == "next" && len(words) == 2:
			return nextState(e, words[1])
		case words[0] == "from" && len(words) >= 2:
			return fromStates(e, words[1], words[2:])
		default:
			panic("a statement says " + text)
		}
	})
}

var placeholderPattern = regexp.MustCompile(`\{(?:from|next|to) [^}]*\}`)

// fromStates returns an SQL condition that a turn is in one of the states. Without states, it
// allows all states in which the event can happen.
func fromStates(e session.Event, turn string, states []string) string {
	var all []string
	for _, w := range session.Life {
		if w.Event == e && w.From != "" && !slices.Contains(all, string(w.From)) {
			all = append(all, string(w.From))
		}
	}
	for _, s := range states {
		if !slices.Contains(all, s) {
			panic(fmt.Sprintf("no turn that is %s is %s", s, e))
		}
	}
	if len(states) == 0 {
		states = all
	}
	return turn + ".state in ('" + strings.Join(states, "', '") + "')"
}

func nextState(e session.Event, turn string) string {
	after := make(map[session.State]session.State)
	var moves string
	for _, w := range session.Life {
		if w.Event != e || w.From == "" {
			continue
		}
		if to, known := after[w.From]; known && to != w.To {
			panic(fmt.Sprintf("a turn that is %s is %s or %s when it was %s", w.From, to, w.To, e))
		}
		after[w.From] = w.To
		if w.From != w.To {
			moves += fmt.Sprintf(" when '%s' then '%s'", w.From, w.To)
		}
	}
	if moves == "" {
		return turn + ".state"
	}
	return "case " + turn + ".state" + moves + " else " + turn + ".state end"
}

//go:embed queries/life_asked.sql
var firstQuery string

// askedFirstSQL stores the first question of a thread, with its session, thread and other rows. It
// stores nothing if one of these rows exists.
var askedFirstSQL = eventSQL(session.Asked, firstQuery)

// askedSQL stores the turn of a question. It returns the time of acceptance and the turn's number.
var askedSQL = eventSQL(session.Asked, `
	insert into turn (tenant_id, id, session_id, number, platform_message, asker_id, asker_name, principals, direct,
	                  reply_token, reply_expires_at, stop_requested_at, stop_requested_by, platform, workspace, reason, ambient, limited_until, not_before, agent, place, pending, models,
	                  state)
	values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, case when $12 then clock_timestamp() end, $13, $14, $15,
	        $16, $17, $18, case when $19::bigint > 0 then clock_timestamp() + $19::bigint * interval '1 microsecond' else '-infinity' end, $20, $21, $22, $23,
	        {to queued})
	returning intake_at, number`)

// derivedSQL stores a turn that is derived from another turn ($2). $9 is the kind of derivation. If
// it is "share", the new turn is done at once, with the outcome $10 and the sentence $11.
var derivedSQL = eventSQL(session.Asked, `
	insert into turn (tenant_id, id, session_id, number, platform_message, asker_id, asker_name, principals, direct, reply_token,
		reply_expires_at, platform, workspace, place, origin, origin_as, state, outcome, sentence, disturbed, revision, finished_at, agent, models)
	select tenant_id, $3::uuid, $4::uuid, $5, platform_message, asker_id, asker_name, $6, direct, $7, $8, platform, workspace,
		coalesce(place, sequence), id, $9::text, case when $9 = 'share' then {to done} else {to queued} end, $10, $11, $9 = 'share',
		case when $9 = 'share' then 1 else 0 end, case when $9 = 'share' then clock_timestamp() end, agent, models
	from turn where tenant_id = $1 and id = $2`)

// overtakenSQL closes the waiting turns of a session ($2) in which the bot would answer without
// being asked. A person has asked in the meantime. It returns the closed turns, and whether turns
// with questions later than $3 are waiting. It uses the index turn_unfinished.
var overtakenSQL = eventSQL(session.Overtaken, `
	with closed as (
		update turn t set state = {next t}, outcome = 'declined', attempt = attempt + 1, finished_at = clock_timestamp()
		where tenant_id = $1 and session_id = $2 and {from t} and ambient returning id::text
	)
	select array(select id from closed), exists (select from turn t `+withQuestion+` where t.tenant_id = $1 and t.session_id = $2 and `+isUnbegun+`)`)

//go:embed queries/life_leased.sql
var leaseQuery string

// leasedSQL leases turns to a replica. The file life_leased.sql explains its parameters.
var leasedSQL = eventSQL(session.Leased, strings.ReplaceAll(leaseQuery, "{held up t}", mustWait))

// awaitsStart is true if a person must still start the deep search of turn e. Other questions of
// the thread do not wait for such a turn.
const awaitsStart = `(e.state = 'queued' and e.not_before > statement_timestamp() and exists (
	select from deep_search d where d.tenant_id = e.tenant_id and d.turn_id = e.id and d.asked_at is not null and d.choice is null))`

// mustWait is true if another turn of the session must end before the queued turn t can begin. That
// is an unfinished earlier turn, or a later one that has begun. Earlier turns that wait for a
// person (awaitsStart) do not count. It uses the index turn_unfinished.
const mustWait = `exists (
	select from turn e where e.tenant_id = t.tenant_id and e.session_id = t.session_id and e.state <> 'done'
	  and case when e.number < t.number then not ` + awaitsStart + ` else e.state <> 'queued' end)`

// aheadSQL counts the turns of a session ($2) for which the turn with number $3 must wait. It uses
// the index turn_unfinished.
const aheadSQL = `select count(*) from turn e where e.tenant_id = $1 and e.session_id = $2 and e.number < $3 and e.state <> 'done' and not ` + awaitsStart

// suspectedSQL puts a turn of a dead replica into quarantine, where few turns run at once. $3 is 1
// if no other turn could have caused the death, and 0 otherwise.
var suspectedSQL = eventSQL(session.Leased, `
	update turn t set quarantine = owner, owner = '', attempt = attempt + 1, takeovers = takeovers + 1, lone_deaths = lone_deaths + $3
	where tenant_id = $1 and id = $2 and {from t running delivering done}`)

// handedBackSQL releases a turn. Any replica can lease it after $4 µs. If $4 is not 0, this counts
// as a failure. Later writes of the worker fail, because the attempt number increases.
var handedBackSQL = eventSQL(session.HandedBack, `
	update turn t set state = {next t}, owner = '', attempt = attempt + 1,
		failures = failures + ($4::bigint > 0)::int, not_before = clock_timestamp() + $4::bigint * interval '1 microsecond'
	where tenant_id = $1 and id = $2 and attempt = $3 and {from t} and (state <> 'done' or disturbed)`)

// awaitedSQL releases a turn whose deep search waits until a person starts it. The turn can be
// leased again $4 µs after the search was offered, but at most $5 µs from now. It can be leased
// at once if the person has decided, or if the plan no longer has $6 sub-questions, $7 of them
// dropped. If no search is stored, the delay is 20 s.
var awaitedSQL = eventSQL(session.HandedBack, `
	update turn t set state = {next t}, owner = '', attempt = attempt + 1, quarantine = '', not_before = case
		when t.stop_requested_at is not null or t.edited_text is not null or t.withdrawn_at is not null then '-infinity'
		else coalesce((
			select case when d.choice is not null or ($6, $7) <> (
					select count(*), count(*) filter (where q.state = 'dropped') from deep_question q where q.tenant_id = $1 and q.turn_id = $2) then '-infinity'
				else least(d.asked_at + $4::bigint * interval '1 microsecond', clock_timestamp() + $5::bigint * interval '1 microsecond') end
			from deep_search d where d.tenant_id = $1 and d.turn_id = $2), clock_timestamp() + interval '20 seconds') end
	where tenant_id = $1 and id = $2 and attempt = $3 and {from t running}`)

// SQL statements for a replica that leaves. replicaLeftSQL releases its unfinished turns.
// leftRepairsSQL releases its finished turns whose messages must be written again. They use the
// indexes turn_held and turn_disturbed.
var (
	replicaLeftSQL = eventSQL(session.HandedBack, `
		update turn t set state = {next t}, owner = '', attempt = attempt + 1 where owner = $1 and {from t running delivering}`)
	leftRepairsSQL = eventSQL(session.HandedBack, `
		update turn t set owner = '', attempt = attempt + 1 where owner = $1 and {from t done} and disturbed`)
)

// finishedSQL saves the outcome of an attempt. It returns four conditions: the answer was removed;
// the question was edited and not stopped; the question was edited and stopped; the bot answers
// without being asked.
var finishedSQL = eventSQL(session.Finished, `
	update turn t set outcome = $4, sentence = case when removed_at is null then $5 else '' end, reference = $6, timings = $7, finished_at = clock_timestamp(),
		state = case when $4 = 'superseded' and not exists (
			select from delivery d where d.tenant_id = t.tenant_id and d.turn_id = t.id) then {to done} else {to delivering} end
	where tenant_id = $1 and id = $2 and attempt = $3 and {from t} and (withdrawn_at is null or $4 = 'superseded')
	returning removed_at is not null, edited_text is not null and stop_requested_at is null,
		edited_text is not null and stop_requested_at is not null, ambient and $4 = 'answered'`)

// pendingEdit is true if the question of a turn was edited while its answer is being delivered. It
// is false if a person has stopped the turn or removed the answer.
const pendingEdit = `(edited_text is not null and stop_requested_at is null and removed_at is null and state = 'delivering')`

// isFinalRevision is true if the answer has not changed since the turn was leased.
const isFinalRevision = `(revision = leased_revision and (not disturbed or state = 'done'))`

// deliveredSQL ends a turn after its delivery. If the question was deleted, it also erases the text
// of the answer.
var deliveredSQL = eventSQL(session.Delivered, `
	with d as (
		update turn t set state = {to done}, owner = '', quarantine = '', disturbed = not `+isFinalRevision+`, delivered_at = coalesce(delivered_at, clock_timestamp()),
			undelivered = $4,
			correction = case when withdrawn_at is not null and `+isFinalRevision+` then null else correction end,
			corrected_at = case when withdrawn_at is not null and `+isFinalRevision+` then null else corrected_at end
		where tenant_id = $1 and id = $2 and attempt = $3 and {from t} and not `+pendingEdit+`
		returning tenant_id, id, withdrawn_at is not null and not disturbed as erase
	), said as (
		delete from message m using d where d.erase and m.tenant_id = d.tenant_id and m.turn_id = d.id and m.model_index >= 0
	), ran as (
		delete from run r using d where d.erase and r.tenant_id = d.tenant_id and r.turn_id = d.id
	)
	select count(*) from d`)

var stopAskedSQL = eventSQL(session.StopAsked, `
	update turn t set stop_requested_at = clock_timestamp(), stop_requested_by = $3, not_before = '-infinity'
	where tenant_id = $1 and id = any($2::text[]::uuid[]) and stop_requested_at is null and {from t}
	returning id::text`)

// editedSQL stores the new text of a question, which is applied later. It also ends a wait for a
// quota.
var editedSQL = eventSQL(session.Edited, `
	update turn t set edited_text = $3, edited_files = coalesce($4, edited_files), limited_until = null
	where tenant_id = $1 and id = $2 and {from t}`)

var editedTakenSQL = eventSQL(session.Edited, `update turn t set edited_text = null, edited_files = null where tenant_id = $1 and id = $2 and {from t}`)

// SQL statements that queue a turn again after an edit of its question:
//
//   - editedNumberSQL gives the turn the newest number of its session.
//   - editedBeforeSQL stores the earlier question as a superseded turn.
//   - editedOriginSQL makes the superseded turn the origin of turns derived from the earlier
//     question.
//   - editedAgainSQL queues the turn.
var (
	editedNumberSQL = eventSQL(session.Edited, `update turn t set number = $3 where tenant_id = $1 and id = $2 and {from t}`)
	editedBeforeSQL = eventSQL(session.Edited, `
		insert into turn (tenant_id, id, session_id, number, platform, workspace, state, outcome, attempt, takeovers, platform_message,
			asker_id, asker_name, principals, direct, intake_at, started_at, finished_at, delivered_at, sentence, reference, timings,
			reason, ambient, limited_until, place, agent, models)
		select tenant_id, $3, session_id, $4, platform, workspace, {to done}, 'superseded', attempt, takeovers, '',
			asker_id, asker_name, principals, direct, intake_at, started_at, coalesce(finished_at, clock_timestamp()), delivered_at,
			sentence, reference, timings, reason, ambient, limited_until, coalesce(place, sequence), agent, models
		from turn t where tenant_id = $1 and id = $2 and {from t}`)
	editedOriginSQL = eventSQL(session.Edited, `update turn t set origin = $3 where tenant_id = $1 and origin = $2 and origin_as <> 'retry' and {from t}`)
	editedAgainSQL  = eventSQL(session.Edited, `
		update turn t set number = $3, state = {to queued}, outcome = null, attempt = attempt + 1, takeovers = 0, lone_deaths = 0, failures = 0, quarantine = '', owner = '', not_before = '-infinity',
			intake_at = clock_timestamp(), started_at = null, finished_at = null, delivered_at = null, disturbed = false,
			stop_requested_at = null, stop_requested_by = '', sentence = '', undelivered = '', reference = '', timings = '{}',
			ambient = ambient and not exists (select from delivery d where d.tenant_id = t.tenant_id and d.turn_id = t.id),
			edited_text = null, edited_files = null, offered_at = null, place = coalesce(place, sequence)
		where tenant_id = $1 and id = $2 and {from t delivering done}`)
)
