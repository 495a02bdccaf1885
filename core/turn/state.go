package turn

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
)

// recorder is the write-only view of [state]. Workers cannot read recorded data, so no logic can
// depend on it.
type recorder interface {
	// NoteFirstToken records when the model first sent something.
	NoteFirstToken()
	// AddReasoning adds reasoning text.
	AddReasoning(text string)
	// BeginMessage begins a message of the answer.
	BeginMessage()
	// AddText adds text of the message as the model wrote it.
	AddText(text string)
	// AddShown adds text of the message as the reader sees it.
	AddShown(text string)
	// AddCitation adds a cited document with the reader's number.
	AddCitation(info cite.Info)
	// AddInvented counts dropped numbers that no passage had.
	AddInvented(numbers int)
	// AddReferences adds passages that a prompt now includes.
	AddReferences(references []message.Reference)
	// AddSearch adds the result of a search-like tool. account may be nil. The notices in account
	// are shown to the person.
	AddSearch(evidence bool, closest []document.Ref, account *retrieve.Account)
	// AddFailedSearch adds a failed search, for explanations.
	AddFailedSearch(account retrieve.Account)
	// AddSteps adds a step's tool messages. Text written before the calls then belongs to these
	// messages instead of the answer.
	AddSteps(messages []message.Message)
	// AddInference adds usage and duration of one model call.
	AddInference(model string, usage llm.Usage, took time.Duration)
	// NoteSearchFailure records that a search failed.
	NoteSearchFailure()
	// AddToolTime adds the duration of the step's tools.
	AddToolTime(took time.Duration)
	// AddNotices adds sentences for the person.
	AddNotices(sentences ...string)
}

// state accumulates the results of one model's run. It is safe for concurrent use. Only the Runner
// reads it, after the run has ended.
type state struct {
	began time.Time

	mu          sync.Mutex
	answer      Answer
	text, shown strings.Builder
	cited       []cite.Info
	seen        map[string]bool
	searched    bool
	unsearched  bool
	evidence    bool
	closest     []document.Ref
}

var _ recorder = (*state)(nil)

func newState(model string, began time.Time) *state {
	return &state{began: began, answer: Answer{Model: model}, seen: make(map[string]bool)}
}

func (s *state) NoteFirstToken() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answer.Timings.FirstToken == 0 {
		s.answer.Timings.FirstToken = time.Since(s.began)
	}
}

func (s *state) AddReasoning(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer.Reasoning += utf8.RuneCountInString(text)
}

func (s *state) BeginMessage() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text.Len() > 0 { // another message of the same step precedes it
		s.text.WriteString(messageBreak)
	}
	if s.shown.Len() > 0 {
		s.shown.WriteString(messageBreak)
	}
}

func (s *state) AddText(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.WriteString(text)
}

func (s *state) AddShown(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answer.Timings.FirstText == 0 {
		s.answer.Timings.FirstText = time.Since(s.began)
	}
	s.shown.WriteString(text)
}

func (s *state) AddCitation(info cite.Info) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cited = append(s.cited, info)
}

func (s *state) AddInvented(numbers int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer.Invented += numbers
}

func (s *state) AddReferences(references []message.Reference) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range references {
		if key := referenceKey(r); !s.seen[key] {
			s.seen[key] = true
			s.answer.References = append(s.answer.References, r)
		}
	}
}

func (s *state) AddSearch(evidence bool, closest []document.Ref, account *retrieve.Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.searched = true
	if account != nil {
		s.answer.Searches = append(s.answer.Searches, *account)
		for _, sentence := range account.Notices {
			s.notice(sentence)
		}
	}
	s.evidence = s.evidence || evidence
	if s.closest == nil {
		s.closest = closest
	}
}

func (s *state) AddFailedSearch(account retrieve.Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer.Searches = append(s.answer.Searches, account)
}

func (s *state) NoteSearchFailure() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsearched = true
}

func (s *state) AddSteps(messages []message.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer.Steps = append(s.answer.Steps, messages...)
	s.text.Reset()
}

func (s *state) AddInference(model string, usage llm.Usage, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if model != "" {
		s.answer.Model = model
	}
	s.answer.Usage.Input += usage.Input
	s.answer.Usage.Output += usage.Output
	s.answer.Timings.Steps = append(s.answer.Timings.Steps, StepTiming{Model: took})
}

func (s *state) AddToolTime(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.answer.Timings.Steps); n > 0 {
		s.answer.Timings.Steps[n-1].Tools += took
	}
}

func (s *state) AddNotices(sentences ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notice(sentences...)
}

// notice adds sentences to the notices of the answer, without duplicates. mu must be held.
func (s *state) notice(sentences ...string) {
	for _, sentence := range sentences {
		if !s.seen["notice "+sentence] {
			s.seen["notice "+sentence] = true
			s.answer.Notices = append(s.answer.Notices, sentence)
		}
	}
}

func (s *state) facts() facts {
	s.mu.Lock()
	defer s.mu.Unlock()
	passages := make(map[int][]string)
	for _, r := range s.answer.References {
		if r.Text != "" {
			passages[r.Number] = append(passages[r.Number], r.Text, r.Document.Title, r.Heading)
		}
	}
	text := s.text.String()
	return facts{
		cited: len(s.cited) > 0, wroteText: s.shown.Len() > 0, searched: s.searched, unsearched: s.unsearched && !s.searched, evidence: s.evidence,
		references: len(passages) > 0, baseless: baseless(text, passages), isDenial: denies(text),
	}
}

// finish returns the complete Answer. If prose is set, the text of the answer is written for
// people. finish then removes citation numbers that the model invented, and a list of sources at
// its end.
func (s *state) finish(ending Ending, cause error, mapping *cite.Mapping, prose bool) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.answer
	a.Text, a.Shown = s.text.String(), s.shown.String()
	if prose {
		a.Text = cite.Clean(a.Text, mapping)
	}
	a.Timings.Total = time.Since(s.began)
	a.Ending, a.Cause = ending, cause
	a.Citations = citations(s.cited, a.References, mapping)
	if ending.Outcome == session.Answered {
		a.Unsupported = unsupported(a.Text, a.References, mapping)
	}
	return a
}

func (s *state) references() []message.Reference {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answer.References
}

func (s *state) closestDocuments() []document.Ref {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closest
}
