package report

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
)

const (
	// maxWeight is the maximum [Weight] of a report. Discord allows at most 2,000 characters per
	// message.
	maxWeight = 1900
	// maxLabel and maxTitle are the maximum lengths of a question and of a title, in characters.
	maxLabel, maxTitle = 160, 80
)

// Weight returns the maximum number of characters of a text after a platform has escaped its
// mentions, links and markup.
func Weight(text string) int {
	sum := 0
	for _, r := range text {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == ' ' || r == '\n':
			sum++
		default:
			sum += 3
		}
	}
	return sum
}

// Title returns the first line of the report that is due at a time. No two reports to a channel
// have the same title.
func Title(due time.Time, zone *time.Location) string {
	return "Weekly report, " + due.Add(-Period).In(zone).Format("2 January") + " to " + due.In(zone).Format("2 January 2006")
}

// Mark returns a text that identifies the report that is due at a time. Some platforms store it
// with the message, to find the report again.
func Mark(due time.Time) string { return "report " + due.UTC().Format(time.RFC3339) }

// Text returns the report as plain text, short enough for a message on any platform. Each question
// and title is on one line.
func (r Report) Text(zone *time.Location) string {
	var b strings.Builder
	b.WriteString(Title(r.Until, zone) + "\n")
	const end = "\nSwitch this report off: /footnote report off (administrators)."
	left := maxWeight - Weight(b.String()) - Weight(end)
	add := func(lines ...string) bool {
		text := "\n" + strings.Join(lines, "\n") + "\n"
		if left -= Weight(text); left < 0 {
			return false
		}
		b.WriteString(text)
		return true
	}
	add(r.asked())
	fits := true
	if len(r.Costs) > 0 {
		fits = add(r.cost())
	}
	stale := r.staleLines()
	if len(stale) > 0 && fits {
		fits = add(stale...)
	}
	if missing := r.missing(); len(missing) > 0 && fits {
		for n := len(missing); n > 1; n-- {
			if left >= Weight("\n"+strings.Join(missing[:n], "\n")+"\n") {
				add(missing[:n]...)
				break
			}
		}
	}
	return b.String() + end
}

func (r Report) asked() string {
	total, other := 0, 0
	for outcome, n := range r.Outcomes {
		total += n
		if outcome != session.Answered && outcome != session.NoEvidence {
			other += n
		}
	}
	text := "Asked: " + plural.Count(total, "question") + " in channels that everyone here can open"
	if total > 0 {
		text += fmt.Sprintf("; %d answered, %d without a document that answers", r.Outcomes[session.Answered], r.Outcomes[session.NoEvidence])
		if other > 0 {
			text += fmt.Sprintf(", %d with another outcome", other)
		}
	}
	return text + "."
}

func (r Report) cost() string {
	parts := make([]string, len(r.Costs))
	for i, c := range r.Costs {
		parts[i] = fmt.Sprintf("%s %s", c.Amount, line(c.Currency, maxTitle))
	}
	return "Cost of models, all questions: " + strings.Join(parts, ", ") + "."
}

func (r Report) staleLines() []string {
	if len(r.Stale) == 0 {
		return nil
	}
	lines := []string{"Stale: cited, and not changed for more than a year:"}
	for _, d := range r.Stale {
		lines = append(lines, fmt.Sprintf("- %s (%s)", line(d.Title, maxTitle), d.UpdatedAt.UTC().Format("January 2006")))
	}
	return lines
}

// missing returns a heading and one line for each cluster of unanswered questions. [Report.Text]
// shows as many lines as fit, but not the heading alone.
func (r Report) missing() []string {
	if len(r.Gaps) == 0 {
		return []string{"Missing: nothing that several people asked for.", ""}
	}
	lines := []string{"Missing: what several people asked, and the documents do not answer well:"}
	for _, c := range r.Gaps {
		text := fmt.Sprintf("- %s (%s, %s, %s", line(c.Label, maxLabel), plural.Count(len(c.Questions), "question"), plural.Count(c.Askers, "person"), c.Trend())
		if len(c.Closest) > 0 {
			text += "; closest: " + line(c.Closest[0].Title, maxTitle)
		}
		if owners := c.Owners[:min(len(c.Owners), maxOwners)]; len(owners) > 0 {
			text += "; owner: " + line(strings.Join(owners, ", "), maxTitle)
		}
		lines = append(lines, text+")")
	}
	if r.MoreGaps > 0 {
		lines = append(lines, fmt.Sprintf("and %d more: footnote gaps lists them.", r.MoreGaps))
	}
	return lines
}

// line returns a text on one line, cut to the given number of characters. It removes invisible
// characters, because they could hide or reverse the following text.
func line(text string, most int) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }), " ")
	if r := []rune(text); len(r) > most {
		text = string(r[:most-1]) + "…"
	}
	if text == "" {
		return "(untitled)"
	}
	return text
}
