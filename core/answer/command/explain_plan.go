package command

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
)

// states says what became of a sub-question.
var states = map[string]string{
	"": "not looked into", "found": "found", "missing": "not in the documents", "failed": "could not be looked into", "dropped": "left out by a person",
}

// planned tells a deep search: each sub-question, what became of it, and how many searches that
// took. What was asked further may hold names that were found: it is named only where all that was
// found may be named.
func planned(plan []session.PlanRow, may func(document.ID) bool) []string {
	if len(plan) == 0 {
		return nil
	}
	readable := func(r session.PlanRow) bool {
		return !slices.ContainsFunc(r.Citations, func(c message.Citation) bool { return !may(c.Document.ID) })
	}
	all := !slices.ContainsFunc(plan, func(r session.PlanRow) bool { return !readable(r) })
	rows := slices.Clone(plan)
	slices.SortFunc(rows, func(a, b session.PlanRow) int { return cmp.Compare(a.Number, b.Number) })
	said := []string{fmt.Sprintf("Deep search: it was taken apart into %s.", plural.Count(len(rows), "sub-question"))}
	for _, r := range rows {
		question := r.Question
		if r.Round > 0 {
			if !all {
				question = "a question that was asked further"
			} else {
				question += fmt.Sprintf(" (asked further, round %d)", r.Round)
			}
		}
		line := fmt.Sprintf("- %d. %s: %s", r.Number, question, states[r.State])
		if r.State != "" {
			line += fmt.Sprintf(", searches: %d", r.Searches)
		}
		if r.Shown != "" && readable(r) {
			line += ". " + r.Shown
		}
		said = append(said, line)
	}
	return said
}
