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

// report has the answer written from what was found, once it is known that all who listen may still
// read it.
func (s *inquiry) report(ctx context.Context) (turn.Report, error) {
	s.recheck(ctx)
	rows := s.standing()
	switch {
	case !has(rows, Found):
		return s.nothing(ctx, rows)
	case s.req.SearchOnly:
		return s.listed(ctx, rows)
	}
	written := &scribe{text: compose(rows)}
	model := s.req.Models[0]
	if model.Info().Extractive {
		model = written
	}
	return s.write(ctx, rows, model, written, func(*packet.Stop) {})
}

// write runs the report as a turn that begins with what was found and has no tools.
func (s *inquiry) write(ctx context.Context, rows []row, model llm.Model, standIn llm.Model, edit func(*packet.Stop)) (turn.Report, error) {
	req := s.req
	steps, references := s.material(rows, model.Info())
	req.Depth, req.ForceTool, req.Models, req.Agent.Tools = nil, "", []llm.Model{model}, nil
	if req.StandIn != nil {
		req.StandIn = standIn
	}
	req.Part = &turn.Part{Numbers: s.numbers, Cited: &cite.Numbers{}, Steps: steps, References: references}
	instructions := strings.TrimSpace(reportPrompt)
	if len(s.judged.Contradictions) > 0 {
		instructions += "\n\nThese findings were said to contradict one another:\n- " + strings.Join(s.judged.Contradictions, "\n- ")
	}
	if len(s.judged.Missing) > 0 {
		instructions += "\n\nThis was said to be missing:\n- " + strings.Join(s.judged.Missing, "\n- ")
	}
	req.Agent.Instructions = strings.TrimSpace(req.Agent.Instructions + "\n\n" + instructions)
	writer := turn.NewRunner(tool.Set{}, s.Counter, turn.Config{MaxSteps: 2, Policy: s.config.Policy, DropUnsupported: s.config.DropUnsupported}, s.Logger)
	before := time.Since(s.began)
	out := s.out.behind(askBlock(s.latest())+1, func(stop *packet.Stop) {
		stop.Notices = append(append([]string{}, s.notices...), stop.Notices...)
		edit(stop)
	})
	var last []packet.Packet // waits for what the report costs
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
		s.spend(a.Model, a.Usage)
		a.Usage = llm.Usage{}
		s.complete(a)
	}
	s.conclude(ctx)
	for _, p := range last {
		out.Accept(p)
	}
	return report, err
}

// material is what the report is written from: for each sub-question a call of the search, and as
// its result what was found, with the passages that it rests on. All of it together takes half of
// the model's window at most.
func (s *inquiry) material(rows []row, info llm.Info) (steps []message.Message, references []message.Reference) {
	room := info.Window / 2 / max(1, len(rows))
	calls := message.Message{Role: message.ToolCall}
	var results []message.Message
	for _, r := range rows {
		queries, _ := json.Marshal(map[string][]string{"queries": {r.Text}}) // strings always marshal
		id := fmt.Sprintf("part_%d", r.number)
		calls.Calls = append(calls.Calls, message.Call{ID: id, Name: search.Name, Arguments: queries})
		note := r.told()
		left := room - s.Counter.Count(note)
		var docs []tool.Document
		if r.finding != nil && r.finding.State == Found {
			for _, ref := range r.finding.evidence() {
				doc := tool.Document{Number: ref.Number, Page: s.numbers.Page(ref.Document.ID), Title: ref.Document.Title, Heading: ref.Heading, URL: ref.Document.Link(ref.Anchor), Metadata: ref.Metadata, Contents: ref.Text}
				if !ref.Document.UpdatedAt.IsZero() {
					doc.Updated = ref.Document.UpdatedAt.Format("2006-01-02")
				}
				size := s.Counter.Count(tool.DocumentsJSON([]tool.Document{doc}, ""))
				if size > left && len(docs) > 0 {
					break
				}
				left -= size
				docs = append(docs, doc)
				references = append(references, ref)
			}
		}
		results = append(results, message.Message{Role: message.ToolResult, CallID: id, Text: tool.DocumentsJSON(docs, r.Text+"\n"+note)})
	}
	return append([]message.Message{calls}, results...), references
}

// recheck takes back findings that rest on what not all who listen may read any more, and what was
// made of them.
func (s *inquiry) recheck(ctx context.Context) {
	if s.Library == nil {
		return
	}
	seen := make(map[document.ID]bool)
	var ids []document.ID
	rows := s.standing()
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
	// nothing is written any more: another attempt goes on with what was found, and looks at it
	// again
	if context.Cause(ctx) != nil {
		return
	}
	if err != nil { // what is not known is not shown
		s.Logger.WarnContext(ctx, "who may read what was found is unknown; it is not used", "turn", s.req.Turn, "error", err)
	}
	taken := false
	for i, r := range rows {
		if r.finding == nil || r.finding.readable(readable) {
			continue
		}
		taken = true
		f := Finding{State: Failed, Shown: "What was found may not be shown any more.", Took: r.finding.Took}
		s.settle(ctx, s.rows[i], f, true)
	}
	if taken {
		s.forget(ctx)
	}
}

// takenBack stands where a question stood that may repeat what may not be shown any more.
const takenBack = "What was asked further"

// forget takes back what was thought of the findings, of which one is taken back: the judgment, and
// the questions that were asked further, may repeat it. What those found stands for itself.
func (s *inquiry) forget(ctx context.Context) {
	var further []*row
	s.mu.Lock()
	s.judged = Judgment{}
	for _, r := range s.rows {
		if r.Round > 0 {
			r.Text = takenBack
			further = append(further, r)
		}
	}
	s.mu.Unlock()
	for _, r := range further {
		s.out.at(r, 0, packet.SubQuestion{Question: takenBack})
	}
	if len(further) > 0 {
		s.keep(ctx, "taking back of what was asked further", func(ctx context.Context) error { return s.Journal.Forget(ctx, s.fence(), takenBack) })
	}
}

// readable reports whether everything that a finding's prompts held may be read.
func (f Finding) readable(readable map[document.ID]bool) bool {
	for _, ref := range f.References {
		if !readable[ref.Document.ID] {
			return false
		}
	}
	return true
}

// has reports whether a row came to a state.
func has(rows []row, state State) bool {
	for _, r := range rows {
		if r.finding != nil && r.finding.State == state {
			return true
		}
	}
	return false
}

// nothing is the report of a search that found nothing.
func (s *inquiry) nothing(ctx context.Context, rows []row) (turn.Report, error) {
	ending := turn.Ending{Outcome: session.NoEvidence, Sentence: turn.Sentence(sayNothing(rows))}
	if !slices.ContainsFunc(rows, func(r row) bool { return r.finding == nil || r.finding.State != Dropped }) {
		ending.Sentence = "Every part of the question was dropped, so there is nothing to report."
	} else if !has(rows, Missing) {
		ending = turn.Ending{Outcome: session.Failed, Sentence: "No part of the question could be looked into. Ask again in a few minutes; if it happens again, tell whoever runs this bot.", Retryable: true}
	}
	for _, r := range rows {
		if r.finding != nil && len(r.finding.Closest) > 0 {
			ending.Closest = r.finding.Closest
			break
		}
	}
	return s.end(ctx, ending, documents(nil)), nil
}

// listed is the report of a search that nothing is written about: the documents that were found.
func (s *inquiry) listed(ctx context.Context, rows []row) (turn.Report, error) {
	var found []message.Reference
	for _, r := range rows {
		if r.finding != nil {
			found = append(found, r.finding.References...)
		}
	}
	return s.end(ctx, turn.Ending{Outcome: session.Answered, Sentence: turn.SentenceListed, Closest: turn.Documents(found)}, documents(found)), nil
}

// end is a report without a text.
func (s *inquiry) end(ctx context.Context, ending turn.Ending, found []packet.Document) turn.Report {
	block := askBlock(s.latest()) + 1
	if len(found) > 0 {
		s.out.emit(block, packet.SearchStart{})
		s.out.emit(block, packet.SearchDocuments{Documents: found})
		s.out.emit(block, packet.SectionEnd{})
		block++
	}
	a := turn.Answer{Model: s.model.Info().Name, Ending: ending}
	s.complete(&a)
	stop := packet.Stop{Reason: string(ending.Outcome), Message: string(ending.Sentence), Notices: a.Notices}
	for _, ref := range ending.Closest {
		stop.Closest = append(stop.Closest, packet.DocumentOf(ref, "", 0))
	}
	s.conclude(ctx)
	s.out.emit(block, stop)
	s.Logger.InfoContext(ctx, "deep search ended without a text", "turn", s.req.Turn, "outcome", ending.Outcome)
	return turn.Report{Answers: []turn.Answer{a}}
}
