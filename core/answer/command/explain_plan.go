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

var states = map[string]string{
	"": "not looked into", "found": "found", "missing": "not in the documents", "failed": "could not be looked into", "dropped": "left out by a person",
}

// describePlan lists the sub-questions of a deep search with their results. may reports whether the
// reader may know a document. A sub-question of a later round may contain names from documents. Its
// text is hidden unless the reader may know all cited documents.
func describePlan(plan []session.PlanRow, may func(document.ID) bool) []string {
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
