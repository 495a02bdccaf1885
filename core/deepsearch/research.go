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

// errPartTime is the cancellation cause of a sub-question that took too long.
var errPartTime = errors.New("the sub-question took too long")

// research answers every sub-question that has no finding, several at once. A sub-question with
// [SubQuestion].After starts when the sub-question with that number is answered.
func (s *inquiry) research(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	done, running := make(chan struct{}, s.config.Parallel), 0
	for {
		for running < s.config.Parallel && context.Cause(ctx) == nil {
			r := s.nextRow()
			if r == nil {
				break
			}
			running++
			workers.Go(func() {
				s.workOn(ctx, r)
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

func (s *inquiry) nextRow() *row {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rows {
		waits := r.After > 0 && r.After < r.number && s.rows[r.After-1].finding == nil
		if r.finding == nil && !r.started && !waits {
			r.started = true
			return r
		}
	}
	return nil
}

func (s *inquiry) notifyChange() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// workOn answers a sub-question and stores the finding. It stores nothing if the turn ends or a
// person drops the sub-question before an answer is found.
func (s *inquiry) workOn(ctx context.Context, r *row) {
	wanted, drop := context.WithCancelCause(ctx)
	defer drop(nil)
	s.mu.Lock()
	r.cancel = drop
	dropped := r.finding != nil
	s.mu.Unlock()
	if dropped { // dropped after nextRow
		return
	}
	select { // goroutines are served in order of arrival
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-wanted.Done():
		return
	}
	began := time.Now()
	limited, cancel := context.WithTimeoutCause(wanted, s.config.Part, errPartTime)
	defer cancel()
	f := s.answerPart(limited, r)
	if context.Cause(wanted) != nil && f.State != Found {
		return
	}
	f.Took = time.Since(began)
	s.setFinding(ctx, r, f, true)
}

// answerPart runs a sub-question as a separate turn. It always returns a finding, even after a
// panic.
func (s *inquiry) answerPart(ctx context.Context, r *row) (f Finding) {
	defer func() {
		if p := recover(); p != nil {
			s.Logger.ErrorContext(ctx, "a sub-question panicked", "turn", s.req.Turn, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			f = Finding{State: Failed, Shown: "Something went wrong while this was looked into."}
		}
	}()
	if sentence := s.req.Filter.Refuse(r.Text); r.Added && sentence != "" {
		return Finding{State: Failed, Shown: sentence}
	}
	report, err := s.partRunner().Run(ctx, s.rowRequest(r), s.packets.sinkFor(r))
	if err != nil {
		s.Logger.ErrorContext(ctx, "a sub-question cannot be run", "turn", s.req.Turn, "error", err)
		return Finding{State: Failed, Shown: "This could not be looked into."}
	}
	a := report.Best()
	f = Finding{Citations: a.Citations, References: a.References, Behind: s.planDocuments(), Searches: a.Searches, Model: a.Model, Usage: a.Usage}
	switch {
	case a.Ending.Outcome == session.Answered && (a.Ending.Grounding == packet.Cited || s.req.SearchOnly):
		f.State, f.Text = Found, a.Text
	case len(a.Searches) == 0 && (a.Ending.Outcome == session.Answered || a.Ending.Outcome == session.NoEvidence):
		f.State, f.Shown = Failed, "The search did not work." // the documents may still answer it
	case a.Ending.Outcome == session.Answered, a.Ending.Outcome == session.NoEvidence:
		f.State, f.Closest = Missing, a.Ending.Closest
	case errors.Is(context.Cause(ctx), errPartTime):
		f.State, f.Shown = Failed, fmt.Sprintf("This took longer than %s.", durationText(s.config.Part))
	default:
		f.State, f.Shown = Failed, string(a.Ending.Sentence)
	}
	if s.fast.Info().Extractive || s.wroteStandIn(a) {
		f.Text = quotedParagraphs(f.Text)
	}
	if f.State == Found && r.Again > 0 && s.fast.Info().Extractive && !s.addsToFirst(r, f) {
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

// addsToFirst reports whether f, the finding for a repeated question with added names, improves on
// the first finding. It must contain words of the question itself, or cite none of the documents
// that the first finding cites.
func (s *inquiry) addsToFirst(r *row, f Finding) bool {
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

func (s *inquiry) wroteStandIn(a turn.Answer) bool {
	return s.req.StandIn != nil && a.Model == s.req.StandIn.Info().Name
}

// partText returns the text with which to search for a sub-question. If After refers to an earlier
// sub-question, the text includes names from its finding. basis lists the documents on which the
// text is based.
func (s *inquiry) partText(r *row) (text string, basis message.Basis) {
	q := r.SubQuestion
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.After < 1 || q.After >= r.number {
		return q.Text, r.basis
	}
	basis = r.basis
	if before := s.rows[q.After-1].finding; before != nil && before.State == Found {
		if names := Names(s.req.Question.Text, findingSentences(*before)); len(names) > 0 {
			q.Text, basis = withNames(q.Text, names), basis.With(message.BasisOfReferences(before.References))
		}
	}
	return q.Text, basis
}

func (s *inquiry) planDocuments() []message.Reference {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.planSources)
}

func (s *inquiry) writtenByPeople() []string {
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

func (s *inquiry) partTools() []string {
	own, err := s.Tools.Only(s.req.Agent.Tools...)
	if err != nil { // an unknown tool: running the turn reports it
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

func (s *inquiry) searchable() bool { return slices.Contains(s.partTools(), search.Name) }

// rowRequest returns the request that answers a sub-question. Its instructions have the whole
// question and the other sub-questions. A question that a person added gets no other sub-questions,
// because they depend on documents that the planner has read.
func (s *inquiry) rowRequest(r *row) turn.Request {
	req := s.partRequest(s.partText(r))
	req.Question.Files, req.Project = s.req.Question.Files, s.req.Project
	instructions := req.Agent.Instructions + "\n\nThe whole question, of which others look into the rest:\n\n" + excerpt(s.req.Question.Text, 4_000)
	var others []string
	for _, o := range s.snapshot() {
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

// partRequest returns a request that answers a sub-question from documents, without the
// conversation. The text counts as a task and not as a person's words. basis lists the documents on
// which the text is based.
func (s *inquiry) partRequest(text string, basis message.Basis) turn.Request {
	agent := prompt.Agent{Name: s.req.Agent.Name, Sources: s.req.Agent.Sources, Grounding: prompt.Strict, Instructions: strings.TrimSpace(briefPrompt)}
	agent.Tools = s.partTools()
	return turn.Request{
		Turn: s.req.Turn, Attempt: s.req.Attempt, Audience: s.req.Audience, Asker: s.req.Asker, Question: message.Message{Role: message.Task, Text: text, At: s.req.Question.At},
		Agent: agent, System: s.req.System, Models: []llm.Model{s.fast}, StandIn: s.req.StandIn, Filter: s.req.Filter, ForceTool: search.Name,
		SearchOnly: s.req.SearchOnly, Now: s.req.Now, Sources: s.req.Sources, CheckAudience: s.req.CheckAudience, Part: &turn.Part{Numbers: s.numbers, Cited: &cite.Numbers{}, Quoted: s.writtenByPeople(), Basis: basis},
	}
}

const toolTimeout = 2 * time.Minute

// partRunner returns a new runner for one sub-question. The runner limits the number of searches.
func (s *inquiry) partRunner() *turn.Runner {
	remaining := new(atomic.Int64)
	remaining.Store(int64(s.config.Searches))
	var tools []tool.Tool
	for _, t := range s.Tools.Tools() {
		if t.Spec().Name == search.Name {
			t = &limitedTool{Tool: t, remaining: remaining, limit: s.config.Searches}
		}
		tools = append(tools, t)
	}
	set, err := tool.NewSet(tools...)
	if err != nil { // the names come from a valid set
		panic(err)
	}
	return turn.NewRunner(set, s.Counter, turn.Config{MaxSteps: s.config.Searches + 2, Tools: tool.RunnerConfig{Timeout: toolTimeout}, Policy: s.config.Policy, DropUnsupported: true}, s.Logger)
}

// writeJournal calls write, even if ctx has ended, and logs its error. It does nothing if there is
// no journal.
func (s *inquiry) writeJournal(ctx context.Context, what string, write func(context.Context) error) {
	if s.Journal == nil {
		return
	}
	lasting, cancel := context.WithTimeout(context.WithoutCancel(ctx), journalTimeout)
	defer cancel()
	if err := write(lasting); err != nil {
		s.Logger.WarnContext(ctx, "storing a deep search failed", "what", what, "turn", s.req.Turn, "error", err)
	}
}

const journalTimeout = 10 * time.Second

func durationText(d time.Duration) string {
	if d >= 2*time.Minute {
		return plural.Count(int(d.Minutes()), "minute")
	}
	return plural.Count(int(d.Seconds()), "second")
}
