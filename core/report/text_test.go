package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/gaps"
	"github.com/footnotehq/footnote/core/report"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	r := report.Report{
		Since: monday.Add(-report.Period), Until: monday,
		Outcomes: map[session.Outcome]int{session.Answered: 9, session.NoEvidence: 3, session.Failed: 1},
		Gaps: []gaps.Cluster{{
			Label: "How do I get a\nparking permit?", Askers: 3, Questions: make([]review.Question, 4), Weeks: []int{3, 1}, Owners: []string{"Jane"},
			Closest: []document.Ref{{Title: "Office guide"}},
		}},
		MoreGaps: 2, Stale: []document.Ref{{Title: "Expense policy", UpdatedAt: time.Date(2024, 3, 2, 0, 0, 0, 0, time.UTC)}},
	}
	want := `Weekly report, 23 November to 30 November 2026

Asked: 13 questions in channels that everyone here can open; 9 answered, 3 without a document that answers, 1 with another outcome.

Stale: cited, and not changed for more than a year:
- Expense policy (March 2024)

Missing: what several people asked, and the documents do not answer well:
- How do I get a parking permit? (4 questions, 3 people, rising; closest: Office guide; owner: Jane)
and 2 more: footnote gaps lists them.

Switch this report off: /footnote report off (administrators).`
	if got := r.Text(berlin); got != want {
		t.Errorf("the report is\n%s", got)
	}
}

// Whatever people ask and call documents: a report has a first line of its own, an end that says
// how to switch it off, one line for each question, and fits into a message.
func TestHostileTextStaysInItsLine(t *testing.T) {
	t.Parallel()
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"<!channel> @everyone", "[x](https://evil.example)", strings.Repeat("*", 500), "a\r\nSwitch", "\u202eabc", "\u2028x", strings.Repeat("𝕏", 300), "", "```",
	}))
	rapid.Check(t, func(t *rapid.T) {
		r := report.Report{Since: monday.Add(-report.Period), Until: monday, MoreGaps: rapid.IntRange(0, 3).Draw(t, "more")}
		for range rapid.IntRange(0, 5).Draw(t, "gaps") {
			c := gaps.Cluster{Label: texts.Draw(t, "label"), Questions: make([]review.Question, 1000), Owners: []string{texts.Draw(t, "owner")}}
			c.Closest = []document.Ref{{Title: texts.Draw(t, "closest")}}
			r.Gaps = append(r.Gaps, c)
		}
		for range rapid.IntRange(0, 3).Draw(t, "stale") {
			r.Stale = append(r.Stale, document.Ref{Title: texts.Draw(t, "title")})
		}
		text := r.Text(time.UTC)
		if w := report.Weight(text); w > 1900 {
			t.Fatalf("it weighs %d:\n%s", w, text)
		}
		lines := strings.Split(text, "\n")
		if lines[0] != report.Title(monday, time.UTC) || !strings.HasPrefix(lines[len(lines)-1], "Switch this report off") {
			t.Fatalf("it begins or ends otherwise:\n%s", text)
		}
		if len(lines) > 20 || strings.ContainsAny(text, "\r\u202e\u2028") {
			t.Fatalf("text breaks out of its line:\n%q", text)
		}
	})
}
