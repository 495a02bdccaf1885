package pgsession

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

type questionRow struct {
	ID                                   string
	At                                   time.Time
	Platform, Workspace, Channel, Thread string
	Owner                                string
	Direct, Enclosed                     bool
	AskerID, AskerName                   string
	Outcome, Text                        string
	FirstMicros, TotalMicros             int64
	Up, Down                             int
	Retried, Corrected, Removed, Uncited bool
}

const questionColumns = `
	select t.id::text, t.intake_at, s.platform, s.workspace, s.channel, s.thread, s.owner, t.direct, ` + isEnclosed + `, t.asker_id, t.asker_name,
		coalesce(t.outcome, ''), q.text, coalesce((t.timings->>'first_text')::bigint, 0), coalesce((t.timings->>'total')::bigint, 0),
		(select count(*)::int from feedback f where f.tenant_id = t.tenant_id and f.turn_id = t.id and f.up),
		(select count(*)::int from feedback f where f.tenant_id = t.tenant_id and f.turn_id = t.id and not f.up),
		` + isRetry + `, t.corrected_at is not null, t.removed_at is not null, ` + isUncited

// SQL conditions on turn t. isRetry is true if turn t is a retry of another turn.
const (
	isRetry = `t.origin_as = 'retry' is true`
	// isUncited is true if models answered but none cited a document.
	isUncited = `coalesce((select bool_or(r.grounding = 'uncited') and not bool_or(r.grounding = 'cited')
		from run r where r.tenant_id = t.tenant_id and r.turn_id = t.id), false)`
)

// isListed is true if turn t counts as a question. It excludes shared copies, and turns that were
// replaced, deleted, superseded or declined.
const isListed = ` t.replaced_by is null and t.origin_as is distinct from 'share' and t.withdrawn_at is null
	and t.outcome is distinct from 'superseded' and t.outcome is distinct from 'declined'`

// SQL conditions that express [review.Scope.May]. A test compares the results of both.
const (
	ownQuestion    = ` ($2::text <> '' and t.asker_id = $2 and s.platform = $3 and ($4 = '' or s.workspace = $4) and s.owner in ('', $2))`
	sharedQuestion = ` (s.owner = '' and not t.direct)`
	// isEnclosed is review.Question.Enclosed as an SQL condition. A Discord thread counts as
	// enclosed unless it was opened from a message, whose id it then has. "count(*) = 0" is much
	// faster here than "not exists". See
	// https://docs.discord.com/developers/topics/threads#private-threads
	isEnclosed = ` (s.platform = 'discord' and (
		select count(*) = 0 from turn o where o.tenant_id = s.tenant_id and o.session_id = s.id and o.platform_message = s.thread))`
	isVisible = ` (` + ownQuestion + ` or t.id = any($7::text[]::uuid[]) or ` + sharedQuestion + ` and ($5 or 'channel:' || s.platform || ':' || s.channel = any($6::text[]) and not` + isEnclosed + `))`
)

func scopeArgs(tenant access.TenantID, s review.Scope) []any {
	channels := make([]string, len(s.Channels))
	for i, c := range s.Channels {
		channels[i] = string(c)
	}
	revealed := make([]string, len(s.Revealed))
	for i, id := range s.Revealed {
		revealed[i] = string(id)
	}
	return []any{tenant, postgres.Storable(s.Person.ID), s.Person.Platform, s.Person.Workspace.ID, s.Everywhere, channels, revealed}
}

// Questions implements review.Store. It returns the questions that scope allows and q selects,
// newest first.
func (s *Store) Questions(ctx context.Context, tenant access.TenantID, scope review.Scope, q review.Query) ([]review.Question, error) {
	var found []review.Question
	err := s.db.InTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		common, err := commonWords(ctx, tx, textQuery(q.Text))
		if err != nil {
			return err
		}
		// Served by turn_intake, newest first, or by message_question if few questions contain the
		// words. PostgreSQL cannot estimate how many questions contain them.
		where, args := questionFilter(scopeArgs(tenant, scope), q, common)
		limit := fmt.Sprintf(" order by t.intake_at desc, t.id desc limit $%d", len(args)+1)
		where, args = ` where t.tenant_id = $1 and`+isListed+` and`+isVisible+where+limit, append(args, cmp.Or(q.Limit, review.PageSize))
		if common {
			if _, err := tx.Exec(ctx, `set local enable_bitmapscan = off; set local enable_sort = off; set local jit = off`); err != nil {
				return err
			}
		}
		found, err = loadQuestions(ctx, tx, where, args...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list questions: %w", err)
	}
	return found, nil
}

// manyMatches is the number of matches from which the words of a query count as common. Such a
// query reads questions newest first, and does not use the text index.
const manyMatches = 2000

func commonWords(ctx context.Context, q postgres.Executor, words string) (bool, error) {
	if words == "" {
		return false, nil
	}
	var n int
	err := q.QueryRow(ctx, `select count(*) from (select from message q where q.model_index = -1 and q.ordinal = 0 and `+questionText+` @@ to_tsquery('simple', $1) limit $2) m`,
		words, manyMatches).Scan(&n)
	return n == manyMatches, err
}

const questionText = `to_tsvector('simple', left(q.text, 20000))`

// questionFilter returns the SQL conditions of a query, and args with their arguments appended.
// common is true if many questions contain the query's words.
func questionFilter(args []any, q review.Query, common bool) (where string, all []any) {
	var b strings.Builder
	add := func(condition string, values ...any) {
		numbers := make([]any, len(values))
		for i := range values {
			numbers[i] = len(args) + i + 1
		}
		args = append(args, values...)
		fmt.Fprintf(&b, " and "+condition, numbers...)
	}
	if !q.Since.IsZero() {
		add("t.intake_at >= $%d", q.Since)
	}
	if !q.Until.IsZero() {
		add("t.intake_at < $%d", q.Until)
	}
	if q.Outcome != "" {
		add("t.outcome = $%d", postgres.Storable(string(q.Outcome)))
	}
	if q.Person != "" {
		add("$%[1]d in (t.asker_id, t.asker_name)", postgres.Storable(q.Person))
	}
	if q.Channel != "" {
		add("s.channel = $%d", postgres.Storable(q.Channel))
	}
	if words := textQuery(q.Text); words != "" {
		has := questionText + " @@ to_tsquery('simple', $%d)"
		if !common { // the array is made once, by the index
			has = "t.id = any(array(select q.turn_id from message q where q.tenant_id = $1 and q.model_index = -1 and q.ordinal = 0 and " + has + "))"
		}
		add(has, words)
	}
	if q.Unsatisfying {
		add(`(t.outcome = 'no_evidence' or t.corrected_at is not null or ` + isRetry + ` or t.outcome = 'answered' and ` + isUncited + `
			or exists (select from feedback f where f.tenant_id = t.tenant_id and f.turn_id = t.id and not f.up))`)
	}
	if !q.Before.At.IsZero() && postgres.IsID(string(q.Before.Turn)) {
		add("(t.intake_at, t.id) < ($%d, $%d::text::uuid)", q.Before.At, string(q.Before.Turn))
	}
	return b.String(), args
}

// textQuery returns a full-text query that requires all words of a text, each as a prefix.
func textQuery(text string) string {
	words := strings.FieldsFunc(postgres.Storable(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for i, w := range words {
		words[i] = "'" + w + "':*"
	}
	return strings.Join(words, " & ")
}

func loadQuestions(ctx context.Context, q postgres.Executor, where string, args ...any) ([]review.Question, error) {
	rows, err := postgres.QueryAll[questionRow](ctx, q, questionColumns+` from turn t`+turnJoins+where, args...)
	if err != nil {
		return nil, err
	}
	found := make([]review.Question, len(rows))
	for i, r := range rows {
		found[i] = review.Question{
			Turn: session.TurnID(r.ID), At: r.At.UTC(), Owner: r.Owner, Direct: r.Direct, Enclosed: r.Enclosed, Text: r.Text, Outcome: session.Outcome(r.Outcome),
			Ref:        thread.Ref{Platform: thread.Platform(r.Platform), Workspace: r.Workspace, Channel: r.Channel, Thread: r.Thread},
			Asker:      thread.Person{ID: r.AskerID, Name: r.AskerName},
			FirstWords: time.Duration(r.FirstMicros) * time.Microsecond, Took: time.Duration(r.TotalMicros) * time.Microsecond,
			Up: r.Up, Down: r.Down, Retried: r.Retried, Corrected: r.Corrected, Removed: r.Removed, Uncited: r.Uncited,
		}
	}
	return found, nil
}

// maxConversation limits the questions that Conversation returns to the newest ones.
const maxConversation = 200

// Conversation implements review.Store. It returns the questions in the session of a turn, oldest
// first. It does not check permissions.
func (s *Store) Conversation(ctx context.Context, tenant access.TenantID, id session.TurnID) ([]review.Question, error) {
	if !postgres.IsID(string(id)) {
		return nil, nil
	}
	// Served by turn's primary key, then by its unique (tenant_id, session_id, number).
	found, err := loadQuestions(ctx, s.db.Pool, `
		where t.tenant_id = $1 and t.session_id = (select session_id from turn where tenant_id = $1 and id = $2) and`+isListed+`
		order by t.id = $2 desc, t.number desc limit $3`, tenant, id, maxConversation)
	if err != nil {
		return nil, fmt.Errorf("load the conversation of question %s: %w", id, err)
	}
	review.Sort(found)
	return found, nil
}

// QuestionCounts counts the questions of a period in three groups: visible ones, hidden private
// ones, and hidden public ones. scope says which questions are visible.
func (s *Store) QuestionCounts(ctx context.Context, tenant access.TenantID, scope review.Scope, since, until time.Time) (review.Counts, error) {
	where, args := questionFilter(scopeArgs(tenant, scope), review.Query{Since: since, Until: until}, false)
	var c review.Counts
	err := s.db.Pool.QueryRow(ctx, `
		select count(*) filter (where seen), count(*) filter (where not seen and not shared), count(*) filter (where not seen and shared) from (
			select `+isVisible+` as seen, `+sharedQuestion+` as shared from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id
			where t.tenant_id = $1 and`+isListed+where+`) q`, args...).Scan(&c.Seen, &c.Private, &c.Hidden)
	if err != nil {
		return c, fmt.Errorf("count questions: %w", err)
	}
	return c, nil
}

// QuestionChannels lists the channels with public questions in a period.
func (s *Store) QuestionChannels(ctx context.Context, tenant access.TenantID, since, until time.Time) ([]thread.Ref, error) {
	type row struct{ Platform, Workspace, Channel string }
	// Served by turn_intake.
	rows, err := postgres.QueryAll[row](ctx, s.db.Pool, `
		select distinct s.platform, s.workspace, s.channel from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id
		where t.tenant_id = $1 and t.intake_at >= $2 and t.intake_at < $3 and`+isListed+` and`+sharedQuestion, tenant, since, until)
	if err != nil {
		return nil, fmt.Errorf("list the channels of questions: %w", err)
	}
	found := make([]thread.Ref, len(rows))
	for i, r := range rows {
		found[i] = thread.Ref{Platform: thread.Platform(r.Platform), Workspace: r.Workspace, Channel: r.Channel}
	}
	return found, nil
}

// QuestionOutcomes counts the questions of a period that scope may see, by outcome. Unfinished
// questions have the empty outcome.
func (s *Store) QuestionOutcomes(ctx context.Context, tenant access.TenantID, scope review.Scope, since, until time.Time) (map[session.Outcome]int, error) {
	type row struct {
		Outcome string
		N       int
	}
	where, args := questionFilter(scopeArgs(tenant, scope), review.Query{Since: since, Until: until}, false)
	rows, err := postgres.QueryAll[row](ctx, s.db.Pool, `
		select coalesce(t.outcome, ''), count(*)::int from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id
		where t.tenant_id = $1 and`+isListed+` and`+isVisible+where+` group by 1`, args...)
	if err != nil {
		return nil, fmt.Errorf("count the outcomes of questions: %w", err)
	}
	counts := make(map[session.Outcome]int, len(rows))
	for _, r := range rows {
		counts[session.Outcome(r.Outcome)] = r.N
	}
	return counts, nil
}

const maxCited = 50

// CitedBefore lists up to maxCited documents that answers of a period cite, and that were last
// changed before the time before. It lists the oldest first. The caller must check who may read the
// documents.
func (s *Store) CitedBefore(ctx context.Context, tenant access.TenantID, scope review.Scope, since, until, before time.Time) ([]document.Ref, error) {
	type row struct {
		ID, Source, Kind, Title, URL string
		Updated                      time.Time
	}
	where, args := questionFilter(scopeArgs(tenant, scope), review.Query{Since: since, Until: until}, false)
	args = append(args, before, maxCited)
	rows, err := postgres.QueryAll[row](ctx, s.db.Pool, fmt.Sprintf(`
		select document_id, source_id, kind, title, url, updated_at from (
			select distinct on (c.document_id) c.document_id, c.source_id, c.kind, c.title, c.url, c.updated_at
			from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id
			join message m on m.tenant_id = t.tenant_id and m.turn_id = t.id join citation c on c.tenant_id = m.tenant_id and c.message_id = m.id
			where t.tenant_id = $1 and t.removed_at is null and c.updated_at is not null and`+isListed+` and`+isVisible+where+`
			order by c.document_id, t.intake_at desc) d
		where updated_at < $%d order by updated_at, document_id limit $%d`, len(args)-1, len(args)), args...)
	if err != nil {
		return nil, fmt.Errorf("list cited documents: %w", err)
	}
	found := make([]document.Ref, len(rows))
	for i, r := range rows {
		found[i] = document.Ref{
			ID: document.ID(r.ID), Source: document.SourceID(r.Source), Kind: document.Kind(r.Kind), Title: r.Title, URL: r.URL, UpdatedAt: r.Updated.UTC(),
		}
	}
	return found, nil
}

// QuestionDays counts the questions of each UTC day from since on, newest day first.
func (s *Store) QuestionDays(ctx context.Context, tenant access.TenantID, since time.Time) ([]review.Day, error) {
	type row struct {
		Day        time.Time
		Outcomes   map[session.Outcome]int
		Half, Most float64
	}
	// Served by turn_intake.
	rows, err := postgres.QueryAll[row](ctx, s.db.Pool, `
		select day, jsonb_object_agg(outcome, n), coalesce(max(half), 0), coalesce(max(most), 0) from (
			select date_trunc('day', t.intake_at, 'UTC') as day, coalesce(t.outcome, 'waiting') as outcome, count(*) as n,
				percentile_cont(0.5) within group (order by (t.timings->>'first_text')::float8) filter (where t.outcome = 'answered') as half,
				percentile_cont(0.95) within group (order by (t.timings->>'first_text')::float8) filter (where t.outcome = 'answered') as most
			from turn t where t.tenant_id = $1 and t.intake_at >= $2 and`+isListed+` group by 1, 2) d
		group by day order by day desc`, tenant, since)
	if err != nil {
		return nil, fmt.Errorf("count the questions of days: %w", err)
	}
	days := make([]review.Day, len(rows))
	for i, r := range rows {
		days[i] = review.Day{
			Day: r.Day.UTC(), Outcomes: r.Outcomes, Half: time.Duration(r.Half) * time.Microsecond, Most: time.Duration(r.Most) * time.Microsecond,
		}
		for _, n := range r.Outcomes {
			days[i].Asked += n
		}
	}
	return days, nil
}
