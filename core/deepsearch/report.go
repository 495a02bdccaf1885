package deepsearch

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/turn"
)

//go:embed report.md
var reportPrompt string

// writeReport returns the report on the findings. It first withdraws findings that the audience may
// no longer read.
func (s *inquiry) writeReport(ctx context.Context) (turn.Report, error) {
	s.recheck(ctx)
	rows := s.snapshot()
	switch {
	case !hasState(rows, Found):
		return s.reportNothing(ctx, rows)
	case s.req.SearchOnly:
		return s.reportDocuments(ctx, rows)
	}
	written := &fixedModel{text: compose(rows)}
	model := s.req.Models[0]
	if model.Info().Extractive {
		model = written
	}
	return s.runReport(ctx, rows, model, written, func(*packet.Stop) {})
}

// runReport makes a model write the report from the findings, without tools. standIn writes it if
// the budget is exhausted or the model is unreachable. edit may change the report's Stop.
func (s *inquiry) runReport(ctx context.Context, rows []row, model llm.Model, standIn llm.Model, edit func(*packet.Stop)) (turn.Report, error) {
	req := s.req
	steps, references := s.reportMaterial(rows, model.Info())
	req.Depth, req.ForceTool, req.Models, req.Agent.Tools = nil, "", []llm.Model{model}, nil
	if req.StandIn != nil {
		req.StandIn = standIn
	}
	req.Part = &turn.Part{Numbers: s.numbers, Cited: &cite.Numbers{}, Steps: steps, References: references}
	instructions := strings.TrimSpace(reportPrompt)
	if len(s.judgment.Contradictions) > 0 {
		instructions += "\n\nThese findings were said to contradict one another:\n- " + strings.Join(s.judgment.Contradictions, "\n- ")
	}
	if len(s.judgment.Missing) > 0 {
		instructions += "\n\nThis was said to be missing:\n- " + strings.Join(s.judgment.Missing, "\n- ")
	}
	req.Agent.Instructions = strings.TrimSpace(req.Agent.Instructions + "\n\n" + instructions)
	writer := turn.NewRunner(tool.Set{}, s.Counter, turn.Config{MaxSteps: 2, Policy: s.config.Policy, DropUnsupported: s.config.DropUnsupported}, s.Logger)
	before := time.Since(s.began)
	out := s.packets.sinkAfter(askBlock(s.latestRound())+1, func(stop *packet.Stop) {
		stop.Notices = append(append([]string{}, s.notices...), stop.Notices...)
		edit(stop)
	})
	var last []packet.Packet // held until the report's cost is known
	report, err := writer.Run(ctx, req, packet.SinkFunc(func(p packet.Packet) {
		if _, stop := p.Payload.(packet.Stop); stop {
			last = append(last, p)
			return
		}
		out.Accept(p)
	}))
	for i := range report.Answers {
		a := &report.Answers[i]
		for _, first := range []*time.Duration{&a.Timings.FirstToken, &a.Timings.FirstText} {
			if *first > 0 {
				*first += before
			}
		}
		s.addUsage(a.Model, a.Usage)
		a.Usage = llm.Usage{}
		s.addTotals(a)
	}
	s.conclude(ctx)
	for _, p := range last {
		out.Accept(p)
	}
	return report, err
}

// reportMaterial returns the input of the report: for each sub-question a search call, with the
// finding and its passages as the result. The input takes at most half of the model's window.
func (s *inquiry) reportMaterial(rows []row, info llm.Info) (steps []message.Message, references []message.Reference) {
	room := info.Window / 2 / max(1, len(rows))
	calls := message.Message{Role: message.ToolCall}
	var results []message.Message
	for _, r := range rows {
		queries, _ := json.Marshal(map[string][]string{"queries": {r.Text}}) // strings always marshal
		id := fmt.Sprintf("part_%d", r.number)
		calls.Calls = append(calls.Calls, message.Call{ID: id, Name: search.Name, Arguments: queries})
		note := r.summary()
		remaining := room - s.Counter.Count(note)
		var docs []tool.Document
		if r.finding != nil && r.finding.State == Found {
			for _, ref := range r.finding.evidence() {
				doc := tool.Document{Number: ref.Number, Page: s.numbers.Page(ref.Document.ID), Title: ref.Document.Title, Heading: ref.Heading, URL: ref.Document.Link(ref.Anchor), Metadata: ref.Metadata, Contents: ref.Text}
				if !ref.Document.UpdatedAt.IsZero() {
					doc.Updated = ref.Document.UpdatedAt.Format("2006-01-02")
				}
				size := s.Counter.Count(tool.DocumentsJSON([]tool.Document{doc}, ""))
				if size > remaining && len(docs) > 0 {
					break
				}
				remaining -= size
				docs = append(docs, doc)
				references = append(references, ref)
			}
		}
		results = append(results, message.Message{Role: message.ToolResult, CallID: id, Text: tool.DocumentsJSON(docs, r.Text+"\n"+note)})
	}
	return append([]message.Message{calls}, results...), references
}

// recheck withdraws findings if the audience may no longer read their documents. It also withdraws
// everything derived from these findings.
func (s *inquiry) recheck(ctx context.Context) {
	if s.Library == nil {
		return
	}
	seen := make(map[document.ID]bool)
	var ids []document.ID
	rows := s.snapshot()
	for _, r := range rows {
		if r.finding == nil {
			continue
		}
		for _, ref := range r.finding.References {
			if !seen[ref.Document.ID] {
				seen[ref.Document.ID] = true
				ids = append(ids, ref.Document.ID)
			}
		}
	}
	if len(ids) == 0 {
		return
	}
	readable, err := s.Library.Readable(ctx, s.req.Audience, ids)
	// another attempt will resume and check the findings again
	if context.Cause(ctx) != nil {
		return
	}
	if err != nil { // without a check nothing may be shown
		s.Logger.WarnContext(ctx, "cannot check who may read the findings; they are not used", "turn", s.req.Turn, "error", err)
	}
	taken := false
	for i, r := range rows {
		if r.finding == nil || r.finding.isReadable(readable) {
			continue
		}
		taken = true
		f := Finding{State: Failed, Shown: "What was found may not be shown any more.", Took: r.finding.Took}
		s.setFinding(ctx, s.rows[i], f, true)
	}
	if taken {
		s.forgetJudgments(ctx)
	}
}

// redactedQuestion replaces a question that may repeat withdrawn text.
const redactedQuestion = "What was asked further"

// forgetJudgments deletes the judgments and the text of the questions from later rounds. Both may
// repeat a withdrawn finding. The findings for these questions stay.
func (s *inquiry) forgetJudgments(ctx context.Context) {
	var further []*row
	s.mu.Lock()
	s.judgment = Judgment{}
	for _, r := range s.rows {
		if r.Round > 0 {
			r.Text = redactedQuestion
			further = append(further, r)
		}
	}
	s.mu.Unlock()
	for _, r := range further {
		s.packets.emitFor(r, 0, packet.SubQuestion{Question: redactedQuestion})
	}
	if len(further) > 0 {
		s.writeJournal(ctx, "redaction of further questions", func(ctx context.Context) error { return s.Journal.Forget(ctx, s.fence(), redactedQuestion) })
	}
}

// isReadable reports whether all passages in the prompts of the finding are readable, including
// those that it does not cite.
func (f Finding) isReadable(readable map[document.ID]bool) bool {
	for _, ref := range f.References {
		if !readable[ref.Document.ID] {
			return false
		}
	}
	return true
}

func hasState(rows []row, state State) bool {
	for _, r := range rows {
		if r.finding != nil && r.finding.State == state {
			return true
		}
	}
	return false
}

// reportNothing ends the turn as Failed if no part of the question could be searched.
func (s *inquiry) reportNothing(ctx context.Context, rows []row) (turn.Report, error) {
	ending := turn.Ending{Outcome: session.NoEvidence, Sentence: turn.Sentence(emptyReport(rows))}
	if !slices.ContainsFunc(rows, func(r row) bool { return r.finding == nil || r.finding.State != Dropped }) {
		ending.Sentence = "Every part of the question was dropped, so there is nothing to report."
	} else if !hasState(rows, Missing) {
		ending = turn.Ending{Outcome: session.Failed, Sentence: "No part of the question could be looked into. Ask again in a few minutes; if it happens again, tell whoever runs this bot.", Retryable: true}
	}
	for _, r := range rows {
		if r.finding != nil && len(r.finding.Closest) > 0 {
			ending.Closest = r.finding.Closest
			break
		}
	}
	return s.endWithoutText(ctx, ending, documents(nil)), nil
}

func (s *inquiry) reportDocuments(ctx context.Context, rows []row) (turn.Report, error) {
	var found []message.Reference
	for _, r := range rows {
		if r.finding != nil {
			found = append(found, r.finding.References...)
		}
	}
	return s.endWithoutText(ctx, turn.Ending{Outcome: session.Answered, Sentence: turn.SentenceListed, Closest: turn.Documents(found)}, documents(found)), nil
}

func (s *inquiry) endWithoutText(ctx context.Context, ending turn.Ending, found []packet.Document) turn.Report {
	block := askBlock(s.latestRound()) + 1
	if len(found) > 0 {
		s.packets.emit(block, packet.SearchStart{})
		s.packets.emit(block, packet.SearchDocuments{Documents: found})
		s.packets.emit(block, packet.SectionEnd{})
		block++
	}
	a := turn.Answer{Model: s.model.Info().Name, Ending: ending}
	s.addTotals(&a)
	stop := packet.Stop{Reason: string(ending.Outcome), Message: string(ending.Sentence), Notices: a.Notices}
	for _, ref := range ending.Closest {
		stop.Closest = append(stop.Closest, packet.DocumentOf(ref, "", 0))
	}
	s.conclude(ctx)
	s.packets.emit(block, stop)
	s.Logger.InfoContext(ctx, "deep search ended without a text", "turn", s.req.Turn, "outcome", ending.Outcome)
	return turn.Report{Answers: []turn.Answer{a}}
}
