package telemetry

import (
	"context"

	"github.com/footnotehq/footnote/core/spend"
	"github.com/prometheus/client_golang/prometheus"
)

type spendCounters struct {
	calls  *prometheus.CounterVec
	tokens *prometheus.CounterVec
	cost   *prometheus.CounterVec
}

func newSpent(registry *prometheus.Registry) spendCounters {
	s := spendCounters{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "footnote_model_calls_total", Help: "Calls of language and embedding models that were billed, by what they were for.",
		}, []string{"model", "purpose"}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "footnote_model_tokens_total", Help: "Tokens of these calls; kind is input, cached (of input) or output.",
		}, []string{"model", "purpose", "kind"}),
		cost: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "footnote_model_cost_total", Help: "Cost of these calls by the prices of the configuration file.",
		}, []string{"model", "purpose", "currency"}),
	}
	registry.MustRegister(s.calls, s.tokens, s.cost)
	return s
}

// Spent counts one call of a model, with its tokens and its cost.
func (m *Metrics) Spent(a spend.Account, u spend.Use) {
	model, purpose := a.Model, string(a.Purpose)
	m.spent.calls.WithLabelValues(model, purpose).Inc()
	m.spent.tokens.WithLabelValues(model, purpose, "input").Add(float64(u.Input))
	m.spent.tokens.WithLabelValues(model, purpose, "cached").Add(float64(u.Cached))
	m.spent.tokens.WithLabelValues(model, purpose, "output").Add(float64(u.Output))
	if a.Currency != "" {
		m.spent.cost.WithLabelValues(model, purpose, a.Currency).Add(float64(u.Amount) / float64(spend.Unit))
	}
}

type capCollector func(ctx context.Context) (map[string]float64, error)

var cappedDesc = prometheus.NewDesc("footnote_cost_cap_used_ratio",
	"What was spent and what running calls have set aside, on all replicas, as a share of a cap on costs (daily, monthly).", []string{"cap"}, nil)

var _ prometheus.Collector = capCollector(nil)

// Describe implements prometheus.Collector.
func (capCollector) Describe(to chan<- *prometheus.Desc) { to <- cappedDesc }

// Collect implements prometheus.Collector. It omits the metrics if the database does not answer.
func (c capCollector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), queueLimit)
	defer cancel()
	used, err := c(ctx)
	if err != nil {
		return
	}
	for name, share := range used {
		to <- prometheus.MustNewConstMetric(cappedDesc, prometheus.GaugeValue, share, name)
	}
}
