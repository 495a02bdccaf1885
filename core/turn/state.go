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

// recorder is the write-only face of the state container: lower levels add to it and can read
// nothing back, so that no logic can come to depend on what was accumulated.
type recorder interface {
	// Received notes that the model sent something.
	Received()
	// Reasoned adds reasoning.
	Reasoned(text string)
	// Opened begins a message of the answer.
	Opened()
	// Wrote adds what the model wrote of the message.
	Wrote(text string)
	// Showed adds what the reader sees of it.
	Showed(text string)
	// Cited adds a document under its reader's number.
	Cited(info cite.Info)
	// Invented adds numbers that were never shown, and were left out.
	Invented(numbers int)
	// Held adds passages that a prompt holds from now on.
	Held(references []message.Reference)
	// Searched adds the result of a search-like tool; the account may be nil. The person reads a
	// notice of a search that went by keywords alone.
	Searched(evidence bool, closest []document.Ref, account *retrieve.Account)
	// Attempted adds a search that failed, for explanations.
	Attempted(account retrieve.Account)
	// Stepped adds a step's tool messages; what was written before the calls belongs to them, no
	// more to the answer.
	Stepped(messages []message.Message)
	// Asked adds what one inference took.
	Asked(model string, usage llm.Usage, took time.Duration)
	// Unsearched records that a search failed.
	Unsearched()
	// Ran adds what the tools of the step took.
	Ran(took time.Duration)
	// Noticed adds a sentence for the person.
	Noticed(sentences ...string)
}

// state is the state container of one model's run. It is safe for concurrent use. Only the Runner
// reads it, once the run has ended.
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

func (s *state) Received() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answer.Timings.FirstToken == 0 {
		s.answer.Timings.FirstToken = time.Since(s.began)
	}
}

func (s *state) Reasoned(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer.Reasoning += utf8.RuneCountInString(text)
}

func (s *state) Opened() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text.Len() > 0 { // a message before it in the same step
		s.text.WriteString(messageBreak)
	}
	if s.shown.Len() > 0 {
		s.shown.WriteString(messageBreak)
	}
}

func (s *state) Wrote(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.WriteString(text)
}

func (s *state) Showed(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answer.Timings.FirstText == 0 {
		s.answer.Timings.FirstText = time.Since(s.began)
	}
	s.shown.WriteString(text)
}

func (s *state) Cited(info cite.Info) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cited = append(s.cited, info)
}

func (s *state) Invented(numbers int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer.Invented += numbers
}

func (s *state) Held(references []message.Reference) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range references {
		if key := referenceKey(r); !s.seen[key] {
			s.seen[key] = true
			s.answer.References = append(s.answer.References, r)
		}
	}
}

func (s *state) Searched(evidence bool, closest []document.Ref, account *retrieve.Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.searched = true
	if account != nil {
		s.answer.Searches = append(s.answer.Searches, *account)
		for _, sentence := range account.Told {
			s.notice(sentence)
		}
	}
	s.evidence = s.evidence || evidence
	if s.closest == nil {
		s.closest = closest
	}
}

func (s *state) Attempted(account retrieve.Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer.Searches = append(s.answer.Searches, account)
}

func (s *state) Unsearched() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsearched = true
}

func (s *state) Stepped(messages []message.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer.Steps = append(s.answer.Steps, messages...)
	s.text.Reset()
}

func (s *state) Asked(model string, usage llm.Usage, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if model != "" {
		s.answer.Model = model
	}
	s.answer.Usage.Input += usage.Input
	s.answer.Usage.Output += usage.Output
	s.answer.Timings.Steps = append(s.answer.Timings.Steps, StepTiming{Model: took})
}

func (s *state) Ran(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.answer.Timings.Steps); n > 0 {
		s.answer.Timings.Steps[n-1].Tools += took
	}
}

func (s *state) Noticed(sentences ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notice(sentences...)
}

// notice adds sentences once each. The caller holds mu.
func (s *state) notice(sentences ...string) {
	for _, sentence := range sentences {
		if !s.seen["notice "+sentence] {
			s.seen["notice "+sentence] = true
			s.answer.Notices = append(s.answer.Notices, sentence)
		}
	}
}

// facts are what the outcome depends on.
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
		cited: len(s.cited) > 0, wrote: s.shown.Len() > 0, searched: s.searched, unsearched: s.unsearched && !s.searched, evidence: s.evidence,
		references: len(passages) > 0, baseless: baseless(text, passages), denied: denies(text),
	}
}

// finish returns the finished answer. Where it is prose, what the reader was not shown of it is not
// kept: a number that the model made up may be another passage's later on.
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

// nearest returns the closest documents of the first search that came close to anything.
func (s *state) held() []message.Reference {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answer.References
}

func (s *state) nearest() []document.Ref {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closest
}
