package pgsession_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession/pgsessiontest"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// What reports count and cite is what review.Scope.May lets through.
func TestReportsRespectScope(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	store := pgsession.New(db)
	pgsessiontest.FillQuestions(t, db, 400)
	// each answer cites another document, and every second document is old
	if _, err := db.Pool.Exec(t.Context(), `
		insert into citation (tenant_id, message_id, ordinal, number, model_sees, document_id, source_id, kind, title, url, updated_at, anchor, section, link, quote)
		select tenant_id, id, 0, 1, 1, 'd' || turn_id, 's', 'file', 'T', '', case when row_number() over (order by id) % 2 = 0 then '2020-01-01'::timestamptz else now() end, '', '', '', ''
		from message`); err != nil {
		t.Fatal(err)
	}
	all, err := store.Questions(t.Context(), access.DefaultTenant, review.Scope{Everywhere: true}, review.Query{Limit: 2000})
	if err != nil {
		t.Fatal(err)
	}
	since, until := all[len(all)/2].At, all[len(all)/10].At
	of := slices.DeleteFunc(slices.Clone(all), func(q review.Question) bool { return q.At.Before(since) || !q.At.Before(until) })
	want := make(map[thread.Ref]bool)
	for _, q := range of {
		q.Ref.Thread = ""
		want[q.Ref] = true
	}
	channels, err := store.QuestionChannels(t.Context(), access.DefaultTenant, since, until)
	if err != nil || len(channels) != len(want) || slices.ContainsFunc(channels, func(c thread.Ref) bool { return !want[c] }) {
		t.Errorf("asked in %v, want %v, %v", channels, want, err)
	}
	die, cited := rand.New(rand.NewPCG(1, 2)), 0
	for range 20 {
		var scope review.Scope
		for range die.IntN(5) {
			scope.Channels = append(scope.Channels, access.Channel([]string{"slack", "discord"}[die.IntN(2)], fmt.Sprint("C", die.IntN(7))))
		}
		counts, may := make(map[session.Outcome]int), make(map[document.ID]bool)
		for _, q := range of {
			if scope.May(q) {
				counts[q.Outcome]++
				may[document.ID("d"+string(q.Turn))] = true
			}
		}
		got, err := store.QuestionOutcomes(t.Context(), access.DefaultTenant, scope, since, until)
		if err != nil || !maps.Equal(got, counts) {
			t.Errorf("%+v counts %v, want %v, %v", scope, got, counts, err)
		}
		docs, err := store.CitedBefore(t.Context(), access.DefaultTenant, scope, since, until, time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range docs {
			if cited++; !may[d.ID] || d.UpdatedAt.Year() != 2020 {
				t.Errorf("%+v cites %+v", scope, d)
			}
		}
	}
	if cited == 0 {
		t.Error("nothing is cited: the test says nothing")
	}
}
