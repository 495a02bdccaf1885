package main

import (
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/index"
)

// progressJSON is the progress of a run, which may be another process's. Its field names are
// stable.
type progressJSON struct {
	Seen int `json:"seen"` // documents so far
	// Total is omitted if it is not known.
	Total              int     `json:"total,omitempty"`
	DocumentsPerSecond float64 `json:"documents_per_second"`
	RemainingSeconds   *int64  `json:"remaining_seconds,omitempty"`
	WaitedSeconds      int64   `json:"waited_seconds"` // wait for limits of the source
	// end of a pause that the source asked for
	ResumesAt *time.Time `json:"resumes_at,omitempty"`
	Waiting   string     `json:"waiting,omitempty"` // reason of the pause
}

func progressOf(run index.Run) *progressJSON {
	p := &progressJSON{Seen: run.Counts.Seen(), Total: run.Counts.Total, WaitedSeconds: int64(run.Waited.Seconds()), Waiting: run.Waiting}
	if seconds := run.Worked.Seconds(); seconds > 0 {
		p.DocumentsPerSecond = float64(p.Seen) / seconds
	}
	if left := p.Total - p.Seen; left > 0 && p.DocumentsPerSecond > 0 {
		remaining := int64(float64(left) / p.DocumentsPerSecond)
		p.RemainingSeconds = &remaining
	}
	if !run.ResumesAt.IsZero() {
		p.ResumesAt = &run.ResumesAt
	}
	return p
}

// String returns the progress on one line.
func (p *progressJSON) String() string {
	line := fmt.Sprintf("being read: %d", p.Seen)
	if p.Total > 0 {
		line += fmt.Sprintf(" of %d", p.Total)
	}
	line += fmt.Sprintf(" documents, %.1f/s", p.DocumentsPerSecond)
	if p.RemainingSeconds != nil {
		line += fmt.Sprintf(", %s left", time.Duration(*p.RemainingSeconds)*time.Second)
	}
	if p.WaitedSeconds > 0 {
		line += fmt.Sprintf(", waited %s for the source's limits", time.Duration(p.WaitedSeconds)*time.Second)
	}
	if p.ResumesAt != nil {
		line += fmt.Sprintf("; %s: it goes on at %s", p.Waiting, p.ResumesAt.UTC().Format("15:04:05 UTC"))
	}
	return line
}
