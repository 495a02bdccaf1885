package telemetry

import "github.com/footnotehq/footnote/core/extract"

// Extracted counts one attempt of a model to extract statements from a text, as "read" or "failed".
func (m *Metrics) Extracted(o extract.Outcome) {
	result := "read"
	if !o.Read {
		result = "failed"
	}
	m.extracted.WithLabelValues(result).Inc()
}
