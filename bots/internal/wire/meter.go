package wire

import (
	"net/http"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/stream"
)

// metrics returns nil without a Meter.
func (b *Base) metrics() interface {
	answer.Metrics
	action.Metrics
} {
	if b.Meter == nil {
		return nil
	}
	return b.Meter
}

// Observe returns a function that counts writes to chat messages, or nil without a Meter.
func (b *Base) Observe() func(stream.Write) {
	if b.Meter == nil {
		return nil
	}
	return b.Meter.Wrote
}

// Counted wraps next to count the rate-limit responses of a service. Without a Meter, it returns
// next.
func (b *Base) Counted(service string, next http.RoundTripper) http.RoundTripper {
	if b.Meter == nil {
		return next
	}
	return b.Meter.Counted(service, next)
}

// HTTP returns the client for requests to a service, such as "slack". It uses CA_FILE and the proxy
// of the environment.
func (b *Base) HTTP(service string) *http.Client {
	client := *b.http
	client.Transport = b.Counted(service, b.http.Transport)
	return &client
}
