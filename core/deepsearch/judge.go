package deepsearch

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
)

//go:embed judge.md
var judgePrompt string

// Judgment is a model's assessment of whether the findings answer the question.
type Judgment struct {
	Answer         string   // what the findings answer; empty if no model judged
	Missing        []string // what the findings do not answer
	Contradictions []string // where findings disagree
}

// merge returns the judgment next with the contradictions of j added. A contradiction stays,
// because later findings do not resolve it.
func (j Judgment) merge(next Judgment) Judgment {
	for _, c := range next.Contradictions {
		if !slices.Contains(j.Contradictions, c) {
			j.Contradictions = append(slices.Clip(j.Contradictions), c)
		}
	}
	next.Contradictions = j.Contradictions
	return next
}

var judgeSpec = llm.ToolSpec{
	Name:        "judge_findings",
	Description: "States what the findings answer, what is missing, and what is to be asked further.",
	Parameters: json.RawMessage(`{"type":"object","properties":{` +
		`"answer":{"type":"string","description":"What the findings answer so far, in a few sentences, with their numbers in brackets."},` +
		`"enough":{"type":"boolean","description":"The findings answer the whole question, or the documents seem to hold no more."},` +
		`"missing":{"type":"array","items":{"type":"string"},"description":"What of the question they do not answer."},` +
		`"contradictions":{"type":"array","items":{"type":"string"},"description":"Where findings disagree, both sides with their dates."},` +
		`"sub_questions":{"type":"array","items":{"type":"string"},"maxItems":6,"description":"Questions that use what was found and could bring what is missing. Empty if enough."}},` +
		`"required":["answer","enough","sub_questions"]}`),
}

// maxNamed is the maximum number of missing items, and of contradictions, in a judgment.
const maxNamed = 6

func (s *inquiry) refine(ctx context.Context) (more bool, err error) {
	var (
		judged    Judgment
		questions []SubQuestion
	)
	if s.model.Info().Extractive {
		questions = s.namedQuestions()
	} else if judged, questions, err = s.judge(ctx); err != nil {
		return false, err
	}
	s.mu.Lock()
	s.judgment = s.judgment.merge(judged)
	s.mu.Unlock()
	if context.Cause(ctx) != nil || len(questions) == 0 && judged.Answer == "" {
		return false, nil
	}
	round := s.latestRound() + 1
	for i := range questions {
		questions[i].Round = round
	}
	for tries := 0; tries <= MaxAdded; tries++ {
		var err error
		s.writeJournal(ctx, "judgment", func(ctx context.Context) error {
			err = s.Journal.Extend(ctx, s.fence(), s.rowCount(), judged, questions)
			return err
		})
		if !errors.Is(err, ErrSteered) {
			break
		}
		s.steer(ctx) // add the other questions first, since numbers follow the order of arrival
	}
	rows := s.add(questions)
	s.beginRound(round)
	s.packets.emit(refineBlock(round), packet.Refinement{Round: round, Answer: judged.Answer, Missing: judged.Missing, Contradictions: judged.Contradictions})
	s.packets.emit(refineBlock(round), packet.SectionEnd{})
	s.announce(round, rows)
	return len(questions) > 0, nil
}

// judge asks the model whether the findings answer the question. It returns the judgment and the
// model's further questions. The judgment is empty if the model's reply cannot be decoded.
func (s *inquiry) judge(ctx context.Context) (Judgment, []SubQuestion, error) {
	var b strings.Builder
	b.WriteString(s.background())
	fmt.Fprintf(&b, "The question:\n\n%s\n\nWhat was found:\n", excerpt(s.req.Question.Text, 8_000))
	var asked []string
	for _, r := range s.snapshot() {
		asked = append(asked, r.Text)
		fmt.Fprintf(&b, "\n%d. %s\n%s\n", r.number, r.Text, r.summary())
	}
	b.WriteString(s.citedDocuments())
	var said struct {
		Answer         string   `json:"answer"`
		Enough         bool     `json:"enough"`
		Missing        []string `json:"missing"`
		Contradictions []string `json:"contradictions"`
		SubQuestions   []string `json:"sub_questions"`
	}
	err := s.callTool(ctx, judgeSpec, strings.TrimSpace(judgePrompt), b.String(), &said)
	if errors.Is(err, errAudience) {
		return Judgment{}, nil, err
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "the model made no judgment; writing the report without one", "turn", s.req.Turn, "error", err)
		return Judgment{}, nil, nil
	}
	j := Judgment{Answer: s.req.Filter.Redact(excerpt(said.Answer, 4_000)), Missing: s.cleanItems(said.Missing), Contradictions: s.cleanItems(said.Contradictions)}
	if said.Enough {
		return j, nil, nil
	}
	texts, _ := cleanQuestions(said.SubQuestions, asked)
	var questions []SubQuestion
	for _, t := range texts {
		questions = append(questions, SubQuestion{Text: s.req.Filter.Redact(t)})
	}
	return j, questions, nil
}

func (s *inquiry) citedDocuments() string {
	var b strings.Builder
	seen := make(map[int]bool)
	for _, r := range s.snapshot() {
		if r.finding == nil {
			continue
		}
		for _, c := range r.finding.Citations {
			if n := c.ModelSees; !seen[n] {
				seen[n] = true
				fmt.Fprintf(&b, "[%d] %s\n", n, documentTitle(c.Document))
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nThe documents behind the numbers:\n\n" + b.String()
}

func (s *inquiry) cleanItems(all []string) []string {
	var out []string
	for _, one := range all[:min(len(all), maxNamed)] {
		if one = strings.Join(strings.Fields(one), " "); one != "" {
			out = append(out, s.req.Filter.Redact(excerpt(one, maxSubQuestion)))
		}
	}
	return out
}

func (r row) summary() string {
	text := r.result()
	if r.Added && (r.finding == nil || r.finding.State != Dropped) {
		text += "\nA person asked for this while the search ran; the report is to answer it."
	}
	return text
}

func (r row) result() string {
	switch {
	case r.finding == nil:
		return "Not looked into."
	case r.finding.State == Found && r.finding.Text != "":
		return excerpt(r.finding.Text, 6_000)
	case r.finding.State == Found:
		return r.finding.Shown
	case r.finding.State == Failed:
		return "This could not be looked into: " + r.finding.Shown
	case r.finding.State == Dropped:
		return "A person said that this is not wanted."
	default:
		return session.SentenceNothing
	}
}
