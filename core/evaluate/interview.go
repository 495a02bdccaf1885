package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// AnswerReport holds the answers to a file of questions. Its JSON names are stable, because reports
// are stored and compared with later ones.
type AnswerReport struct {
	File        string    `json:"file"`        // display name
	Fingerprint string    `json:"fingerprint"` // fingerprint of the questions
	At          time.Time `json:"at"`
	Version     string    `json:"version"` // version of the program
	Model       string    `json:"model"`   // model that wrote the answers
	Embedder    string    `json:"embedder,omitempty"`
	Sources     []string  `json:"sources,omitempty"` // only these were searched
	Deep        bool      `json:"deep,omitempty"`    // deep searches were made
	Seconds     float64   `json:"seconds"`
	Summaries   []Summary `json:"summaries"`
	Results     []Judged  `json:"results"`
	Notes       []string  `json:"notes,omitempty"`
}

// ReadAnswerReport reads a report that [AnswerReport.Write] wrote.
func ReadAnswerReport(r io.Reader) (AnswerReport, error) {
	var report AnswerReport
	if err := json.NewDecoder(r).Decode(&report); err != nil {
		return report, fmt.Errorf("it is not a saved run of questions: %w", err)
	}
	if report.Fingerprint == "" || len(report.Results) == 0 {
		return report, errors.New("it is not a saved run of questions: it holds no results")
	}
	return report, nil
}

// Write writes the report as indented JSON.
func (r AnswerReport) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// Compare lists the questions whose result differs from an earlier report. It returns an error if
// the earlier report is about different questions.
func (r AnswerReport) Compare(earlier AnswerReport) ([]Change, error) {
	if r.Fingerprint != earlier.Fingerprint {
		return nil, fmt.Errorf("the other run asked different questions (%s, %d of them), so the results are not comparable", earlier.File, len(earlier.Results))
	}
	return Changes(r.Results, earlier.Results), nil
}
