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

// inquiry is one deep search of a turn. mu guards all fields below it, because several workers use
// them concurrently.
type inquiry struct {
	*Runner
	req     turn.Request
	model   llm.Model // plans, judges and writes
	fast    llm.Model // answers sub-questions
	packets *packetWriter
	numbers *cite.Mapping
	began   time.Time

	changed   chan struct{} // holds one token after people changed the plan
	findingMu sync.Mutex    // serialises findings
	mu        sync.Mutex
	rows      []*row
	round     int      // the latest planned round
	judgment  Judgment // merged judgments of all rounds
	usage     llm.Usage
	prices    spend.Prices
	cost      spend.Amount
	// remaining budget at the time of the plan, such as "4.20 USD"; empty without caps
	remaining string
	closed    bool               // an earlier attempt closed the plan
	concluded bool               // the search has ended
	searches  []retrieve.Account // searches made for the plan
	notices   []string
	basis     message.Basis // basis of everything that planner and judge have read
	// documents that the plan was based on and that no finding cites, without text
	planSources []message.Reference
	plainNotice string // sentence that says why there is no deep search
}

type row struct {
	SubQuestion
	number int           // number of the sub-question, from 1
	tab    int           // within its round
	basis  message.Basis // basis of the question's text
	// a worker has claimed the row
	started bool
	cancel  context.CancelCauseFunc // cancels the worker; nil if there is none
	finding *Finding
}

func (r *Runner) newInquiry(req turn.Request, sink packet.Sink) *inquiry {
	if req.Now.IsZero() {
		req.Now = time.Now()
	}
	s := &inquiry{Runner: r, req: req, model: req.Models[0], fast: r.Fast, packets: newPacketWriter(sink), numbers: turn.Numbers(req), began: time.Now(),
		changed: make(chan struct{}, 1)}
	s.basis = message.BasisOf(append(slices.Clip(req.History), req.Question)...).With(message.BasisOfFiles(req.Project))
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

// run makes the whole search and returns its report. If a person stops the search, the report has
// the findings so far. If ctx ends for another reason, the report must not be used, because another
// attempt resumes the search.
func (s *inquiry) run(ctx context.Context) (turn.Report, error) {
	s.packets.emit(planBlock, packet.DeepSearchPlanStart{})
	direct, err := s.prepare(ctx)
	if err != nil {
		return turn.Report{}, err
	}
	if direct {
		s.packets.emit(planBlock, packet.SectionEnd{})
		return s.answerPlainly(ctx)
	}
	reporting, stopReporting := context.WithCancel(ctx)
	var reporter sync.WaitGroup
	reporter.Go(func() { s.reportProgress(reporting) })
	defer reporter.Wait()
	defer stopReporting()
	// MaxAdded limits the questions that people add, so this loop ends
	for again := true; again; again = !s.closePlan(ctx) {
		s.research(ctx)
		for context.Cause(ctx) == nil && !s.closed && !s.req.Depth.Once && s.latestRound() < s.config.Rounds && time.Since(s.began) < s.config.Total {
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
	stopReporting() // no packet may follow the stop
	reporter.Wait()
	if errors.Is(context.Cause(ctx), turn.ErrStopped) {
		return s.endStopped(ctx)
	}
	return s.writeReport(ctx)
}

func (s *inquiry) add(questions []SubQuestion) []*row {
	return s.addUnlessChanged(s.rowCount(), questions)
}

// addUnlessChanged adds a row for each question and returns the new rows. known is the number of
// rows that the caller has seen. If the number differs, it adds none and returns nil.
func (s *inquiry) addUnlessChanged(known int, questions []SubQuestion) []*row {
	s.mu.Lock()
	defer s.mu.Unlock()
	var added []*row
	if len(s.rows) != known {
		return nil
	}
	for _, q := range questions {
		r := &row{SubQuestion: q, number: len(s.rows) + 1}
		if !q.Added {
			r.basis = s.basis
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

// latestRound returns the number of the newest round of questions. It can change at any time,
// because people may add questions.
func (s *inquiry) latestRound() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.round
}

func (s *inquiry) beginRound(round int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.round = max(s.round, round)
}

func (s *inquiry) snapshot() []row {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]row, len(s.rows))
	for i, r := range s.rows {
		out[i] = *r
	}
	return out
}

func (s *inquiry) addUsage(model string, u llm.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cost += s.prices.Models[model].Of(u)
	s.usage.Input += u.Input
	s.usage.Cached += u.Cached
	s.usage.Output += u.Output
}

func (s *inquiry) addTotals(a *turn.Answer) {
	rows := s.snapshot()
	s.mu.Lock()
	defer s.mu.Unlock()
	a.Usage.Input += s.usage.Input
	a.Usage.Cached += s.usage.Cached
	a.Usage.Output += s.usage.Output
	a.Searches = append(slices.Clone(s.searches), a.Searches...)
	a.Notices = append(slices.Clone(s.notices), a.Notices...)
	held := make(map[string]bool)
	for _, r := range a.References {
		held[passageKey(r)] = true
	}
	for _, r := range rows {
		if r.finding == nil {
			continue
		}
		a.Searches = append(a.Searches, r.finding.Searches...)
		for _, ref := range r.finding.References {
			if !held[passageKey(ref)] {
				held[passageKey(ref)] = true
				a.References = append(a.References, ref)
			}
		}
	}
	for _, ref := range s.planSources {
		if !containsDocument(a.References, ref.Document.ID) && !containsDocument(a.Inherited, ref.Document.ID) {
			a.Inherited = append(a.Inherited, ref)
		}
	}
	a.Timings.Total = time.Since(s.began)
}

func containsDocument(references []message.Reference, id document.ID) bool {
	return slices.ContainsFunc(references, func(r message.Reference) bool { return r.Document.ID == id })
}

// addBasis records which documents the planner or the judge has read. The documents in behind
// become documents of the answer even if no finding cites them.
func (s *inquiry) addBasis(read message.Basis, behind []message.Reference) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.basis = s.basis.With(read)
	for _, r := range behind {
		if !containsDocument(s.planSources, r.Document.ID) {
			s.planSources = append(s.planSources, message.Reference{Number: r.Number, Document: r.Document})
		}
	}
}

func passageKey(r message.Reference) string { return string(r.Document.ID) + "\x00" + r.Text }
