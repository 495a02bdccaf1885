// Package deepsearch answers questions that one search does not answer: it takes a question apart,
// has each part searched and answered by itself, judges whether that suffices, asks further, and
// has a report written from what was found.
//
// A [Runner] takes the requests of a turn.Runner that have a Depth. The turn is made of runs of
// turn.Runner: one for each sub-question, which search under the turn's audience and may cite only
// what they found, and one for the report, which is given what those cite and has no tools. All of
// them share the turn's citation numbers. There are two levels and no more, so that nothing is
// summarised twice. The coordinator does not search, so each sub-question has to stand alone.
//
// The way of a turn: plan.go (rule.go without a model) takes the question apart, research.go has
// the parts answered, judge.go decides whether that suffices and what to ask further, report.go
// writes, stop.go ends what a person stopped, steer.go takes up what people change meanwhile. What
// was planned and found is kept by a [Journal] as it comes.
package deepsearch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/turn"
)

// MaxQuestions is how many sub-questions a plan may have, and how many a round of refinement may
// add.
const MaxQuestions = 6

// Engine runs a turn; *turn.Runner is one.
type Engine interface {
	Run(ctx context.Context, req turn.Request, sink packet.Sink) (turn.Report, error)
}

// Library knows who may read what.
type Library interface {
	// Readable returns those of the documents that exist and that everybody in the audience may
	// read at this moment.
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
}

// Deps is what a Runner works with. Plain and Counter are required.
type Deps struct {
	Plain   Engine // runs what cannot be searched deeply
	Tools   tool.Set
	Counter budget.Counter
	Fast    llm.Model // answers sub-questions; nil: the model that answers the turn
	Journal Journal   // nil: nothing outlasts the process
	Library Library   // looks again at what was found before it is used; nil: no one does
	// Prices are those of models; nil: there are none. It is asked for each turn.
	Prices func() spend.Prices
	// Left is what the caps leave of a tenant's budget at this moment; false where there is no cap.
	// nil: there is none.
	Left   func(ctx context.Context, tenant access.TenantID) (spend.Amount, bool, error)
	Logger *slog.Logger
}

// Config bounds a Runner. Zero fields take the defaults given.
type Config struct {
	Parallel int // sub-questions of one search that are worked on at once: 3
	// likewise of all searches of the process, so that ordinary questions find models and database
	// free: 16
	Together int
	Searches int           // for one sub-question: 8
	Rounds   int           // of refinement: 2
	Part     time.Duration // for one sub-question: 5 min
	Steer    time.Duration // between two looks for what people change in the plan: 1 s
	Wait     time.Duration // for a person to start a search that asks: 10 min
	Total    time.Duration // after which nothing further is asked, and the report is written: 20 min
	Policy   llm.Policy
	// DropUnsupported is that of turn.Config, for the report. Findings are always held to it.
	DropUnsupported bool
}

func (c Config) withDefaults() Config {
	for _, n := range []struct {
		field *int
		value int
	}{{&c.Parallel, 3}, {&c.Together, 16}, {&c.Searches, 8}, {&c.Rounds, 2}} {
		if *n.field <= 0 {
			*n.field = n.value
		}
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{{&c.Part, 5 * time.Minute}, {&c.Steer, time.Second}, {&c.Wait, 10 * time.Minute}, {&c.Total, 20 * time.Minute}} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	return c
}

// Runner answers questions deeply. It is safe for concurrent use.
type Runner struct {
	Deps
	config Config
	places chan struct{} // one token for each sub-question that is worked on
}

var _ Engine = (*Runner)(nil)

// New returns a runner.
func New(deps Deps, config Config) (*Runner, error) {
	if deps.Plain == nil || deps.Counter == nil {
		return nil, errors.New("set up deep search: it needs an engine for plain questions and a way to count tokens")
	}
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	config = config.withDefaults()
	return &Runner{Deps: deps, config: config, places: make(chan struct{}, config.Together)}, nil
}

// Run runs one turn, as turn.Runner.Run does: plainly, where it cannot be searched deeply. Of
// several models the first alone searches deeply. A search that waits for a person fails with an
// Awaiting.
func (r *Runner) Run(ctx context.Context, req turn.Request, sink packet.Sink) (turn.Report, error) {
	if req.Depth == nil || req.ResponseFormat != nil || len(req.Models) == 0 || req.Filter.Refuse(turn.Texts(req.Question)...) != "" {
		return r.Plain.Run(ctx, req, sink)
	}
	ctx, cancel := context.WithCancelCause(access.WithTenant(ctx, req.Audience.Tenant()))
	defer cancel(nil)
	s := r.begin(req, sink)
	report, err := s.run(ctx)
	if err != nil {
		return turn.Report{}, fmt.Errorf("search deeply for turn %s: %w", req.Turn, err)
	}
	report.Took = time.Since(s.began)
	return report, nil
}
