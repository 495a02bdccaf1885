// Package deepsearch answers questions that need several searches. It splits a question into
// parts, searches and answers each part, and judges the findings. If needed, it asks further
// questions. Finally it writes a report.
//
// A [Runner] runs the requests of a turn.Runner that have a Depth. A deep search consists of
// several runs of turn.Runner. There is one run for each sub-question. It searches under the turn's
// audience and may cite only what it found. One run for the report gets the cited passages and has
// no tools. All runs share the turn's citation numbers. There are only these two levels, so that no
// text is summarised twice. The coordinator does not search, so each sub-question must be
// self-contained.
//
// A turn has these stages. plan.go (rule.go without a model) splits the question. research.go
// answers the parts. judge.go decides whether to ask further questions. report.go writes the
// report. In addition, stop.go handles stops, and steer.go handles people's changes to the plan. A
// [Journal] stores plans and findings as they arrive.
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

// MaxQuestions is the maximum number of sub-questions in the first plan and in each later round.
const MaxQuestions = 6

// Engine runs a turn. *turn.Runner implements it.
type Engine interface {
	Run(ctx context.Context, req turn.Request, sink packet.Sink) (turn.Report, error)
}

// Library checks who may read documents.
type Library interface {
	// Readable returns the ids of documents that exist and that everyone in the audience may read
	// now. It checks only the given ids.
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
}

// Deps are the dependencies of a [Runner]. Plain and Counter are required.
type Deps struct {
	Plain   Engine // runs turns without a deep search
	Tools   tool.Set
	Counter budget.Counter
	Fast    llm.Model // answers sub-questions; nil: the turn's model
	Journal Journal   // nil: searches do not survive a restart
	Library Library   // checks findings again before they are used; nil: no check
	// Prices returns the prices of models. It is called for each turn. If Prices is nil, there are
	// no prices.
	Prices func() spend.Prices
	// RemainingBudget returns the part of a tenant's budget that the caps still allow. It returns
	// false if there is no cap. If RemainingBudget is nil, there are no caps.
	RemainingBudget func(ctx context.Context, tenant access.TenantID) (spend.Amount, bool, error)
	Logger          *slog.Logger
}

// Config limits a [Runner]. The comments give the defaults of zero fields.
type Config struct {
	Parallel int // maximum concurrent sub-questions of one search; default 3
	// maximum concurrent sub-questions of all searches in the process; default 16. The rest of the
	// capacity is for ordinary questions
	Together int
	Searches int           // maximum searches for one sub-question; default 8
	Rounds   int           // maximum rounds of further questions; default 2
	Part     time.Duration // time limit of one sub-question; default 5 min
	Steer    time.Duration // interval between two checks for changes to the plan; default 1 s
	Wait     time.Duration // how long a search waits for a person to start it; default 10 min
	// time after which no further question is asked and the report is written; default 20 min
	Total  time.Duration
	Policy llm.Policy
	// DropUnsupported is turn.Config.DropUnsupported for the report. Findings always drop
	// unsupported citations.
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

// Runner runs deep searches. It is safe for concurrent use.
type Runner struct {
	Deps
	config Config
	places chan struct{} // one token for each running sub-question
}

var _ Engine = (*Runner)(nil)

// New returns a [Runner]. It fails if deps.Plain or deps.Counter is nil.
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

// Run answers the question of a turn. It uses Deps.Plain for requests that do not allow a deep
// search. If the request has several models, only the first one is used for a deep search. The
// error wraps [Awaiting] if the search waits for a person.
func (r *Runner) Run(ctx context.Context, req turn.Request, sink packet.Sink) (turn.Report, error) {
	if req.Depth == nil || req.ResponseFormat != nil || len(req.Models) == 0 || req.Filter.Refuse(turn.Texts(req.Question)...) != "" {
		return r.Plain.Run(ctx, req, sink)
	}
	ctx, cancel := context.WithCancelCause(access.WithTenant(ctx, req.Audience.Tenant()))
	defer cancel(nil)
	s := r.newInquiry(req, sink)
	report, err := s.run(ctx)
	if err != nil {
		return turn.Report{}, fmt.Errorf("search deeply for turn %s: %w", req.Turn, err)
	}
	report.Took = time.Since(s.began)
	return report, nil
}
