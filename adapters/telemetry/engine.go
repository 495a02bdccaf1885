package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Engine is the state of the external search engine: the data that it lacks, and whether it answers
// searches.
type Engine struct {
	Queued  int64         // documents with changes that the engine does not have
	Oldest  time.Duration // age of the oldest of these changes
	Left    int64         // chunks missing in an index that is being filled
	Serving bool          // the engine answers searches
}

type engineCollector func(ctx context.Context) (Engine, error)

var (
	engineQueued  = prometheus.NewDesc("footnote_engine_queued", "Documents with changes that the search engine was not told of yet.", nil, nil)
	engineOldest  = prometheus.NewDesc("footnote_engine_oldest_seconds", "For how long the first of them waits.", nil, nil)
	engineLeft    = prometheus.NewDesc("footnote_engine_left_chunks", "Chunks that are left to be brought to an index that is being filled.", nil, nil)
	engineServing = prometheus.NewDesc("footnote_engine_serving", "1 while the search engine answers searches, 0 while PostgreSQL does.", nil, nil)
)

// Describe implements prometheus.Collector.
func (e engineCollector) Describe(out chan<- *prometheus.Desc) {
	out <- engineQueued
	out <- engineOldest
	out <- engineLeft
	out <- engineServing
}

// Collect implements prometheus.Collector.
func (e engineCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), queueLimit)
	defer cancel()
	state, err := e(ctx)
	if err != nil {
		return // omit unknown values
	}
	serving := 0.0
	if state.Serving {
		serving = 1
	}
	out <- prometheus.MustNewConstMetric(engineQueued, prometheus.GaugeValue, float64(state.Queued))
	out <- prometheus.MustNewConstMetric(engineOldest, prometheus.GaugeValue, state.Oldest.Seconds())
	out <- prometheus.MustNewConstMetric(engineLeft, prometheus.GaugeValue, float64(state.Left))
	out <- prometheus.MustNewConstMetric(engineServing, prometheus.GaugeValue, serving)
}
