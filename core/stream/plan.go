package stream

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
)

// Row is one sub-question of a deep search in the displayed plan.
type Row struct {
	Question string
	State    string // a state of packet.Finding; "searching" during the search, empty before it
	Text     string // text of packet.Finding
	at       [2]int // TurnIndex and TabIndex of the placement
	evidence []document.ID
}

// Settled reports whether the row has a result.
func (r Row) Settled() bool { return r.State != "" && r.State != searching }

const searching = "searching"

func (v *View) addRow(at packet.Placement, question string) {
	v.Plan = append(v.Plan, Row{Question: question, at: [2]int{at.TurnIndex, at.TabIndex}})
}

// updateRow applies change to the row at a placement. It reports whether the row exists. It copies
// the plan first, because snapshots share the plan.
func (v *View) updateRow(at packet.Placement, change func(*Row)) bool {
	if at.SubTurnIndex == nil {
		return false
	}
	for i := range v.Plan {
		if v.Plan[i].at == [2]int{at.TurnIndex, at.TabIndex} {
			v.Plan = slices.Clone(v.Plan)
			change(&v.Plan[i])
			return true
		}
	}
	return false
}

func (v *View) markSearching(at packet.Placement) bool {
	fresh := false
	v.updateRow(at, func(r *Row) {
		if fresh = r.State == ""; fresh {
			r.State = searching
		}
	})
	return fresh
}

func (v *View) setFinding(at packet.Placement, f packet.Finding) bool {
	return v.updateRow(at, func(r *Row) { r.State, r.Text = f.State, f.Text })
}

func (v *View) addEvidence(at packet.Placement, id document.ID) {
	v.updateRow(at, func(r *Row) { r.evidence = append(slices.Clip(r.evidence), id) })
}

// clearRows replaces the findings that cite one of the given documents by a notice. It is called
// when the documents may no longer be shown.
func (v *View) clearRows(ids []document.ID) {
	for i, r := range v.Plan {
		if slices.ContainsFunc(r.evidence, func(id document.ID) bool { return slices.Contains(ids, id) }) {
			v.Plan = slices.Clone(v.Plan)
			v.Plan[i].State, v.Plan[i].Text = "failed", "What was found may not be shown any more."
		}
	}
}

// editIfPlanned makes the writer edit the messages of a deep search instead of appending to them,
// if the surface can edit messages.
func (w *writer[P]) editIfPlanned(v *View) {
	if w.appender != nil && v.Deep && w.canEdit() {
		w.switchToEdits()
	}
}

func (w *writer[P]) canEdit() bool { return w.Surface.Capabilities().MinEditInterval > 0 }

// renderPages renders a view as pages. The plan of a deep search is a separate page before the
// answer.
func renderPages[P any](r Renderer[P], v *View) []P {
	if len(v.Plan) == 0 || v.Removed {
		return r.Render(v)
	}
	ended := v.Phase == Done || v.Len() > 0
	plan := *v
	plan.text = []byte(PlanText(v))
	plan.Phase, plan.Aside, plan.Queries = Searching, ended, nil
	plan.Problem, plan.Message, plan.Notices, plan.Closest = nil, "", nil, nil
	pages := r.Render(&plan)
	pages = pages[:min(len(pages), 1)]
	if !ended {
		return pages
	}
	answer := *v
	// the plan's message already shows the question
	answer.Question, answer.Asker, answer.First = "", "", len(pages)
	return append(pages, r.Render(&answer)...)
}

// planRunes is the maximum length of a plan, including the addresses of its links. It leaves room
// for notices in a message of 2,000 characters, the limit of Discord.
const planRunes = 1_850

// rowRunes lists pairs of maximum lengths for a row of a plan: of the question and of the finding,
// in runes. The first pair with which the plan fits into planRunes is used. A length of 0 omits the
// finding.
var rowRunes = [][2]int{{110, 170}, {110, 100}, {110, 60}, {70, 30}, {45, 1}, {50, 0}}

var stateMarks = map[string]string{"": "◦", searching: "🔎", "found": "✅", "missing": "➖", "failed": "⚠️", "dropped": "✂️"}

// PlanText returns the plan of a deep search as Markdown. It has one entry for each sub-question
// with the result, and a line with the progress of the search.
func PlanText(v *View) (text string) {
	for _, most := range rowRunes {
		if text = planText(v, most[0], most[1]); len([]rune(text)) <= planRunes {
			break
		}
	}
	return text
}

func planText(v *View, questionRunes, findingRunes int) string {
	var b strings.Builder
	verb, ended := "Looking into", v.Phase == Done || v.Len() > 0
	switch {
	case ended:
		verb = "Looked into"
	case v.Progress.Asks > 0:
		verb = "I would look into"
	}
	fmt.Fprintf(&b, "**%s %s**\n\n", verb, countQuestions(len(v.Plan)))
	rows := v.Plan
	if v.Outcome == session.Stopped && v.Len() > 0 {
		rows = nil // the answer consists of the findings and lists the open questions
	}
	for i, r := range rows {
		if ended && r.State == searching {
			r.State = ""
		}
		fmt.Fprintf(&b, "%s %d. %s", stateMarks[r.State], i+1, escapeMarkdown(cite.Cut(r.Question, questionRunes)))
		result := ""
		switch {
		case (r.State == "found" || r.State == "failed") && r.Text != "" && findingRunes > 0:
			result = shortenFinding(r.Text, findingRunes)
		case r.State == "missing":
			result = "Not in the documents that everyone here can read."
		case r.State == "dropped":
			result = "Left out."
		case r.State == "" && ended:
			result = "Not looked into."
		}
		if result != "" {
			b.WriteString("\\\n↳ " + result) // a line break in Markdown
		}
		b.WriteString("\n\n")
	}
	if v.Progress.Asks > 0 && !ended {
		fmt.Fprintf(&b, "_%s_", CostText(v.Progress))
		return b.String()
	}
	fmt.Fprintf(&b, "_%s_", ProgressText(v))
	return b.String()
}

// ProgressText returns the progress of a deep search as one line, which begins like "2 of 5 done".
func ProgressText(v *View) string {
	settled := 0
	for _, r := range v.Plan {
		if r.Settled() {
			settled++
		}
	}
	return fmt.Sprintf("%d of %d done%s", settled, len(v.Plan), progressDetails(v.Progress))
}

// CostText describes the expected cost of a search that waits for a person to start it.
func CostText(p packet.Progress) string {
	text := fmt.Sprintf("This would take about %s and at most %d searches", roughDuration(p.More), p.Most)
	if p.MoreCost != "" {
		text += ", and cost about " + p.MoreCost
	}
	if p.Left != "" {
		text += ", of " + p.Left + " that are left of the budget"
	}
	return text + fmt.Sprintf(". Unless it is started within %s, one search answers the question.", roughDuration(60*p.Asks))
}

// roughDuration formats seconds as a rounded duration, such as "40 s" or "3 min".
func roughDuration(seconds int) string {
	if seconds > 90 {
		return fmt.Sprintf("%d min", (seconds+30)/60)
	}
	return fmt.Sprintf("%d s", max(10, seconds/10*10))
}

func countQuestions(n int) string {
	if n == 1 {
		return "one question"
	}
	return plural.Count(n, "question")
}

func progressDetails(p packet.Progress) string {
	if p == (packet.Progress{}) {
		return ""
	}
	elapsed := fmt.Sprintf("%d s", p.Seconds)
	if p.Seconds >= 60 {
		elapsed = fmt.Sprintf("%d min %d s", p.Seconds/60, p.Seconds%60)
	}
	if p.More > 0 {
		elapsed += fmt.Sprintf(", about %s more", roughDuration(p.More))
	}
	searches := fmt.Sprint(p.Searches)
	if p.Most > 0 {
		searches += fmt.Sprintf(" (at most %d)", p.Most)
	}
	text := fmt.Sprintf(" · %s · searches: %s · documents read: %d", elapsed, searches, p.Documents)
	var costs []string
	for _, c := range []struct{ amount, what string }{{p.Cost, ""}, {p.MoreCost, "about %s more"}, {p.Left, "%s left of the budget"}} {
		if c.amount != "" {
			costs = append(costs, fmt.Sprintf(cmp.Or(c.what, "%s"), c.amount))
		}
	}
	if len(costs) > 0 {
		text += " · " + strings.Join(costs, ", ")
	}
	return text
}

func shortenFinding(text string, runes int) string {
	clause, citations := text, ""
	if at := strings.Index(text, " [["); at >= 0 {
		clause, citations = text[:at], text[at:]
	}
	return cite.Cut(clause, runes) + citations
}

// escapeMarkdown escapes a text for Markdown, so that a question cannot add links or formatting.
func escapeMarkdown(text string) string { return markdownEscaper.Replace(text) }

var markdownEscaper = strings.NewReplacer("\\", "\\\\", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "]", "\\]", "<", "\\<", "~", "\\~", "|", "\\|")
