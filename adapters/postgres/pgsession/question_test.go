package pgsession_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession/pgsessiontest"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
)

// What a store lists is what review.Scope.May lets through, for every viewer, and filters do what
// they say.
func TestQuestionsRespectScope(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	store := pgsession.New(db)
	pgsessiontest.FillQuestions(t, db, 1001)
	all, err := store.Questions(t.Context(), access.DefaultTenant, review.Scope{Everywhere: true}, review.Query{Limit: 2000})
	if err != nil {
		t.Fatal(err)
	}
	for _, owner := range []string{"U0", "U1", "U2", "U3", "U4"} { // private ones, each seen by its owner
		for _, platform := range []string{"slack", "discord"} {
			own, err := store.Questions(t.Context(), access.DefaultTenant, review.Scope{Person: person(platform, "", owner)}, review.Query{Limit: 2000})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, slices.DeleteFunc(own, func(q review.Question) bool { return !q.Private() })...)
		}
	}
	die := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		scope := review.Scope{Everywhere: die.IntN(6) == 0}
		if die.IntN(4) > 0 {
			scope.Person = person([]string{"slack", "discord"}[die.IntN(2)], []string{"", "W0", "W1"}[die.IntN(3)], fmt.Sprint("U", die.IntN(5)))
		}
		for range die.IntN(3) {
			scope.Channels = append(scope.Channels, access.Channel([]string{"slack", "discord"}[die.IntN(2)], fmt.Sprint("C", die.IntN(7))))
		}
		for range die.IntN(3) {
			scope.Revealed = append(scope.Revealed, all[die.IntN(len(all))].Turn)
		}
		query, keep := randomQuery(die)
		got, err := store.Questions(t.Context(), access.DefaultTenant, scope, query)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, q := range all {
			if scope.May(q) && keep(q) {
				want++
			}
		}
		if len(got) != want {
			t.Errorf("%+v with %+v lists %d questions, want %d", scope, query, len(got), want)
		}
		for _, q := range got {
			if !scope.May(q) || !keep(q) {
				t.Errorf("%+v with %+v lists %+v", scope, query, q)
			}
		}
		counts, err := store.QuestionCounts(t.Context(), access.DefaultTenant, scope, time.Time{}, time.Time{})
		private := 0
		for _, q := range all {
			if q.Private() && !scope.May(q) {
				private++
			}
		}
		if err != nil || counts.Private != private || counts.Seen+counts.Private+counts.Hidden != len(all) {
			t.Errorf("%+v counts %+v, want %d private of %d: %v", scope, counts, private, len(all), err)
		}
	}
}

func person(platform, workspace, id string) access.Account {
	return access.Account{Workspace: access.Workspace{Platform: platform, ID: workspace}, ID: id}
}

func randomQuery(die *rand.Rand) (review.Query, func(review.Question) bool) {
	q := review.Query{Limit: 2000}
	switch die.IntN(6) {
	case 0:
		q.Outcome = session.NoEvidence
		return q, func(r review.Question) bool { return r.Outcome == session.NoEvidence }
	case 1:
		q.Person = "Name U3"
		return q, func(r review.Question) bool { return r.Asker.ID == "U3" }
	case 2:
		q.Channel = "C4"
		return q, func(r review.Question) bool { return r.Ref.Channel == "C4" }
	case 3:
		q.Text = "print' QUEST"
		return q, func(r review.Question) bool { return strings.Contains(r.Text, "printers") }
	case 4:
		q.Unsatisfying = true
		return q, review.Question.Unsatisfying
	default:
		return q, func(review.Question) bool { return true }
	}
}

// Pages of the list follow one another without a gap, and words that mean something to a search
// are words.
func TestQuestionsArePaged(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	store := pgsession.New(db)
	pgsessiontest.FillQuestions(t, db, 200)
	whole, err := store.Questions(t.Context(), access.DefaultTenant, review.Scope{Everywhere: true}, review.Query{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	var paged []review.Question
	for q := (review.Query{Limit: 7}); ; {
		page, err := store.Questions(t.Context(), access.DefaultTenant, review.Scope{Everywhere: true}, q)
		if err != nil {
			t.Fatal(err)
		}
		if paged = append(paged, page...); len(page) < q.Limit {
			break
		}
		q.Before = review.Cursor{At: page[6].At, Turn: page[6].Turn}
	}
	if !slices.Equal(paged, whole) {
		t.Errorf("the pages have %d questions, the list %d", len(paged), len(whole))
	}
	for _, text := range []string{"it's", "a & | ! ( :* <-> 'x", "\x00", strings.Repeat("x", 100_000), "'", `\`} {
		if _, err := store.Questions(t.Context(), access.DefaultTenant, review.Scope{Everywhere: true}, review.Query{Text: text}); err != nil {
			t.Errorf("looking for %.20q: %v", text, err)
		}
	}
	for _, text := range []string{"\x00", "\xff"} { // as addresses of pages may have them
		q := review.Query{Outcome: session.Outcome(text), Person: text, Channel: text, Before: review.Cursor{At: time.Now(), Turn: session.TurnID(text)}}
		if found, err := store.Questions(t.Context(), access.DefaultTenant, review.Scope{Everywhere: true}, q); err != nil || len(found) > 0 {
			t.Errorf("filters %q: %d questions, %v", text, len(found), err)
		}
	}
	if found, err := store.Questions(t.Context(), "other", review.Scope{Everywhere: true}, review.Query{}); err != nil || len(found) > 0 {
		t.Errorf("another tenant sees %d questions: %v", len(found), err)
	}
	talk, err := store.Conversation(t.Context(), access.DefaultTenant, whole[0].Turn)
	if err != nil || len(talk) != 1 || talk[0] != whole[0] {
		t.Errorf("Conversation() = %+v, %v", talk, err)
	}
	// A question may be longer than a document of full-text search.
	long := benchIntake(1)
	var words strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&words, "w%d ", i)
	}
	long.Text = words.String()
	if _, err := store.Accept(t.Context(), long); err != nil {
		t.Error(err)
	}
}

// The vector of a question is kept for its text, and gone with it.
func TestVectorsAreDeletedWithQuestions(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	store := pgsession.New(db)
	pgsessiontest.FillQuestions(t, db, 20)
	all, err := store.Questions(t.Context(), access.DefaultTenant, review.Scope{Everywhere: true}, review.Query{})
	if err != nil {
		t.Fatal(err)
	}
	all = all[:4]
	changed := slices.Clone(all)
	changed[3].Text += " edited since"
	vectors := [][]float32{{1, 0}, {0, 1}, {1, 1}, {0, 0}}
	for range 2 {
		if err := store.KeepQuestionVectors(t.Context(), access.DefaultTenant, "m", changed, vectors); err != nil {
			t.Fatal(err)
		}
	}
	kept := func(model string) (n int) {
		t.Helper()
		found, err := store.QuestionVectors(t.Context(), access.DefaultTenant, model, all)
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range all {
			if v := found[q.Turn]; v != nil {
				if n++; !slices.Equal(v, vectors[i]) {
					t.Errorf("the vector of %q is %v", q.Text, v)
				}
			}
		}
		return n
	}
	if kept("m") != 3 || kept("other") != 0 {
		t.Errorf("%d vectors are kept, %d of another model", kept("m"), kept("other"))
	}
	for i, gone := range []string{`update message set text = '' where turn_id = $1 and model_index = -1`, `delete from message where turn_id = $1`, `delete from turn where id = $1`} {
		if _, err := db.Pool.Exec(t.Context(), gone, all[i].Turn); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := db.Pool.QueryRow(t.Context(), `select count(*) from question_vector`).Scan(&n); err != nil || n != 2-i {
			t.Errorf("after %q there are %d vectors: %v", gone, n, err)
		}
	}
}

// BenchmarkQuestions lists questions of 100,000.
func BenchmarkQuestions(b *testing.B) {
	db := postgrestest.Open(b)
	store := pgsession.New(db)
	pgsessiontest.FillQuestions(b, db, 100_000)
	few := review.Scope{Channels: []access.Principal{access.Channel("slack", "C1")}, Person: person("slack", "W0", "U1")}
	for name, q := range map[string]review.Query{
		"newest": {}, "person": {Person: "U1"}, "channel": {Channel: "C1"}, "outcome": {Outcome: session.NoEvidence}, "rare words": {Text: "question 4711"}, "one word": {Text: "4711", Since: time.Now().AddDate(0, 0, -30)},
		"common words": {Text: "question about"}, "no such words": {Text: "zebra"}, "no such person": {Person: "nobody"}, "wanting": {Unsatisfying: true},
		"page 500": {Before: review.Cursor{At: time.Now().Add(-25000 * time.Second), Turn: "00000000-0000-7000-8000-000000000000"}},
	} {
		for scopeName, scope := range map[string]review.Scope{"everywhere": {Everywhere: true}, "one channel": few} {
			b.Run(name+" "+scopeName, func(b *testing.B) {
				for b.Loop() {
					if _, err := store.Questions(b.Context(), access.DefaultTenant, scope, q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	for _, days := range []int{1, 3000} {
		b.Run(fmt.Sprint("counts of days ", days), func(b *testing.B) {
			for b.Loop() {
				if _, err := store.QuestionCounts(b.Context(), access.DefaultTenant, few, time.Now().AddDate(0, 0, -days), time.Time{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
