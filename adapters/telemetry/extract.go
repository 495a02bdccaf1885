package telemetry

import "github.com/footnotehq/footnote/core/extract"

// Extracted counts a text from which a model has extracted statements, or failed to.
func (m *Metrics) Extracted(o extract.Outcome) {
	result := "read"
	if !o.Read {
		result = "failed"
	}
	m.extracted.WithLabelValues(result).Inc()
}
