package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// Report is the result of an evaluation. Its JSON names are stable, because reports are stored and
// compared with later ones.
type Report struct {
	Collection  string    `json:"collection"`  // display name
	Fingerprint string    `json:"fingerprint"` // fingerprint of the collection's content
	Documents   int       `json:"documents"`
	Queries     int       `json:"queries"`
	At          time.Time `json:"at"`
	Version     string    `json:"version"` // version of the program
	Embedder    string    `json:"embedder,omitempty"`
	Alpha       float64   `json:"alpha"` // HYBRID_ALPHA, before the embedder's cap
	TitleRatio  float64   `json:"title_ratio"`
	Indexing    Indexing  `json:"indexing"`
	Results     []Result  `json:"results"`
	Notes       []string  `json:"notes,omitempty"`
}

// Indexing holds the time that indexing the collection took.
type Indexing struct {
	Chunks          int     `json:"chunks"`
	Failed          int     `json:"failed"`
	Seconds         float64 `json:"seconds"` // reading, cutting, embedding by an endpoint, storing
	ChunksPerSecond float64 `json:"chunks_per_second"`
	SettleSeconds   float64 `json:"settle_seconds"` // embedding missing vectors, packing
}

// ReadReport reads a report that [Report.Write] wrote.
func ReadReport(r io.Reader) (Report, error) {
	var report Report
	if err := json.NewDecoder(r).Decode(&report); err != nil {
		return report, fmt.Errorf("it is not a saved evaluation: %w", err)
	}
	if report.Fingerprint == "" || len(report.Results) == 0 {
		return report, errors.New("it is not a saved evaluation: it names no collection, or holds no results")
	}
	return report, nil
}

// Write writes the report as indented JSON.
func (r Report) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// With returns a copy of the report with the earlier report's results for modes that r does not
// have.
func (r Report) With(earlier Report) Report {
	results := slices.Clone(r.Results)
	for _, e := range earlier.Results {
		if !slices.ContainsFunc(results, func(x Result) bool { return x.Mode == e.Mode }) {
			results = append(results, e)
		}
	}
	slices.SortFunc(results, func(a, b Result) int { return slices.Index(Modes(), a.Mode) - slices.Index(Modes(), b.Mode) })
	r.Results = results
	return r
}

// Difference is the change of one mode's results since an earlier report. Positive numbers mean an
// increase.
type Difference struct {
	Mode      Mode    `json:"mode"`
	NDCG10    float64 `json:"ndcg_at_10"`
	Recall100 float64 `json:"recall_at_100"`
	MRR10     float64 `json:"mrr_at_10"`
	P50       float64 `json:"p50_ms"` // change in the latency of the whole search
	P95       float64 `json:"p95_ms"`
}

// Compare returns the differences in the modes that both reports measured. It returns an error if
// they are about different collections.
//
// It rounds measures to six digits, because the order of an addition can change the last digits.
func (r Report) Compare(earlier Report) ([]Difference, error) {
	if r.Fingerprint != earlier.Fingerprint {
		return nil, fmt.Errorf("the report compared with is of another collection (%s with %d documents and %d queries), so that its numbers say nothing about this one",
			earlier.Collection, earlier.Documents, earlier.Queries)
	}
	differences := []Difference{}
	for _, now := range r.Results {
		for _, then := range earlier.Results {
			if now.Mode != then.Mode {
				continue
			}
			a, b := now.Total(), then.Total()
			differences = append(differences, Difference{Mode: now.Mode, NDCG10: round(now.NDCG10 - then.NDCG10),
				Recall100: round(now.Recall100 - then.Recall100), MRR10: round(now.MRR10 - then.MRR10), P50: round(a.P50 - b.P50), P95: round(a.P95 - b.P95)})
		}
	}
	return differences, nil
}

func round(v float64) float64 { return math.Round(v*1e6)/1e6 + 0 } // + 0: no negative zero

// Total returns the latency of the whole search. It is zero if the search was not measured.
func (r Result) Total() Latency {
	for _, l := range r.Latency {
		if l.Stage == total {
			return l
		}
	}
	return Latency{Stage: total}
}
