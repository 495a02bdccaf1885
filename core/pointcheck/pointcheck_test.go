package pointcheck_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/pointcheck"
	"pgregory.net/rapid"
)

// asked is one question as the test keeps it: in the order of asking, with what came back.
type asked struct {
	at   time.Time
	said index.Permission
}

// decide returns the answer that counts in its own words: the last that was asked for; a denial
// until then, the others for a minute. It shares no code with the package.
func decide(history []asked, now time.Time) index.Permission {
	var last *asked
	for i, a := range history {
		if a.said == index.CheckFailed || last != nil && (a.at.Before(last.at) || a.at.Equal(last.at) && a.said != index.Denied) {
			continue
		}
		last = &history[i]
	}
	if last == nil || last.said != index.Denied && now.After(last.at.Add(59*time.Second)) { // times are whole seconds here
		return index.CheckFailed
	}
	return last.said
}

func TestJudgeAgreesWithAnIndependentDecision(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		questions := make([]pointcheck.Question, rapid.IntRange(1, 3).Draw(t, "questions"))
		known := make(map[pointcheck.Question]pointcheck.Answer)
		now := start.Add(time.Duration(rapid.IntRange(0, 200).Draw(t, "now")) * time.Second)
		said := make(map[index.Permission]bool)
		for i := range questions {
			q := pointcheck.Question{Source: "wiki", Person: "ada", Point: index.Point{Document: document.ID(fmt.Sprint(i))}}
			questions[i] = q
			var history []asked
			for range rapid.IntRange(0, 5).Draw(t, "asked") { // answers arrive in any order
				at := start.Add(time.Duration(rapid.IntRange(0, int(now.Sub(start)/time.Second)).Draw(t, "at")) * time.Second)
				answer := rapid.SampledFrom([]index.Permission{index.CheckFailed, index.Allowed, index.Denied, index.CannotAsk}).Draw(t, "said")
				history = append(history, asked{at, answer})
				known[q] = pointcheck.Newer(known[q], pointcheck.Answer{Permission: answer, Asked: at})
			}
			said[decide(history, now)] = true
		}
		want := pointcheck.Shown
		if !said[index.Allowed] && said[index.CheckFailed] {
			want = pointcheck.Unchecked
		} else if !said[index.Allowed] && said[index.Denied] {
			want = pointcheck.Hidden
		}
		if got := pointcheck.Judge(questions, known, now); got != want {
			t.Fatalf("verdict %v, want %v of %v", got, want, known)
		}
		pointcheck.Forget(known, now)
		if got := pointcheck.Judge(questions, known, now); got == pointcheck.Shown && want != got {
			t.Fatalf("forgetting shows a document that was %v", want)
		}
	})
}

func TestDueIsBoundedAndAsksNothingTwice(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var questions []pointcheck.Question
	known := make(map[pointcheck.Question]pointcheck.Answer)
	for i := range 3 * pointcheck.MaxQuestions {
		q := pointcheck.Question{Point: index.Point{Node: fmt.Sprint(i)}}
		questions = append(questions, q, q)
		if i < 5 {
			known[q] = pointcheck.Answer{Permission: index.Allowed, Asked: now.Add(-time.Second)}
		}
		if i == 5 {
			known[q] = pointcheck.Answer{Permission: index.Denied, Asked: now.Add(-time.Hour)}
		}
	}
	due := pointcheck.Due(questions, known, now)
	if len(due) != pointcheck.MaxQuestions {
		t.Fatalf("%d are asked", len(due))
	}
	for i, q := range due {
		if q.Point.Node != fmt.Sprint(i+5) {
			t.Errorf("question %d is about %s", i, q.Point.Node)
		}
	}
}

func TestOnlyPrivateAnswersHaveQuestions(t *testing.T) {
	t.Parallel()
	ada := access.SourceGroup("wiki", access.SourcePerson, "ada")
	all, node := access.SourceAll("wiki"), access.Node("wiki", "space:1")
	documents := []pointcheck.Document{
		{ID: "page", ACL: access.ACL{node}},
		{ID: "open", ACL: access.ACL{access.Public}},
		{ID: "both", ACL: access.ACL{node, access.Members}},
		{ID: "other", ACL: access.ACL{access.Node("code", "1")}},
	}
	private := access.NewAudience("t", access.Members).With(ada, all)
	got := pointcheck.Questions(private, documents)
	want := pointcheck.Question{Source: "wiki", Person: "ada", Point: index.Point{Document: "page", Node: "space:1"}}
	if !pointcheck.Private(private) || len(got) != 1 || len(got["page"]) != 1 || got["page"][0] != want {
		t.Errorf("a private answer asks %v", got)
	}
	for _, several := range []access.Audience{access.NewAudience("t", access.Members).With(all), access.NewAudience("t"), {}} {
		if got := pointcheck.Questions(several, documents); len(got) != 0 || pointcheck.Private(several) {
			t.Errorf("an answer for several asks %v", got)
		}
	}
}
