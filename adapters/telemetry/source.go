package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Source is the state of a connected source of documents. It is the same in all replicas. Left and
// People may be nil.
type Source struct {
	ID string
	// Late is how late the last full scan is. It is 0 if the scan is not late, or the source is
	// paused or has no schedule.
	Late    time.Duration
	Failing int // failed runs in a row
	// Left is the remaining validity of the permissions that were read, by loop (nodes, groups). At
	// 0 or less, no document of the source is shown.
	Left   map[string]time.Duration
	People map[string]int // by state (matched, unmatched, conflicting)
}

type sourceCollector func(ctx context.Context) ([]Source, error)

var (
	lateDesc = prometheus.NewDesc("footnote_source_late_seconds",
		"How much later than due a source was last read whole; 0 where it is not late, is paused, or has no schedule.", []string{"source"}, nil)
	failingDesc = prometheus.NewDesc("footnote_source_failed_runs", "Runs of a source in a row that did not come to their end.", []string{"source"}, nil)
	leftDesc    = prometheus.NewDesc("footnote_source_access_left_seconds",
		"For how long what was read of who may read a source counts, if nothing more can be read; at 0 or less nothing of it is shown. The loop is nodes or groups.",
		[]string{"source", "loop"}, nil)
	peopleDesc = prometheus.NewDesc("footnote_source_people",
		"People of a source by whether their account in the chat is known: matched, unmatched or conflicting.", []string{"source", "state"}, nil)
)

var _ prometheus.Collector = sourceCollector(nil)

// Describe implements prometheus.Collector.
func (sourceCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{lateDesc, failingDesc, leftDesc, peopleDesc} {
		to <- d
	}
}

// Collect implements prometheus.Collector. It omits the metrics if the database does not answer.
func (s sourceCollector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), queueLimit)
	defer cancel()
	all, err := s(ctx)
	if err != nil {
		return
	}
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	for _, one := range all {
		gauge(lateDesc, one.Late.Seconds(), one.ID)
		gauge(failingDesc, float64(one.Failing), one.ID)
		for loop, left := range one.Left {
			gauge(leftDesc, left.Seconds(), one.ID, loop)
		}
		for state, n := range one.People {
			gauge(peopleDesc, float64(n), one.ID, state)
		}
	}
}
