package wire

import (
	"net/http"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/stream"
)

// metrics are what the answer service counts with; nil without a Meter.
func (b *Base) metrics() interface {
	answer.Metrics
	action.Metrics
} {
	if b.Meter == nil {
		return nil
	}
	return b.Meter
}

// Observe gets every write of an answer; nil without a Meter.
func (b *Base) Observe() func(stream.Write) {
	if b.Meter == nil {
		return nil
	}
	return b.Meter.Wrote
}

// Counted is a transport to a service, with its refusals counted; next itself without a Meter.
func (b *Base) Counted(service string, next http.RoundTripper) http.RoundTripper {
	if b.Meter == nil {
		return next
	}
	return b.Meter.Counted(service, next)
}

// HTTP is the client for outgoing connections to a service (slack, model): it honours the proxy of
// the environment and CA_FILE.
func (b *Base) HTTP(service string) *http.Client {
	client := *b.http
	client.Transport = b.Counted(service, b.http.Transport)
	return &client
}
