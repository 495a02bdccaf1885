package deepsearch

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
)

// compose writes a report without a model: the findings, and the questions without a finding.
func compose(rows []row) string {
	var b strings.Builder
	var missing, failed, open []string
	found := make(map[int]bool) // numbers of questions that a repeated search answered
	for _, r := range rows {
		found[r.Again] = found[r.Again] || r.finding != nil && r.finding.State == Found
	}
	for _, r := range rows {
		switch {
		// the original question reports it
		case r.Again > 0 && (r.finding == nil || r.finding.State != Found):
		case r.finding == nil:
			open = append(open, r.Text)
		case r.finding.State == Found && r.finding.Text != "":
			fmt.Fprintf(&b, "**%s**\n\n%s\n\n", r.Text, strings.TrimSpace(r.finding.Text))
		case r.finding.State == Missing && found[r.number]:
		case r.finding.State == Missing:
			missing = append(missing, r.Text)
		case r.finding.State == Failed:
			failed = append(failed, r.Text+" ("+strings.TrimSuffix(r.finding.Shown, ".")+")")
		}
	}
	for _, part := range []struct {
		title string
		list  []string
	}{{"Not in the documents that everyone here can read", missing}, {"Could not be looked into", failed}, {"Not looked into", open}} {
		if len(part.list) > 0 {
			fmt.Fprintf(&b, "**%s**\n\n- %s\n\n", part.title, strings.Join(part.list, "\n- "))
		}
	}
	return strings.TrimSpace(b.String())
}

func emptyReport(rows []row) string {
	missing, open := 0, 0
	for _, r := range rows {
		switch {
		case r.Again > 0 || r.finding != nil && r.finding.State == Dropped:
		case r.finding != nil && r.finding.State == Missing:
			missing++
		default:
			open++
		}
	}
	switch {
	case open > 0:
		return fmt.Sprintf("Nothing was found that answers this. The documents say nothing about %d of the %d parts of the question; the rest could not be looked into. Ask again in a few minutes, or in other words.",
			missing, missing+open)
	case missing > 1:
		return fmt.Sprintf("%s I looked into %s of the question.", session.SentenceNothing, plural.Count(missing, "part"))
	}
	return session.SentenceNothing
}

type fixedModel struct{ text string }

var _ llm.Model = (*fixedModel)(nil)

// Info implements llm.Model.
func (*fixedModel) Info() llm.Info {
	return llm.Info{Name: "extractive", Window: 1 << 20, Reply: 1 << 16, NativeTools: true, Extractive: true}
}

// Stream implements llm.Model.
func (s *fixedModel) Stream(ctx context.Context, _ llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for block := range strings.SplitAfterSeq(s.text, "\n\n") {
			if err := ctx.Err(); err != nil {
				yield(llm.Delta{}, err)
				return
			}
			if !yield(llm.Delta{Text: block}, nil) {
				return
			}
		}
		yield(llm.Delta{Finish: llm.FinishStop}, nil)
	}
}
