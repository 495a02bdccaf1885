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

// Deps are the dependencies of a [Service]. All but Deep, Quotes, Catalogue, Resolver, Logger,
// Policies, Retriever, Owners, Steering, Metrics, Full and Tracer are required.
type Deps struct {
	Store   Store
	Prompts Prompts
	Signal  session.Signal
	Engine  Engine
	// Deep runs deep searches (turn.Request.Depth). If it is nil, Engine runs them.
	Deep      Engine
	Setups    Setups
	Library   Library
	Quotes    session.Quotes   // nil: permissions apply to whole documents
	Catalogue Catalogue        // nil hides the list of sources from models
	Surfaces  chat.Platform    // all platforms, as one
	Resolver  *access.Resolver // looks up permissions in sources; nil: only those of the platform
	Logger    *slog.Logger     // nil: silent

	Policies policy.Source // settings of each channel; nil means the defaults
	// Retriever finds evidence for unasked answers and for offers of private answers. Nil disables
	// both.
	Retriever retrieve.Retriever
	Owners    Owners              // nil: owners of pages are not named
	Steering  deepsearch.Steering // nil: plans of deep searches cannot be changed
	Metrics   Metrics             // nil counts nothing
	// Full reports whether the store's disk is full. If err is not nil, Full reports whether this
	// store error means a full disk. If Full is nil, the disk never counts as full.
	Full   func(err error) bool
	Tracer span.Tracer // nil disables tracing
}

// Config configures a [Service]. Zero fields have the defaults given in the comments.
type Config struct {
	Replica    session.ReplicaID // a random one
	Platforms  []thread.Platform // platforms that Surfaces can open; nil means all
	Workspaces []string          // workspaces that Surfaces can open; nil means all
	Workers    int               // concurrent turns: 256
	// Lease is the time without a heartbeat after which other replicas take over the turns: 7 s.
	Lease time.Duration
	Beat  time.Duration // interval of heartbeats: 1 s, and twice that while no turn runs
	// Poll is the interval of polling for work: 500 ms. While polling finds no work, the interval
	// grows up to 30 s.
	Poll time.Duration
	// StopPoll is the interval of polling for stops: 2 s. If the signal is unreliable, Poll is used
	// instead.
	StopPoll time.Duration
	Grace    time.Duration // time for running turns at shutdown: 30 s
	MaxAge   time.Duration // REDELIVERY_MAX_AGE: 15 min
	// MaxDeaths is how many processes may die while a turn runs alone in them: 2. Then the turn
	// fails.
	MaxDeaths   int
	MaxQuestion int // characters: 100,000
	History     int // maximum turns of history in a prompt: 50
}

// Service accepts questions and answers them. It is safe for concurrent use.
type Service struct {
	Deps
	config Config
	lease  *lease
	wake   chan struct{} // holds a token if there may be work

	mu      sync.Mutex
	running map[session.TurnID]*attempt
	// unsure says that the outcome of a write is unknown. The replica may hold turns that it does
	// not work on.
	unsure bool

	intakes  intakes
	verdicts []pendingVerdict // to be written
	lookups  chan lookup
}

// New returns a [Service]. It does nothing before [Service.Run].
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
		deps.Metrics = noMetrics{}
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

// Accepted is the result of storing a question, with a notice for the thread.
type Accepted struct {
	session.Accepted
	Notice string // for the thread, if the question has to wait
}

// Accept stores a question that needs no decision by [Service.Judge], and queues its turn. It works
// like [Service.Take].
func (s *Service) Accept(ctx context.Context, m thread.Mention) (Accepted, error) {
	return s.Take(ctx, Question{Mention: m})
}

// Stop stores a request to stop turns, and then signals it to all replicas. When Stop has returned,
// no replica can miss the request.
func (s *Service) Stop(ctx context.Context, r session.StopRequest) (result session.StopResult, err error) {
	defer s.guard(ctx, "stop", &err)
	result, err = s.Store.Request(ctx, r)
	if err != nil {
		return result, err
	}
	for _, id := range result.Turns {
		// Polling finds a lost signal, so its failure is not an error.
		if err := s.Signal.Raise(ctx, id); err != nil {
			s.Logger.WarnContext(ctx, "stop signal not sent", "turn", id, "error", err)
		}
	}
	return result, nil
}

// guard must be deferred. It turns a panic in an event handler into an error, so that one event
// cannot end the process.
func (s *Service) guard(ctx context.Context, what string, err *error) {
	if p := recover(); p != nil {
		s.Logger.ErrorContext(ctx, "event handler panicked", "handler", what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		*err = fmt.Errorf("%s: the handler panicked", what)
	}
}

// Wake makes [Service.Run] look for queued turns at once.
func (s *Service) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
