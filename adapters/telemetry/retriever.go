package telemetry

import (
	"context"

	"github.com/footnotehq/footnote/core/retrieve"
)

// measured measures the searches of another retriever by their stages.
type measured struct {
	inner   retrieve.Retriever
	metrics *Metrics
}

var _ retrieve.Retriever = (*measured)(nil)

// Retriever returns a retriever that searches with inner and measures it.
func (m *Metrics) Retriever(inner retrieve.Retriever) retrieve.Retriever {
	return &measured{inner: inner, metrics: m}
}

// Search implements retrieve.Retriever. Searches that fail are not measured: they say nothing of how long one takes.
func (r *measured) Search(ctx context.Context, s retrieve.Search) (retrieve.Result, error) {
	found, err := r.inner.Search(ctx, s)
	if err != nil {
		return found, err
	}
	for stage, took := range found.Trace.Timings {
		r.metrics.retrieval.WithLabelValues(stage).Observe(took.Seconds())
	}
	return found, nil
}
