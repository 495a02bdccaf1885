package gaps_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/gaps"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"pgregory.net/rapid"
)

var until = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

// about is a question whose vector points in a direction.
func about(n int, degrees float64, ago time.Duration, closest ...document.ID) gaps.Asked {
	a := gaps.Asked{
		Question: review.Question{Turn: session.TurnID(fmt.Sprintf("t%04d", n)), Text: fmt.Sprint("question ", n), At: until.Add(-ago), Asker: thread.Person{ID: fmt.Sprint("U", n%2)}},
		Vector:   []float32{float32(math.Cos(degrees * math.Pi / 180)), float32(math.Sin(degrees * math.Pi / 180))},
	}
	for _, id := range closest {
		a.Closest = append(a.Closest, document.Ref{ID: id})
	}
	return a
}

func find(t interface {
	Helper()
	Fatal(args ...any)
}, asked []gaps.Asked,
) gaps.Report {
	t.Helper()
	r, err := gaps.Find(context.Background(), asked, until.AddDate(0, -1, 0), until, gaps.Group)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestGroupStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if clusters, err := gaps.Group(ctx, []gaps.Asked{about(1, 0, time.Hour), about(2, 1, time.Hour)}); !errors.Is(err, context.Canceled) {
		t.Errorf("Group() = %v, %v", clusters, err)
	}
}

func TestClustersSayWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	week := 7 * 24 * time.Hour
	r := find(t, []gaps.Asked{
		about(1, 0, time.Hour, "a", "b"), about(2, 10, 2*time.Hour, "b"), about(3, 20, week+time.Hour, "b", "c", "d"), // rising
		about(4, 180, 2*week), about(5, 170, 2*week+time.Hour), // steady
		about(6, 275, time.Hour), // alone
		{Question: review.Question{Turn: "t7", At: until.Add(-time.Hour)}, Vector: []float32{0, 0}},
		{Question: review.Question{Turn: "t8", At: until.Add(-time.Hour)}},
	})
	if r.Questions != 8 || r.Single != 3 || len(r.Clusters) != 2 || r.Cut {
		t.Fatalf("the report is %+v", r)
	}
	c := r.Clusters[0]
	if c.Label != "question 2" || len(c.Questions) != 3 || c.Questions[0].Turn != "t0001" || c.Askers != 2 || c.Trend() != "rising" || !slices.Equal(c.Weeks, []int{2, 1}) ||
		len(c.Closest) != 3 || c.Closest[0].ID != "b" {
		t.Errorf("the largest is %+v", c)
	}
	if c := r.Clusters[1]; c.Trend() != "steady" || len(c.Closest) != 0 {
		t.Errorf("the second is %+v", c)
	}
}

// Whatever is asked: every question is in one cluster or single, and the order in which questions
// come changes nothing.
func TestEveryQuestionIsCountedOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var asked []gaps.Asked
		for n := range rapid.IntRange(0, 40).Draw(t, "questions") {
			asked = append(asked, about(n, float64(rapid.IntRange(0, 359).Draw(t, "degrees")), time.Duration(rapid.IntRange(0, 900).Draw(t, "ago"))*time.Hour))
		}
		r := find(t, asked)
		seen, inClusters := make(map[session.TurnID]bool), 0
		for _, c := range r.Clusters {
			inClusters += len(c.Questions)
			for _, q := range c.Questions {
				if seen[q.Turn] {
					t.Fatalf("%s is in two clusters", q.Turn)
				}
				seen[q.Turn] = true
			}
		}
		if inClusters+r.Single != len(asked) {
			t.Fatalf("of %d questions %d are in clusters and %d single", len(asked), inClusters, r.Single)
		}
		slices.Reverse(asked)
		if again := find(t, asked); fmt.Sprint(again) != fmt.Sprint(r) {
			t.Fatalf("the other way round there are\n%+v\nand not\n%+v", again, r)
		}
	})
}

func TestManyQuestionsAreCut(t *testing.T) {
	t.Parallel()
	var asked []gaps.Asked
	for n := range gaps.MaxQuestions + 1 {
		asked = append(asked, about(n, float64(n%4)*90, time.Duration(n)*time.Second))
	}
	if r := find(t, asked); !r.Cut || len(r.Clusters) != 4 || r.Single != 0 {
		t.Errorf("cut: %t, %d clusters, %d single", r.Cut, len(r.Clusters), r.Single)
	}
}

// Private questions are in no report, the viewer's own too.
func TestReportsHoldNoPrivateQuestions(t *testing.T) {
	t.Parallel()
	me := access.Account{Workspace: access.Workspace{Platform: "slack"}, ID: "U1"}
	for _, v := range []review.Viewer{{Person: me}, {Person: me, Terminal: true}, {Person: me, Audience: access.NewAudience(access.DefaultTenant, access.Channel("slack", "C1"))}} {
		for _, q := range []review.Question{{Direct: true}, {Owner: "U1"}, {Direct: true, Owner: "U1"}} {
			q.Asker, q.Ref = thread.Person{ID: "U1"}, thread.Ref{Platform: "slack", Channel: "C1"}
			if !v.Scope().May(q) {
				t.Errorf("%+v may not see %+v", v, q)
			}
			if gaps.Scope(v).May(q) {
				t.Errorf("a report for %+v holds %+v", v, q)
			}
		}
	}
}

// BenchmarkGroup clusters as many questions as are clustered at most, by vectors of the length that
// the embedder in the program has.
func BenchmarkGroup(b *testing.B) {
	asked := make([]gaps.Asked, gaps.MaxQuestions)
	die := rand.New(rand.NewPCG(1, 2))
	for i := range asked {
		v, sum := make([]float32, 256), float32(0)
		for d := range v {
			v[d] = float32(die.NormFloat64())
			if d == i%40 { // what it is about
				v[d] += 30
			}
			sum += v[d] * v[d]
		}
		for d := range v {
			v[d] /= float32(math.Sqrt(float64(sum)))
		}
		asked[i].Vector = v
	}
	for b.Loop() {
		if clusters, err := gaps.Group(b.Context(), asked); err != nil || len(clusters) != 40 {
			b.Fatalf("%d clusters, %v", len(clusters), err)
		}
	}
}
