package wire

import (
	"net/http"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/stream"
)

// metrics returns the counters of the answer service, or nil without a Meter.
func (b *Base) metrics() interface {
	answer.Metrics
	action.Metrics
} {
	if b.Meter == nil {
		return nil
	}
	return b.Meter
}

// Observe returns the function that counts every write of an answer, or nil without a Meter.
func (b *Base) Observe() func(stream.Write) {
	if b.Meter == nil {
		return nil
	}
	return b.Meter.Wrote
}

// Counted returns next wrapped to count a service's refusals, or next itself without a Meter.
func (b *Base) Counted(service string, next http.RoundTripper) http.RoundTripper {
	if b.Meter == nil {
		return next
	}
	return b.Meter.Counted(service, next)
}

// HTTP returns the client for requests to a service (slack, model). It uses the proxy of the
// environment and CA_FILE.
func (b *Base) HTTP(service string) *http.Client {
	client := *b.http
	client.Transport = b.Counted(service, b.http.Transport)
	return &client
}
