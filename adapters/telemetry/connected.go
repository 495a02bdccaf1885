package telemetry

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

type connectedCollector func(ctx context.Context) map[string]bool

var connectedDesc = prometheus.NewDesc("footnote_connected", "1 while a part outside (slack, discord, database, redis, opensearch) is connected or the disk has room, else 0.", []string{"part"}, nil)

var _ prometheus.Collector = connectedCollector(nil)

// Describe implements prometheus.Collector.
func (connectedCollector) Describe(to chan<- *prometheus.Desc) { to <- connectedDesc }

// Collect implements prometheus.Collector.
func (c connectedCollector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), queueLimit)
	defer cancel()
	for part, up := range c(ctx) {
		value := 0.0
		if up {
			value = 1
		}
		to <- prometheus.MustNewConstMetric(connectedDesc, prometheus.GaugeValue, value, part)
	}
}
