package deepsearch

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/knowledge"
	"github.com/footnotehq/footnote/core/tool/openurl"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/tool/websearch"
	"github.com/footnotehq/footnote/core/turn"
)

//go:embed brief.md
var briefPrompt string

// errPartTime is the cause with which the work on a sub-question ends when it took too long.
var errPartTime = errors.New("the sub-question took too long")

// research has every sub-question answered that has no finding yet, several at once, each as soon
// as those are answered that it comes after.
func (s *inquiry) research(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	done, running := make(chan struct{}, s.config.Parallel), 0
	for {
		for running < s.config.Parallel && context.Cause(ctx) == nil {
			r := s.next()
			if r == nil {
				break
			}
			running++
			workers.Go(func() {
				s.work(ctx, r)
				done <- struct{}{}
			})
		}
		if running == 0 {
			return
		}
		select {
		case <-done:
			running--
		case <-s.changed:
		}
	}
}

// next takes the first row that can be worked on now; nil where there is none.
func (s *inquiry) next() *row {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rows {
		waits := r.After > 0 && r.After < r.number && s.rows[r.After-1].finding == nil
		if r.finding == nil && !r.taken && !waits {
			r.taken = true
			return r
		}
	}
	return nil
}

// wake makes a worker look for rows that can be worked on.
func (s *inquiry) wake() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// work answers one sub-question, and keeps what came of it. One that is interrupted with the turn
// has no finding.
func (s *inquiry) work(ctx context.Context, r *row) {
	wanted, drop := context.WithCancelCause(ctx)
	defer drop(nil)
	s.mu.Lock()
	r.cancel = drop
	dropped := r.finding != nil
	s.mu.Unlock()
	if dropped { // since it was taken
		return
	}
	select { // who waits longest comes first
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-wanted.Done():
		return
	}
	began := time.Now()
	limited, cancel := context.WithTimeoutCause(wanted, s.config.Part, errPartTime)
	defer cancel()
	f := s.find(limited, r)
	if context.Cause(wanted) != nil && f.State != Found {
		return
	}
	f.Took = time.Since(began)
	s.settle(ctx, r, f, true)
}

// find runs a sub-question as a separate turn. Whatever happens, it returns a finding.
func (s *inquiry) find(ctx context.Context, r *row) (f Finding) {
	defer func() {
		if p := recover(); p != nil {
			s.Logger.ErrorContext(ctx, "the work on a sub-question panicked", "turn", s.req.Turn, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			f = Finding{State: Failed, Shown: "Something went wrong while this was looked into."}
		}
	}()
	if sentence := s.req.Filter.Refuse(r.Text); r.Added && sentence != "" {
		return Finding{State: Failed, Shown: sentence}
	}
	report, err := s.reader().Run(ctx, s.partOf(r), s.out.within(r))
	if err != nil {
		s.Logger.ErrorContext(ctx, "a sub-question cannot be run", "turn", s.req.Turn, "error", err)
		return Finding{State: Failed, Shown: "This could not be looked into."}
	}
	a := report.Best()
	f = Finding{Citations: a.Citations, References: a.References, Behind: s.resting(), Searches: a.Searches, Model: a.Model, Usage: a.Usage}
	switch {
	case a.Ending.Outcome == session.Answered && (a.Ending.Grounding == packet.Cited || s.req.SearchOnly):
		f.State, f.Text = Found, a.Text
	case len(a.Searches) == 0 && (a.Ending.Outcome == session.Answered || a.Ending.Outcome == session.NoEvidence):
		f.State, f.Shown = Failed, "The search did not work." // so nothing is known about the documents
	case a.Ending.Outcome == session.Answered, a.Ending.Outcome == session.NoEvidence:
		f.State, f.Closest = Missing, a.Ending.Closest
	case errors.Is(context.Cause(ctx), errPartTime):
		f.State, f.Shown = Failed, fmt.Sprintf("This took longer than %s.", said(s.config.Part))
	default:
		f.State, f.Shown = Failed, string(a.Ending.Sentence)
	}
	if s.fast.Info().Extractive || s.stoodIn(a) {
		f.Text = quotations(f.Text)
	}
	if f.State == Found && r.Again > 0 && s.fast.Info().Extractive && !s.about(r, f) {
		f = Finding{State: Missing, References: a.References, Searches: a.Searches}
	}
	s.mu.Lock()
	for _, notice := range a.Notices {
		if !slices.Contains(s.notices, notice) {
			s.notices = append(s.notices, notice)
		}
	}
	s.mu.Unlock()
	return f
}

// about reports whether the finding of what was asked again says anything of the question in
// addition to the names, which alone bring what is said of them: it does, or it rests on a document
// that the first finding does not cite.
func (s *inquiry) about(r *row, f Finding) bool {
	question, _, _ := strings.Cut(r.Text, " (")
	if cite.Supported(question, []string{f.Text}) > 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.rows[r.Again-1].finding
	return first != nil && first.State == Found && !slices.ContainsFunc(f.Citations, func(c message.Citation) bool {
		return slices.ContainsFunc(first.Citations, func(had message.Citation) bool { return had.Document.ID == c.Document.ID })
	})
}

// stoodIn reports whether the stand-in wrote.
func (s *inquiry) stoodIn(a turn.Answer) bool {
	return s.req.StandIn != nil && a.Model == s.req.StandIn.Info().Name
}

// briefed is a sub-question as it is asked, with the names that the one before it found, and what
// that text was made of.
func (s *inquiry) briefed(r *row) (text string, basis message.Basis) {
	q := r.SubQuestion
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.After < 1 || q.After >= r.number {
		return q.Text, r.basis
	}
	basis = r.basis
	if before := s.rows[q.After-1].finding; before != nil && before.State == Found {
		if names := Names(s.req.Question.Text, sentences(*before)); len(names) > 0 {
			q.Text, basis = with(q.Text, names), basis.With(message.BasisOfReferences(before.References))
		}
	}
	return q.Text, basis
}

// resting returns the documents that the plan was made of.
func (s *inquiry) resting() []message.Reference {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.behind)
}

// people returns what people wrote of a search: the question, and what they added while it ran.
func (s *inquiry) people() []string {
	texts := []string{s.req.Question.Text}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rows {
		if r.Added {
			texts = append(texts, r.Text)
		}
	}
	return texts
}

// usable are the tools that a sub-question may use: those of the list that the agent has.
func (s *inquiry) usable() []string {
	own, err := s.Tools.Only(s.req.Agent.Tools...)
	if err != nil { // a tool that is not there: the run of the turn says so
		return nil
	}
	var names []string
	for _, name := range []string{search.Name, knowledge.Name, websearch.Name, openurl.Name} {
		if own.Find(name) != nil {
			names = append(names, name)
		}
	}
	return names
}

// searchable reports whether the agent has a search, without which there is nothing to look into.
func (s *inquiry) searchable() bool { return slices.Contains(s.usable(), search.Name) }

// partOf is the turn of a row. It knows what the whole question is and what others look into,
// unless a person wrote it: what is planned rests on what the planner read, and a person's own
// question does not.
func (s *inquiry) partOf(r *row) turn.Request {
	req := s.part(s.briefed(r))
	req.Question.Files, req.Project = s.req.Question.Files, s.req.Project
	instructions := req.Agent.Instructions + "\n\nThe whole question, of which others look into the rest:\n\n" + excerpt(s.req.Question.Text, 4_000)
	var others []string
	for _, o := range s.standing() {
		if !r.Added && o.number != r.number {
			others = append(others, "- "+o.Text)
		}
	}
	if len(others) > 0 {
		instructions += "\n\nWhat others look into:\n\n" + strings.Join(others, "\n")
	}
	req.Agent.Instructions = instructions
	return req
}

// part is the turn in which a sub-question is answered: nothing of the conversation is known in it,
// and nothing but documents counts. Its text is no person's, whoever wrote it: what people wrote is
// handed over by itself.
func (s *inquiry) part(text string, basis message.Basis) turn.Request {
	agent := prompt.Agent{Name: s.req.Agent.Name, Sources: s.req.Agent.Sources, Grounding: prompt.Strict, Instructions: strings.TrimSpace(briefPrompt)}
	agent.Tools = s.usable()
	return turn.Request{
		Turn: s.req.Turn, Attempt: s.req.Attempt, Audience: s.req.Audience, Asker: s.req.Asker, Question: message.Message{Role: message.Task, Text: text, At: s.req.Question.At},
		Agent: agent, System: s.req.System, Models: []llm.Model{s.fast}, StandIn: s.req.StandIn, Filter: s.req.Filter, ForceTool: search.Name,
		SearchOnly: s.req.SearchOnly, Now: s.req.Now, Sources: s.req.Sources, CheckAudience: s.req.CheckAudience, Part: &turn.Part{Numbers: s.numbers, Cited: &cite.Numbers{}, Quoted: s.people(), Basis: basis},
	}
}

// toolTimeout limits a tool call for a sub-question, for which a person does not wait alone.
const toolTimeout = 2 * time.Minute

// reader runs sub-questions: with searches of which there are so many and no more.
func (s *inquiry) reader() *turn.Runner {
	left := new(atomic.Int64)
	left.Store(int64(s.config.Searches))
	var tools []tool.Tool
	for _, t := range s.Tools.Tools() {
		if t.Spec().Name == search.Name {
			t = &counted{Tool: t, left: left, most: s.config.Searches}
		}
		tools = append(tools, t)
	}
	set, err := tool.NewSet(tools...)
	if err != nil { // the names are those of a set
		panic(err)
	}
	return turn.NewRunner(set, s.Counter, turn.Config{MaxSteps: s.config.Searches + 2, Tools: tool.RunnerConfig{Timeout: toolTimeout}, Policy: s.config.Policy, DropUnsupported: true}, s.Logger)
}

// keep writes to the journal. What is not kept is found again by whoever takes the turn over, so a
// failure costs no answer.
func (s *inquiry) keep(ctx context.Context, what string, write func(context.Context) error) {
	if s.Journal == nil {
		return
	}
	lasting, cancel := context.WithTimeout(context.WithoutCancel(ctx), keeping)
	defer cancel()
	if err := write(lasting); err != nil {
		s.Logger.WarnContext(ctx, "deep search not kept", "what", what, "turn", s.req.Turn, "error", err)
	}
}

// keeping bounds one write to the journal.
const keeping = 10 * time.Second

// said is a length of time in words.
func said(d time.Duration) string {
	if d >= 2*time.Minute {
		return plural.Count(int(d.Minutes()), "minute")
	}
	return plural.Count(int(d.Seconds()), "second")
}
