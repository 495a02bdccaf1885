package telemetry

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
)

// services lists the services whose responses with status 429 are counted.
var services = []string{"slack", "discord", "model"}

type countingTransport struct {
	next    http.RoundTripper
	refused prometheus.Counter
}

// Counted returns a transport that sends requests through next. It counts the responses with status
// 429. service is slack, discord or model.
func (m *Metrics) Counted(service string, next http.RoundTripper) http.RoundTripper {
	return &countingTransport{next: next, refused: m.limited.WithLabelValues(service)}
}

// RoundTrip implements http.RoundTripper.
func (c *countingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := c.next.RoundTrip(r)
	if err == nil && res.StatusCode == http.StatusTooManyRequests {
		c.refused.Inc()
	}
	return res, err
}

// CloseIdleConnections closes the idle connections of the wrapped transport, if it supports this.
func (c *countingTransport) CloseIdleConnections() {
	if pool, ok := c.next.(interface{ CloseIdleConnections() }); ok {
		pool.CloseIdleConnections()
	}
}
