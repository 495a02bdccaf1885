package deepsearch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/turn"
)

// inquiry is one turn that is searched deeply. What is guarded by mu is read and changed by those
// who work on sub-questions at the same time.
type inquiry struct {
	*Runner
	req     turn.Request
	model   llm.Model // plans, judges and writes
	fast    llm.Model // answers sub-questions
	out     *outlet
	numbers *cite.Mapping
	began   time.Time

	changed  chan struct{} // holds one token when people changed the plan
	settling sync.Mutex    // one finding after the other
	mu       sync.Mutex
	rows     []*row
	round    int      // the last that was planned
	judged   Judgment // the last
	usage    llm.Usage
	prices   spend.Prices
	cost     spend.Amount
	// of the budget, such as "4.20 USD", as the plan was made; empty without one
	left     string
	asked    bool               // all was asked, by an earlier attempt
	over     bool               // nothing is to come
	searches []retrieve.Account // of the plan's own search
	notices  []string
	read     message.Basis // of all that who plans and judges has read
	// documents that a plan was made of and that no finding names, without their text
	behind []message.Reference
	plain  string // why the question is answered without a deep search, a sentence
}

// row is a sub-question with what became of it.
type row struct {
	SubQuestion
	number  int           // from 1, in the order in which they were asked
	tab     int           // within its round
	basis   message.Basis // what its text was made of
	taken   bool
	cancel  context.CancelCauseFunc // ends the work on it; nil where no worker has it
	finding *Finding
}

func (r *Runner) begin(req turn.Request, sink packet.Sink) *inquiry {
	if req.Now.IsZero() {
		req.Now = time.Now()
	}
	s := &inquiry{Runner: r, req: req, model: req.Models[0], fast: r.Fast, out: newOutlet(sink), numbers: turn.Numbers(req), began: time.Now(),
		changed: make(chan struct{}, 1)}
	s.read = message.BasisOf(append(slices.Clip(req.History), req.Question)...).With(message.BasisOfFiles(req.Project))
	if r.Prices != nil {
		s.prices = r.Prices()
	}
	if s.fast == nil || s.model.Info().Extractive {
		s.fast = s.model
	}
	if len(req.Models) > 1 {
		s.notices = append(s.notices, "Deep search is done by one model: "+s.model.Info().Name+".")
		s.req.Models = req.Models[:1]
	}
	return s
}

// run goes from the question to the report. A search that is interrupted by a person ends with what
// was found; one that the process interrupts ends with anything, since another attempt goes on with
// it.
func (s *inquiry) run(ctx context.Context) (turn.Report, error) {
	s.out.emit(planBlock, packet.DeepSearchPlanStart{})
	direct, err := s.prepare(ctx)
	if err != nil {
		return turn.Report{}, err
	}
	if direct {
		s.out.emit(planBlock, packet.SectionEnd{})
		return s.plainly(ctx)
	}
	telling, told := context.WithCancel(ctx)
	var teller sync.WaitGroup
	teller.Go(func() { s.tell(telling) })
	defer teller.Wait()
	defer told()
	for again := true; again; again = !s.closed(ctx) { // people add so many questions and no more
		s.research(ctx)
		for context.Cause(ctx) == nil && !s.asked && !s.req.Depth.Once && s.latest() < s.config.Rounds && time.Since(s.began) < s.config.Total {
			more, err := s.refine(ctx)
			if err != nil {
				return turn.Report{}, err
			}
			if !more {
				break
			}
			s.research(ctx)
		}
	}
	told() // nothing is to come behind the stop
	teller.Wait()
	if errors.Is(context.Cause(ctx), turn.ErrStopped) {
		return s.stopped(ctx)
	}
	return s.report(ctx)
}

// add makes rows of sub-questions.
func (s *inquiry) add(questions []SubQuestion) []*row { return s.addBehind(s.known(), questions) }

// addBehind makes rows of sub-questions, unless there are others by now than those that were known.
func (s *inquiry) addBehind(known int, questions []SubQuestion) []*row {
	s.mu.Lock()
	defer s.mu.Unlock()
	var added []*row
	if len(s.rows) != known {
		return nil
	}
	for _, q := range questions {
		r := &row{SubQuestion: q, number: len(s.rows) + 1}
		if !q.Added {
			r.basis = s.read
		}
		for _, other := range s.rows {
			if other.Round == q.Round {
				r.tab++
			}
		}
		s.rows = append(s.rows, r)
		added = append(added, r)
		s.round = max(s.round, q.Round)
	}
	return added
}

// latest returns the number of the latest round. People add questions to the next one at any time.
func (s *inquiry) latest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.round
}

// reach notes that a round has begun.
func (s *inquiry) reach(round int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.round = max(s.round, round)
}

// standing is a copy of the rows as they are now.
func (s *inquiry) standing() []row {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]row, len(s.rows))
	for i, r := range s.rows {
		out[i] = *r
	}
	return out
}

// spend adds what a model took.
func (s *inquiry) spend(model string, u llm.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cost += s.prices.Models[model].Of(u)
	s.usage.Input += u.Input
	s.usage.Cached += u.Cached
	s.usage.Output += u.Output
}

// complete adds to the answer of the last run what the others have found and used.
func (s *inquiry) complete(a *turn.Answer) {
	rows := s.standing()
	s.mu.Lock()
	defer s.mu.Unlock()
	a.Usage.Input += s.usage.Input
	a.Usage.Cached += s.usage.Cached
	a.Usage.Output += s.usage.Output
	a.Searches = append(slices.Clone(s.searches), a.Searches...)
	a.Notices = append(slices.Clone(s.notices), a.Notices...)
	held := make(map[string]bool)
	for _, r := range a.References {
		held[keyOf(r)] = true
	}
	for _, r := range rows {
		if r.finding == nil {
			continue
		}
		a.Searches = append(a.Searches, r.finding.Searches...)
		for _, ref := range r.finding.References {
			if !held[keyOf(ref)] {
				held[keyOf(ref)] = true
				a.References = append(a.References, ref)
			}
		}
	}
	for _, ref := range s.behind {
		if !holds(a.References, ref.Document.ID) && !holds(a.Inherited, ref.Document.ID) {
			a.Inherited = append(a.Inherited, ref)
		}
	}
	a.Timings.Total = time.Since(s.began)
}

// holds reports whether a document is among references.
func holds(references []message.Reference, id document.ID) bool {
	return slices.ContainsFunc(references, func(r message.Reference) bool { return r.Document.ID == id })
}

// learn notes what planner and judge read from now on. What is not among the findings is kept in
// mind for the answer, too.
func (s *inquiry) learn(read message.Basis, behind []message.Reference) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = s.read.With(read)
	for _, r := range behind {
		if !holds(s.behind, r.Document.ID) {
			s.behind = append(s.behind, message.Reference{Number: r.Number, Document: r.Document})
		}
	}
}

// keyOf tells passages apart.
func keyOf(r message.Reference) string { return string(r.Document.ID) + "\x00" + r.Text }
