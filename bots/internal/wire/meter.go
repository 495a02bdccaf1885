package wire

import (
	"net/http"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/stream"
)

// Meter counts what a process does. It is safe for concurrent use.
type Meter interface {
	answer.Metrics
	action.Metrics
	// Wrote counts one write of an answer.
	Wrote(w stream.Write)
	// Counted counts what a service (slack, discord, model) refuses because there is too much of it.
	Counted(service string, next http.RoundTripper) http.RoundTripper
	// Spent counts a call of a model that was booked.
	Spent(a spend.Account, u spend.Use)
	// Retriever measures the searches of another retriever.
	Retriever(inner retrieve.Retriever) retrieve.Retriever
}

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

// Observe is told of every write of an answer; nil without a Meter.
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

// HTTP is the client for outgoing connections to a service (slack, model): it honours the proxy of the environment and CA_FILE.
func (b *Base) HTTP(service string) *http.Client {
	client := *b.http
	client.Transport = b.Counted(service, b.http.Transport)
	return &client
}

// measured returns the retriever with its searches measured.
func (b *Base) measured(r retrieve.Retriever) retrieve.Retriever {
	if b.Meter == nil {
		return r
	}
	return b.Meter.Retriever(r)
}
