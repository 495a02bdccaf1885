package answer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/span"
	"github.com/footnotehq/footnote/core/thread"
)

// Deps is what a Service works with. All but Deep, Quotes, Resolver, Logger, Policies, Retriever,
// Owners, Steering and Metrics are required.
type Deps struct {
	Store   Store
	Prompts Prompts
	Signal  session.Signal
	Engine  Engine
	// runs the questions that are to be searched deeply (turn.Request.Depth); nil: Engine does
	Deep      Engine
	Setups    Setups
	Library   Library
	Quotes    session.Quotes   // nil: documents count as a whole
	Catalogue Catalogue        // nil: models do not read what can be searched
	Surfaces  chat.Platform    // the platforms that turns come from, as one
	Resolver  *access.Resolver // of who is present; nil: they hold what their platform says
	Logger    *slog.Logger     // nil: silent

	Policies policy.Source // what holds in each channel; nil: the defaults everywhere
	// finds out whether there is evidence for an unasked answer; nil: it is never answered, and no
	// private answer is offered
	Retriever retrieve.Retriever
	Owners    Owners              // nil: no owner of a page is named
	Steering  deepsearch.Steering // nil: the plan of a deep search cannot be changed
	Metrics   Metrics             // nil: nothing is counted
	// Full reports whether the store's disk is full: as it is seen, or as an error of the store
	// says that is not nil. Nil: unknown.
	Full   func(err error) bool
	Tracer span.Tracer // nil: nothing is traced
}

// Config sets a Service up. Zero fields take the defaults given.
type Config struct {
	Replica    session.ReplicaID // a random one
	Platforms  []thread.Platform // that Surfaces can open; nil means all
	Workspaces []string          // likewise
	Workers    int               // turns at once: 256
	Lease      time.Duration     // without a beat, turns are another's after: 7 s
	Beat       time.Duration     // between two beats: 1 s, and twice that while no turn runs
	// between two looks for work: 500 ms, and up to 30 s while beats find none
	Poll time.Duration
	// between two looks for stops: 2 s; Poll while the signal is not reliable
	StopPoll    time.Duration
	Grace       time.Duration // for running turns at the end: 30 s
	MaxAge      time.Duration // REDELIVERY_MAX_AGE: 15 min
	MaxDeaths   int           // of processes in which a turn ran alone: 2; then it fails
	MaxQuestion int           // characters: 100,000
	History     int           // turns of history that a prompt may draw on: 50
}

// Service takes questions in and answers them. It is safe for concurrent use.
type Service struct {
	Deps
	config Config
	lease  *lease
	wake   chan struct{} // holds one token when there may be work

	mu      sync.Mutex
	running map[session.TurnID]*attempt
	unsure  bool // a write's fate is not known: the replica may hold turns that it does not work on

	intakes  intakes
	verdicts []judged // to be written
	lookups  chan lookup
}

// New returns a service. Nothing runs before Run.
func New(deps Deps, config Config) (*Service, error) {
	var faults []error
	for _, required := range []struct {
		name    string
		missing bool
	}{
		{"store", deps.Store == nil}, {"prompts", deps.Prompts == nil}, {"signal", deps.Signal == nil}, {"engine", deps.Engine == nil},
		{"setups", deps.Setups == nil}, {"library", deps.Library == nil}, {"surfaces", deps.Surfaces == nil},
	} {
		if required.missing {
			faults = append(faults, errors.New("it has no "+required.name))
		}
	}
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	if deps.Metrics == nil {
		deps.Metrics = nothing{}
	}
	config = config.withDefaults()
	if config.Lease < 2*config.Beat {
		faults = append(faults, fmt.Errorf("a lease of %s is lost with one beat in %s: make it twice as long or longer", config.Lease, config.Beat))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("set up the answer service: %w", err)
	}
	return &Service{
		Deps: deps, config: config, lease: newLease(config.Lease), wake: make(chan struct{}, 1),
		running: make(map[session.TurnID]*attempt), lookups: make(chan lookup, maxLookups),
	}, nil
}

func (c Config) withDefaults() Config {
	if c.Replica == "" {
		c.Replica = session.ReplicaID(strings.ToLower(rand.Text()))
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&c.Lease, 7 * time.Second}, {&c.Beat, time.Second}, {&c.Poll, 500 * time.Millisecond}, {&c.StopPoll, 2 * time.Second},
		{&c.Grace, 30 * time.Second}, {&c.MaxAge, 15 * time.Minute},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	for _, n := range []struct {
		field *int
		value int
	}{{&c.Workers, 256}, {&c.MaxDeaths, 2}, {&c.MaxQuestion, 100_000}, {&c.History, 50}} {
		if *n.field <= 0 {
			*n.field = n.value
		}
	}
	return c
}

// Accepted is what became of a question.
type Accepted struct {
	session.Accepted
	Notice string // for the thread: that the question waits for others; empty when it does not
}

// Accept is Take for a question about which nothing had to be decided.
func (s *Service) Accept(ctx context.Context, m thread.Mention) (Accepted, error) {
	return s.Take(ctx, Question{Mention: m})
}

// Stop asks for a stop and returns once it is recorded; then no turn it is meant for can miss it,
// wherever it runs.
func (s *Service) Stop(ctx context.Context, r session.StopRequest) (result session.StopResult, err error) {
	defer s.guard(ctx, "stop", &err)
	result, err = s.Store.Request(ctx, r)
	if err != nil {
		return result, err
	}
	for _, id := range result.Turns {
		// A signal that is lost is found by polling, so its failure is no failure of the stop.
		if err := s.Signal.Raise(ctx, id); err != nil {
			s.Logger.WarnContext(ctx, "stop signal not sent", "turn", id, "error", err)
		}
	}
	return result, nil
}

// guard makes an error of a panic in an event handler, so that one bad event does not end the
// process.
func (s *Service) guard(ctx context.Context, what string, err *error) {
	if p := recover(); p != nil {
		s.Logger.ErrorContext(ctx, "event handler panicked", "handler", what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		*err = fmt.Errorf("%s: the handler panicked", what)
	}
}

// Wake makes the worker loop look for work at once.
func (s *Service) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
