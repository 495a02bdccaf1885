package telemetry

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// Fill is the progress of computing the chunks' vectors in the background.
type Fill struct {
	Missing int64   // chunks without a vector
	Rate    float64 // chunks per second; 0 while none are embedded
	Serving bool    // searches use the vectors
}

type fillCollector func(ctx context.Context) (Fill, error)

var (
	fillMissing = prometheus.NewDesc("footnote_vectors_missing_chunks", "Chunks that have no vector of the sentence model yet.", nil, nil)
	fillRate    = prometheus.NewDesc("footnote_vectors_rate", "Chunks a second that get one, on whichever replica; 0 while none do.", nil, nil)
	fillServing = prometheus.NewDesc("footnote_vectors_serving", "1 while searches use the sentence model, 0 while they use the word table.", nil, nil)
)

// Describe implements prometheus.Collector.
func (f fillCollector) Describe(out chan<- *prometheus.Desc) {
	out <- fillMissing
	out <- fillRate
	out <- fillServing
}

// Collect implements prometheus.Collector. It omits unknown values.
func (f fillCollector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), queueLimit)
	defer cancel()
	state, err := f(ctx)
	if err != nil {
		return
	}
	serving := 0.0
	if state.Serving {
		serving = 1
	}
	to <- prometheus.MustNewConstMetric(fillMissing, prometheus.GaugeValue, float64(state.Missing))
	to <- prometheus.MustNewConstMetric(fillRate, prometheus.GaugeValue, state.Rate)
	to <- prometheus.MustNewConstMetric(fillServing, prometheus.GaugeValue, serving)
}
