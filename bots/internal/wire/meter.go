package wire

import (
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/stream"
)

// Meter counts what a process does. It is safe for concurrent use.
type Meter interface {
	answer.Metrics
	// Wrote counts one write of an answer.
	Wrote(w stream.Write)
	// Retriever measures the searches of another retriever.
	Retriever(inner retrieve.Retriever) retrieve.Retriever
}

// metrics are what the answer service counts with; nil without a Meter.
func (b *Base) metrics() answer.Metrics {
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

// measured returns the retriever with its searches measured.
func (b *Base) measured(r retrieve.Retriever) retrieve.Retriever {
	if b.Meter == nil {
		return r
	}
	return b.Meter.Retriever(r)
}
