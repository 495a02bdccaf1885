package deepsearch

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/turn"
)

//go:embed plan.md
var planPrompt string

// planSpec is what a planner is asked to call.
var planSpec = llm.ToolSpec{
	Name:        "plan_search",
	Description: "States the questions that are to be looked into.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"sub_questions":{"type":"array","items":{"type":"string"},"maxItems":6,` +
		`"description":"Up to 6 questions, each understood by somebody who reads nothing else. Empty: one search answers the question, or it needs none."}},"required":["sub_questions"]}`),
}

// prepare takes the question apart, or takes up what an earlier attempt has done. direct says that
// it needs no depth.
func (s *inquiry) prepare(ctx context.Context) (direct bool, err error) {
	if s.req.SmallTalk {
		return true, nil
	}
	if !s.searchable() {
		s.plain = sentenceNoSearch
		return true, nil
	}
	record, err := s.resume(ctx)
	if err != nil {
		return false, err
	}
	if record.Planned() { // what another attempt's planner and judge read is not kept
		s.learn(message.Basis{Unknown: true}, nil)
	}
	if !record.Planned() {
		s.keep(ctx, "beginning", func(ctx context.Context) error {
			return s.Journal.Plan(ctx, s.fence(), Record{Question: s.req.Question.Text, Audience: s.listeners()})
		})
		if record, err = s.plan(ctx); err != nil {
			return false, err
		}
		if context.Cause(ctx) == nil {
			record = s.keepPlan(ctx, record)
		}
	}
	s.plain = s.whyPlain(record)
	if record.Direct {
		return true, nil
	}
	s.left, s.asked = s.budget(ctx), record.Closed
	if direct, err := s.choose(ctx, record); direct || err != nil {
		return direct, err
	}
	s.take(ctx, record)
	return false, nil
}

// keepPlan keeps a plan, and returns it with what people have said before it was there.
func (s *inquiry) keepPlan(ctx context.Context, record Record) Record {
	if s.Journal == nil {
		return record
	}
	record.Asked = s.req.Depth.Ask > 0 && len(record.Questions) > s.req.Depth.Ask
	for range 2 {
		var err error
		s.keep(ctx, "plan", func(ctx context.Context) error {
			err = s.Journal.Plan(ctx, s.fence(), record)
			return err
		})
		if !errors.Is(err, ErrSteered) {
			break
		}
		record.Direct, record.Questions = false, []SubQuestion{{Text: s.req.Question.Text}}
	}
	if kept, err := s.resume(ctx); err == nil && kept.Planned() {
		if !extends(kept, record) { // another attempt has written it
			s.learn(message.Basis{Unknown: true}, nil)
		}
		return kept
	}
	return record
}

// extends reports whether a plan is another one to which people have added questions, and nothing
// else.
func extends(kept, record Record) bool {
	for i, q := range kept.Questions {
		if !q.Added && (i >= len(record.Questions) || record.Questions[i].Text != q.Text) {
			return false
		}
	}
	return true
}

// plan takes the question apart: by the model, and by rule where there is none, or where it does
// not do so.
func (s *inquiry) plan(ctx context.Context) (Record, error) {
	record := Record{Question: s.req.Question.Text, Audience: s.listeners()}
	questions, asked, err := s.planned(ctx)
	if err != nil {
		return record, err
	}
	if !asked {
		questions = Decompose(s.req.Question.Text)
	}
	record.Questions = questions
	record.Direct = len(questions) == 0
	return record, nil
}

// planned is the plan of the model. asked is false where it made none: its questions are made by
// rule then. An error is one that ends the turn.
func (s *inquiry) planned(ctx context.Context) (questions []SubQuestion, asked bool, err error) {
	if s.model.Info().Extractive {
		return nil, false, nil
	}
	var b strings.Builder
	b.WriteString(s.background())
	if said := transcript(s.req.History); said != "" {
		fmt.Fprintf(&b, "The conversation so far:\n\n%s\n\n", said)
	}
	fmt.Fprintf(&b, "The question:\n\n%s\n", excerpt(s.req.Question.Text, 8_000))
	if !s.req.Depth.Blind {
		if first := s.look(ctx); first != "" {
			fmt.Fprintf(&b, "\nWhat a first search found, for you to know which words the documents use:\n\n%s\n", first)
		}
	}
	var plan struct {
		SubQuestions []string `json:"sub_questions"`
	}
	err = s.form(ctx, planSpec, strings.TrimSpace(planPrompt), b.String(), &plan)
	if errors.Is(err, errAudience) {
		return nil, false, err
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "the model made no plan; the question is taken apart by rule", "turn", s.req.Turn, "error", err)
		return nil, false, nil
	}
	texts, left := tidy(plan.SubQuestions, nil)
	if left > 0 {
		s.notices = append(s.notices, fmt.Sprintf("The model planned %s; the first %d were looked into.", plural.Count(len(texts)+left, "part"), len(texts)))
	}
	if len(texts) == 1 && fold(texts[0]) == fold(s.req.Question.Text) {
		return nil, true, nil // one search is what a plain answer makes
	}
	for _, t := range texts {
		questions = append(questions, SubQuestion{Text: s.req.Filter.Redact(t)})
	}
	return questions, true, nil
}

// look searches with the question itself and sums up what came.
func (s *inquiry) look(ctx context.Context) string {
	req := s.part(s.req.Question.Text, message.Basis{})
	req.SearchOnly, req.History = true, s.req.History
	report, err := s.reader().Run(ctx, req, packet.SinkFunc(func(packet.Packet) {}))
	if err != nil {
		s.Logger.WarnContext(ctx, "the plan is made without a first search", "turn", s.req.Turn, "error", err)
		return ""
	}
	a := report.Best()
	s.learn(message.BasisOfReferences(a.References), a.References)
	s.mu.Lock()
	s.searches = append(s.searches, a.Searches...)
	s.mu.Unlock()
	var b strings.Builder
	for _, r := range message.Distinct(a.References) {
		fmt.Fprintf(&b, "- %s: %s\n", titled(r.Document), excerpt(r.Text, 300))
		if strings.Count(b.String(), "\n") == 3 {
			break
		}
	}
	return b.String()
}

// background is what planner and judge know in addition to the question: when and where it is
// asked, what can be searched, and what files hold.
func (s *inquiry) background() string {
	var b strings.Builder
	in := prompt.Input{Now: s.req.Now, Place: s.req.Place, Sources: s.req.Sources, Tools: s.Tools.Tools(), Question: s.req.Question}
	if around := in.Circumstances(); around != "" {
		b.WriteString(around + "\n\n")
	}
	left := fileBytes
	for _, f := range slices.Concat(s.req.Question.Files, s.req.Project) {
		text := excerpt(strings.TrimSpace(f.Text), min(fileBytes/2, left))
		if text == "" {
			continue
		}
		left -= len(text)
		fmt.Fprintf(&b, "The file %q, which those who answer sub-questions read too:\n\n%s\n\n", f.Name, text)
		if left <= 0 {
			break
		}
	}
	return b.String()
}

// fileBytes is how much of all files planner and judge read, in bytes; half of it at most is one
// file's.
const fileBytes = 12_000

// titled is a document as a model reads of it: title, date and address.
func titled(d document.Ref) string {
	name := strings.Join(strings.Fields(d.Title), " ")
	if !d.UpdatedAt.IsZero() {
		name += ", of " + d.UpdatedAt.Format(time.DateOnly)
	}
	if d.URL != "" {
		name += ", " + d.URL
	}
	return name
}

// take makes the rows of a plan, with what was found for them before, and shows them.
func (s *inquiry) take(ctx context.Context, record Record) {
	byRound := make(map[int][]SubQuestion)
	last := 0
	for _, q := range record.Questions {
		byRound[q.Round] = append(byRound[q.Round], q)
		last = max(last, q.Round)
	}
	for round := range last + 1 {
		rows := s.add(byRound[round])
		if round > 0 {
			j := Judgment{}
			if round <= len(record.Judgments) {
				j = record.Judgments[round-1]
			}
			s.judged = s.judged.then(j)
			s.out.emit(refineBlock(round), packet.Refinement{Round: round, Answer: j.Answer, Missing: j.Missing, Contradictions: j.Contradictions})
			s.out.emit(refineBlock(round), packet.SectionEnd{})
		}
		s.announce(round, rows)
	}
	s.reach(len(record.Judgments))
	for _, number := range record.Order {
		f, ok := record.Findings[number]
		if !ok || number < 1 || number > len(s.rows) {
			continue
		}
		s.settle(ctx, s.rows[number-1], f, false)
	}
}

// announce shows the sub-questions of a round.
func (s *inquiry) announce(round int, rows []*row) {
	for _, r := range rows {
		if round == 0 {
			s.out.emit(planBlock, packet.DeepSearchPlanDelta{Text: fmt.Sprintf("%d. %s\n", r.number, r.Text)})
		}
	}
	if round == 0 {
		s.out.emit(planBlock, packet.SectionEnd{})
	}
	if len(rows) > 1 {
		s.out.emit(askBlock(round), packet.Branching{Branches: len(rows)})
	}
	s.open(round, rows)
}

// open shows sub-questions as such that wait.
func (s *inquiry) open(round int, rows []*row) {
	for _, r := range rows {
		s.out.at(r, 0, packet.SubQuestion{Question: r.Text})
	}
	s.out.emit(askBlock(round), s.progress())
}

// plainly answers a question that needs no depth, and says so unless nothing was asked.
func (s *inquiry) plainly(ctx context.Context) (turn.Report, error) {
	req := s.req
	req.Depth = nil
	said := slices.Clone(s.notices)
	if s.plain != "" {
		said = append(said, s.plain)
	}
	report, err := s.Plain.Run(ctx, req, s.out.behind(planBlock+1, func(stop *packet.Stop) {
		stop.Notices = append(slices.Clip(stop.Notices), said...)
	}))
	for i := range report.Answers {
		report.Answers[i].Notices = append(report.Answers[i].Notices, said...)
		s.notices = nil
		s.complete(&report.Answers[i])
	}
	return report, err
}

// transcript is the end of a conversation: enough to know what "it" means.
func transcript(history []message.Message) string {
	var said []string
	for _, m := range history {
		if m.Text != "" && (m.Role == message.User || m.Role == message.Assistant) {
			said = append(said, fmt.Sprintf("%s: %s", m.Role, excerpt(m.Text, 1_500)))
		}
	}
	return strings.Join(said[max(0, len(said)-6):], "\n\n")
}

// excerpt is the beginning of a text.
func excerpt(text string, runes int) string {
	if r := []rune(text); len(r) > runes {
		return string(r[:runes]) + " …"
	}
	return text
}
