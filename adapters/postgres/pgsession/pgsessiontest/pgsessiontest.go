// Package pgsessiontest stores many questions, for tests of lists of questions.
package pgsessiontest

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
)

// FillQuestions stores n finished questions with their answers, of every outcome. They come from
// five people in seven channels of two platforms, and some are private. The last question was asked
// a second ago.
func FillQuestions(t testing.TB, db *postgres.DB, n int) {
	t.Helper()
	const fill = `
		with made as (
			select n, gen_random_uuid() session, gen_random_uuid() turn, case when n % 3 = 0 then 'discord' else 'slack' end platform, 'W' || n % 2 workspace,
				'C' || n % 7 channel, case when n % 11 = 0 then 'U' || n % 5 else '' end owner, n % 13 = 0 direct, 'U' || n % 5 asker,
				(array['answered', 'no_evidence', 'failed', 'answered', 'declined', 'superseded', null])[1 + n % 7] outcome
			from generate_series(1, $1::int) n
		), s as (
			insert into session (tenant_id, id, platform, workspace, channel, thread, owner, starter, turns)
			select 'default', session, platform, workspace, channel, n::text, owner, '', 1 from made
		), t as (
			insert into turn (tenant_id, id, session_id, number, platform, workspace, state, outcome, attempt, platform_message, asker_id, asker_name,
				principals, direct, intake_at, timings)
			select 'default', turn, session, 1, platform, workspace, case when outcome is null then 'queued' else 'done' end, outcome, 1,
				case when platform = 'discord' and n % 2 = 0 then n::text else '' end, asker, 'Name ' || asker,
				'{}', direct, now() - (1 + $1 - n) * interval '1 second', '{"first_text": 400000, "total": 900000}' from made
		), r as (
			insert into run (tenant_id, turn_id, model_index, model, input_tokens, output_tokens, reasoning, shown, outcome, grounding, sentence, reference, retryable, notices, closest)
			select 'default', turn, 0, 'm', 1000, 100, 0, 'Answer.', outcome, case when n % 4 = 0 then 'uncited' else 'cited' end, '', '', false, '{}', '[]'
			from made where outcome is not null
		), f as (
			insert into feedback (tenant_id, turn_id, person_id, person_name, up, reason) select 'default', turn, 'U9', '', n % 2 = 0, '' from made where n % 5 = 0
		)
		insert into message (tenant_id, id, turn_id, model_index, ordinal, role, author, text, call_id, tokens)
		select 'default', gen_random_uuid(), turn, -1, 0, 'user', '', 'Question ' || n || ' about ' || (array['vacation', 'printers', 'it''s'])[1 + n % 3], '', 4 from made`
	if _, err := db.Pool.Exec(t.Context(), fill, n); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool.Exec(t.Context(), `analyze`); err != nil {
		t.Fatal(err)
	}
}
