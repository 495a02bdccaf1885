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

// Judgment says what is to be thought of what was found by then.
type Judgment struct {
	Answer         string   // what can be answered by then; empty where no model judged
	Missing        []string // what the findings do not say
	Contradictions []string // where they do not agree
}

// then is what two judgments come to, of which the second one knows more. What contradicts does so
// after further findings, too.
func (j Judgment) then(next Judgment) Judgment {
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

// most of what a judgment may name.
const maxNamed = 6

// refine judges what was found and asks further where that does not suffice. It reports whether
// there are new sub-questions.
func (s *inquiry) refine(ctx context.Context) (more bool, err error) {
	var (
		judged    Judgment
		questions []SubQuestion
	)
	if s.model.Info().Extractive {
		questions = s.byName()
	} else if judged, questions, err = s.judge(ctx); err != nil {
		return false, err
	}
	s.mu.Lock()
	s.judged = s.judged.then(judged)
	s.mu.Unlock()
	if context.Cause(ctx) != nil || len(questions) == 0 && judged.Answer == "" {
		return false, nil
	}
	round := s.latest() + 1
	for i := range questions {
		questions[i].Round = round
	}
	for tries := 0; tries <= MaxAdded; tries++ {
		var err error
		s.keep(ctx, "judgment", func(ctx context.Context) error {
			err = s.Journal.Extend(ctx, s.fence(), s.known(), judged, questions)
			return err
		})
		if !errors.Is(err, ErrSteered) {
			break
		}
		s.steer(ctx) // another replica was faster: numbers follow the order in which questions came
	}
	rows := s.add(questions)
	s.reach(round)
	s.out.emit(refineBlock(round), packet.Refinement{Round: round, Answer: judged.Answer, Missing: judged.Missing, Contradictions: judged.Contradictions})
	s.out.emit(refineBlock(round), packet.SectionEnd{})
	s.announce(round, rows)
	return len(questions) > 0, nil
}

// judge asks the model. Where it does not say anything that can be read, what was found has to do.
func (s *inquiry) judge(ctx context.Context) (Judgment, []SubQuestion, error) {
	var b strings.Builder
	b.WriteString(s.background())
	fmt.Fprintf(&b, "The question:\n\n%s\n\nWhat was found:\n", excerpt(s.req.Question.Text, 8_000))
	var asked []string
	for _, r := range s.standing() {
		asked = append(asked, r.Text)
		fmt.Fprintf(&b, "\n%d. %s\n%s\n", r.number, r.Text, r.told())
	}
	b.WriteString(s.cataloged())
	var said struct {
		Answer         string   `json:"answer"`
		Enough         bool     `json:"enough"`
		Missing        []string `json:"missing"`
		Contradictions []string `json:"contradictions"`
		SubQuestions   []string `json:"sub_questions"`
	}
	err := s.form(ctx, judgeSpec, strings.TrimSpace(judgePrompt), b.String(), &said)
	if errors.Is(err, errAudience) {
		return Judgment{}, nil, err
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "what was found was not judged; the report is written from it", "turn", s.req.Turn, "error", err)
		return Judgment{}, nil, nil
	}
	j := Judgment{Answer: s.req.Filter.Redact(excerpt(said.Answer, 4_000)), Missing: s.named(said.Missing), Contradictions: s.named(said.Contradictions)}
	if said.Enough {
		return j, nil, nil
	}
	texts, _ := tidy(said.SubQuestions, asked)
	var questions []SubQuestion
	for _, t := range texts {
		questions = append(questions, SubQuestion{Text: s.req.Filter.Redact(t)})
	}
	return j, questions, nil
}

// cataloged lists the documents that findings cite, under their numbers.
func (s *inquiry) cataloged() string {
	var b strings.Builder
	seen := make(map[int]bool)
	for _, r := range s.standing() {
		if r.finding == nil {
			continue
		}
		for _, c := range r.finding.Citations {
			if n := c.ModelSees; !seen[n] {
				seen[n] = true
				fmt.Fprintf(&b, "[%d] %s\n", n, titled(c.Document))
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nThe documents behind the numbers:\n\n" + b.String()
}

// named are things that a judgment names, as they may be shown.
func (s *inquiry) named(all []string) []string {
	var out []string
	for _, one := range all[:min(len(all), maxNamed)] {
		if one = strings.Join(strings.Fields(one), " "); one != "" {
			out = append(out, s.req.Filter.Redact(excerpt(one, maxSubQuestion)))
		}
	}
	return out
}

// told is what a row came to, for a model.
func (r row) told() string {
	said := r.came()
	if r.Added && (r.finding == nil || r.finding.State != Dropped) {
		said += "\nA person asked for this while the search ran; the report is to answer it."
	}
	return said
}

func (r row) came() string {
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
