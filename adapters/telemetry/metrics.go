// Package telemetry exposes what the bot does as Prometheus metrics. Names and labels are stable.
// Labels contain no person, channel, workspace or document, so every operator may see the metrics.
package telemetry

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Config holds the functions that are called at each scrape. All fields are optional. A nil
// function omits its metrics.
type Config struct {
	// Queue returns the number of questions on all replicas that wait for a worker. It is called at
	// each scrape, with a time limit of two seconds. If Queue is nil, the metric is omitted. If
	// Queue returns an error, the metric is NaN.
	Queue func(ctx context.Context) (int, error)
	// Connected reports for each external part (slack, discord, database, redis) whether it is
	// connected. It is called at each scrape, with a time limit of two seconds. If it is nil, the
	// metric is omitted.
	Connected func(ctx context.Context) map[string]bool
	// Disk returns the free bytes on the disk of the private database. ok is false if there is no
	// private database. If Disk is nil, the metric is omitted.
	Disk func() (free uint64, ok bool)
	// Caps returns the used share of each cost cap (daily, monthly). It is called at each scrape,
	// with a time limit of two seconds. If it is nil, the metric is omitted.
	Caps func(ctx context.Context) (map[string]float64, error)
	// Engine returns the progress of the search engine. It is called at each scrape, with a time
	// limit of two seconds. If it is nil, the metrics are omitted.
	Engine func(ctx context.Context) (Engine, error)
	// Sources returns the state of the sources. It is called at each scrape, with a time limit of
	// two seconds. If it is nil, the metrics are omitted.
	Sources func(ctx context.Context) ([]Source, error)
	// Fill returns the progress of computing vectors in the background. It is called at each
	// scrape, with a time limit of two seconds. If it is nil, the metrics are omitted.
	Fill func(ctx context.Context) (Fill, error)
}

// Metrics holds the counters of one process. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	turns     *prometheus.CounterVec
	words     prometheus.Histogram
	edits     prometheus.Counter
	limited   *prometheus.CounterVec
	stops     prometheus.Histogram
	retrieval *prometheus.HistogramVec
	tokens    *prometheus.CounterVec
	feedback  *prometheus.CounterVec
	repeated  prometheus.Counter
	takeovers prometheus.Counter
	invented  prometheus.Counter
	spent     spendCounters
	extracted *prometheus.CounterVec
}

var _ answer.Metrics = (*Metrics)(nil)

// wordBuckets, stopBuckets and retrievalBuckets are histogram buckets in seconds. They are densest
// around each metric's target.
var (
	wordBuckets      = []float64{0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8, 13, 21, 34}
	stopBuckets      = []float64{0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5}
	retrievalBuckets = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5}
)

// New returns metrics with all counters at zero. They include the metrics of the Go runtime and the
// process.
func New(config Config) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		turns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "footnote_turns_total", Help: "Questions that got their outcome in this process.",
		}, []string{"outcome", "platform"}),
		words: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "footnote_first_words_seconds", Help: "From the start of work on a question to the first words of its answer in the thread.", Buckets: wordBuckets,
		}),
		edits: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "footnote_edits_total", Help: "Edits of answers and pieces appended to them.",
		}),
		limited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "footnote_rate_limited_total", Help: "Calls that a service (slack, discord, model) refused because there were too many.",
		}, []string{"service"}),
		stops: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "footnote_stop_seconds", Help: "From a stop becoming known to this process to the end of the run, the model's request included.", Buckets: stopBuckets,
		}),
		retrieval: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "footnote_retrieval_seconds", Help: "Duration of searches by stage; total is the whole search.", Buckets: retrievalBuckets,
		}, []string{"stage"}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "footnote_tokens_total", Help: "Tokens of finished answers, by the model that wrote them; kind is input or output.",
		}, []string{"model", "kind"}),
		feedback: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "footnote_feedback_total", Help: "What people did to answers: up, down, retry, private, share, keep, remove, correct and so on.",
		}, []string{"kind"}),
		repeated: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "footnote_dedupe_hits_total", Help: "Events that had been taken in before, and were not taken in again.",
		}),
		takeovers: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "footnote_lease_takeovers_total", Help: "Turns that this process went on with after another one had died.",
		}),
		invented: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "footnote_invented_citations_total", Help: "Numbers that a model put behind a statement although it was shown none such, left out of the answer.",
		}),
		extracted: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "footnote_knowledge_texts_total", Help: "Texts of passages that a model read for what they state, and those that it was given up for; result is read or failed.",
		}, []string{"result"}),
	}
	m.registry.MustRegister(m.extracted, m.turns, m.words, m.edits, m.limited, m.stops, m.retrieval, m.tokens, m.feedback, m.repeated, m.takeovers, m.invented,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.spent = newSpent(m.registry)
	if config.Queue != nil {
		m.registry.MustRegister(queueDepth(config.Queue))
	}
	if config.Connected != nil {
		m.registry.MustRegister(connectedCollector(config.Connected))
	}
	if config.Disk != nil {
		m.registry.MustRegister(diskCollector(config.Disk))
	}
	if config.Caps != nil {
		m.registry.MustRegister(capCollector(config.Caps))
	}
	if config.Engine != nil {
		m.registry.MustRegister(engineCollector(config.Engine))
	}
	if config.Sources != nil {
		m.registry.MustRegister(sourceCollector(config.Sources))
	}
	if config.Fill != nil {
		m.registry.MustRegister(fillCollector(config.Fill))
	}
	for _, service := range services {
		m.limited.WithLabelValues(service)
	}
	// a rate requires a series that starts at zero
	for _, a := range []thread.Action{thread.ActionUp, thread.ActionDown, thread.ActionRetry} {
		m.feedback.WithLabelValues(string(a))
	}
	return m
}

// queueLimit limits how long a scrape waits for the database.
const queueLimit = 2 * time.Second

func queueDepth(count func(context.Context) (int, error)) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "footnote_queue_depth", Help: "Questions that wait for a worker, on all replicas.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), queueLimit)
		defer cancel()
		n, err := count(ctx)
		if err != nil {
			return math.NaN()
		}
		return float64(n)
	})
}

// Handler returns the HTTP handler that serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

var outcomes = [...]session.Outcome{
	session.Answered, session.NoEvidence, session.Refused, session.NotPermitted, session.Stopped, session.Limited, session.Failed,
	session.Declined, session.Superseded,
}

// Serves creates a counter with the value zero for each outcome on the given platforms. Without a
// first zero, Prometheus would not see the first failures as an increase.
func (m *Metrics) Serves(platforms ...thread.Platform) {
	for _, p := range platforms {
		for _, o := range outcomes {
			m.turns.WithLabelValues(string(o), string(p))
		}
	}
}

// Turn implements answer.Metrics.
func (m *Metrics) Turn(p thread.Platform, saved session.Saved) {
	m.turns.WithLabelValues(string(saved.Outcome), string(p)).Inc()
	for _, run := range saved.Runs {
		m.tokens.WithLabelValues(run.Model, "input").Add(float64(run.Usage.Input))
		m.tokens.WithLabelValues(run.Model, "output").Add(float64(run.Usage.Output))
		m.invented.Add(float64(run.Invented))
	}
}

// Stopped implements answer.Metrics.
func (m *Metrics) Stopped(took time.Duration) { m.stops.Observe(took.Seconds()) }

// Acted implements answer.Metrics.
func (m *Metrics) Acted(a thread.Action) {
	if a.Known() { // a name from elsewhere must not become a label
		m.feedback.WithLabelValues(string(a)).Inc()
	}
}

// Repeated implements answer.Metrics.
func (m *Metrics) Repeated(thread.Platform) { m.repeated.Inc() }

// TakenOver implements answer.Metrics.
func (m *Metrics) TakenOver() { m.takeovers.Inc() }

// Searched records the durations of the stages of a search.
func (m *Metrics) Searched(t retrieve.Trace) {
	for stage, took := range t.Timings {
		m.retrieval.WithLabelValues(stage).Observe(took.Seconds())
	}
}

// Wrote records one write of an answer: the time to the first words, and the number of edits. It
// can be used as stream.Deps.Observe.
func (m *Metrics) Wrote(w stream.Write) {
	if w.First {
		m.words.Observe(w.Since.Seconds())
	}
	if w.Err == nil && (w.Call == thread.Edit || w.Call == thread.StreamAppend) {
		m.edits.Inc()
	}
}
