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

var planSpec = llm.ToolSpec{
	Name:        "plan_search",
	Description: "States the questions that are to be looked into.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"sub_questions":{"type":"array","items":{"type":"string"},"maxItems":6,` +
		`"description":"Up to 6 questions, each understood by somebody who reads nothing else. Empty: one search answers the question, or it needs none."}},"required":["sub_questions"]}`),
}

// prepare makes a plan or restores the plan of an earlier attempt. direct means that the question
// needs no deep search.
func (s *inquiry) prepare(ctx context.Context) (direct bool, err error) {
	if s.req.SmallTalk {
		return true, nil
	}
	if !s.searchable() {
		s.plainNotice = sentenceNoSearch
		return true, nil
	}
	record, err := s.loadRecord(ctx)
	if err != nil {
		return false, err
	}
	if record.Planned() { // the record does not say what the other attempt's planner and judge read
		s.addBasis(message.Basis{Unknown: true}, nil)
	}
	if !record.Planned() {
		s.writeJournal(ctx, "beginning", func(ctx context.Context) error {
			return s.Journal.Plan(ctx, s.fence(), Record{Question: s.req.Question.Text, Audience: s.audienceKey()})
		})
		if record, err = s.plan(ctx); err != nil {
			return false, err
		}
		if context.Cause(ctx) == nil {
			record = s.keepPlan(ctx, record)
		}
	}
	s.plainNotice = s.plainReason(record)
	if record.Direct {
		return true, nil
	}
	s.remaining, s.closed = s.remainingBudget(ctx), record.Closed
	if direct, err := s.awaitChoice(ctx, record); direct || err != nil {
		return direct, err
	}
	s.restoreRows(ctx, record)
	return false, nil
}

// keepPlan stores a plan in the journal and returns the plan that the journal then has. They differ
// if people have added questions, or if an earlier attempt has stored a plan.
func (s *inquiry) keepPlan(ctx context.Context, record Record) Record {
	if s.Journal == nil {
		return record
	}
	record.Asked = s.req.Depth.Ask > 0 && len(record.Questions) > s.req.Depth.Ask
	for range 2 {
		var err error
		s.writeJournal(ctx, "plan", func(ctx context.Context) error {
			err = s.Journal.Plan(ctx, s.fence(), record)
			return err
		})
		if !errors.Is(err, ErrSteered) {
			break
		}
		record.Direct, record.Questions = false, []SubQuestion{{Text: s.req.Question.Text}}
	}
	if stored, err := s.loadRecord(ctx); err == nil && stored.Planned() {
		if !onlyExtends(stored, record) { // another attempt wrote this plan
			s.addBasis(message.Basis{Unknown: true}, nil)
		}
		return stored
	}
	return record
}

// onlyExtends reports whether stored differs from record only by questions that people added.
func onlyExtends(stored, record Record) bool {
	for i, q := range stored.Questions {
		if !q.Added && (i >= len(record.Questions) || record.Questions[i].Text != q.Text) {
			return false
		}
	}
	return true
}

// plan makes a plan for the question. It splits the question by rules if the model makes no usable
// plan.
func (s *inquiry) plan(ctx context.Context) (Record, error) {
	record := Record{Question: s.req.Question.Text, Audience: s.audienceKey()}
	questions, planned, err := s.planByModel(ctx)
	if err != nil {
		return record, err
	}
	if !planned {
		questions = Decompose(s.req.Question.Text)
	}
	record.Questions = questions
	record.Direct = len(questions) == 0
	return record, nil
}

// planByModel asks the model to split the question into sub-questions. planned is false if the
// model makes no usable plan. If planned is true without sub-questions, a plain answer is enough.
// An error ends the turn.
func (s *inquiry) planByModel(ctx context.Context) (questions []SubQuestion, planned bool, err error) {
	if s.model.Info().Extractive {
		return nil, false, nil
	}
	var b strings.Builder
	b.WriteString(s.background())
	if earlier := transcript(s.req.History); earlier != "" {
		fmt.Fprintf(&b, "The conversation so far:\n\n%s\n\n", earlier)
	}
	fmt.Fprintf(&b, "The question:\n\n%s\n", excerpt(s.req.Question.Text, 8_000))
	if !s.req.Depth.Blind {
		if first := s.firstSearch(ctx); first != "" {
			fmt.Fprintf(&b, "\nWhat a first search found, for you to know which words the documents use:\n\n%s\n", first)
		}
	}
	var plan struct {
		SubQuestions []string `json:"sub_questions"`
	}
	err = s.callTool(ctx, planSpec, strings.TrimSpace(planPrompt), b.String(), &plan)
	if errors.Is(err, errAudience) {
		return nil, false, err
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "the model made no plan; decomposing the question by rules", "turn", s.req.Turn, "error", err)
		return nil, false, nil
	}
	texts, dropped := cleanQuestions(plan.SubQuestions, nil)
	if dropped > 0 {
		s.notices = append(s.notices, fmt.Sprintf("The model planned %s; the first %d were looked into.", plural.Count(len(texts)+dropped, "part"), len(texts)))
	}
	if len(texts) == 1 && normalise(texts[0]) == normalise(s.req.Question.Text) {
		return nil, true, nil // a plain answer makes the same search
	}
	for _, t := range texts {
		questions = append(questions, SubQuestion{Text: s.req.Filter.Redact(t)})
	}
	return questions, true, nil
}

func (s *inquiry) firstSearch(ctx context.Context) string {
	req := s.partRequest(s.req.Question.Text, message.Basis{})
	req.SearchOnly, req.History = true, s.req.History
	report, err := s.partRunner().Run(ctx, req, packet.SinkFunc(func(packet.Packet) {}))
	if err != nil {
		s.Logger.WarnContext(ctx, "first search failed; planning without it", "turn", s.req.Turn, "error", err)
		return ""
	}
	a := report.Best()
	s.addBasis(message.BasisOfReferences(a.References), a.References)
	s.mu.Lock()
	s.searches = append(s.searches, a.Searches...)
	s.mu.Unlock()
	var b strings.Builder
	for _, r := range message.Distinct(a.References) {
		fmt.Fprintf(&b, "- %s: %s\n", documentTitle(r.Document), excerpt(r.Text, 300))
		if strings.Count(b.String(), "\n") == 3 {
			break
		}
	}
	return b.String()
}

// background returns what planner and judge must know: time and place, searchable sources, and
// files.
func (s *inquiry) background() string {
	var b strings.Builder
	in := prompt.Input{Now: s.req.Now, Place: s.req.Place, Sources: s.req.Sources, Tools: s.Tools.Tools(), Question: s.req.Question}
	if around := in.Circumstances(); around != "" {
		b.WriteString(around + "\n\n")
	}
	remaining := fileBytes
	for _, f := range slices.Concat(s.req.Question.Files, s.req.Project) {
		text := excerpt(strings.TrimSpace(f.Text), min(fileBytes/2, remaining))
		if text == "" {
			continue
		}
		remaining -= len(text)
		fmt.Fprintf(&b, "The file %q, which those who answer sub-questions read too:\n\n%s\n\n", f.Name, text)
		if remaining <= 0 {
			break
		}
	}
	return b.String()
}

// fileBytes is the maximum number of bytes of all files for planner and judge. One file gets at
// most half of it.
const fileBytes = 12_000

func documentTitle(d document.Ref) string {
	name := strings.Join(strings.Fields(d.Title), " ")
	if !d.UpdatedAt.IsZero() {
		name += ", of " + d.UpdatedAt.Format(time.DateOnly)
	}
	if d.URL != "" {
		name += ", " + d.URL
	}
	return name
}

func (s *inquiry) restoreRows(ctx context.Context, record Record) {
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
			s.judgment = s.judgment.merge(j)
			s.packets.emit(refineBlock(round), packet.Refinement{Round: round, Answer: j.Answer, Missing: j.Missing, Contradictions: j.Contradictions})
			s.packets.emit(refineBlock(round), packet.SectionEnd{})
		}
		s.announce(round, rows)
	}
	s.beginRound(len(record.Judgments))
	for _, number := range record.Order {
		f, ok := record.Findings[number]
		if !ok || number < 1 || number > len(s.rows) {
			continue
		}
		s.setFinding(ctx, s.rows[number-1], f, false)
	}
}

func (s *inquiry) announce(round int, rows []*row) {
	for _, r := range rows {
		if round == 0 {
			s.packets.emit(planBlock, packet.DeepSearchPlanDelta{Text: fmt.Sprintf("%d. %s\n", r.number, r.Text)})
		}
	}
	if round == 0 {
		s.packets.emit(planBlock, packet.SectionEnd{})
	}
	if len(rows) > 1 {
		s.packets.emit(askBlock(round), packet.Branching{Branches: len(rows)})
	}
	s.showRows(round, rows)
}

func (s *inquiry) showRows(round int, rows []*row) {
	for _, r := range rows {
		s.packets.emitFor(r, 0, packet.SubQuestion{Question: r.Text})
	}
	s.packets.emit(askBlock(round), s.progress())
}

func (s *inquiry) answerPlainly(ctx context.Context) (turn.Report, error) {
	req := s.req
	req.Depth = nil
	notices := slices.Clone(s.notices)
	if s.plainNotice != "" {
		notices = append(notices, s.plainNotice)
	}
	report, err := s.Plain.Run(ctx, req, s.packets.sinkAfter(planBlock+1, func(stop *packet.Stop) {
		stop.Notices = append(slices.Clip(stop.Notices), notices...)
	}))
	for i := range report.Answers {
		report.Answers[i].Notices = append(report.Answers[i].Notices, notices...)
		s.notices = nil
		s.addTotals(&report.Answers[i])
	}
	return report, err
}

func transcript(history []message.Message) string {
	var lines []string
	for _, m := range history {
		if m.Text != "" && (m.Role == message.User || m.Role == message.Assistant) {
			lines = append(lines, fmt.Sprintf("%s: %s", m.Role, excerpt(m.Text, 1_500)))
		}
	}
	return strings.Join(lines[max(0, len(lines)-6):], "\n\n")
}

// excerpt cuts a text to at most the given number of runes. It appends " …" to a cut text.
func excerpt(text string, runes int) string {
	if r := []rune(text); len(r) > runes {
		return string(r[:runes]) + " …"
	}
	return text
}
