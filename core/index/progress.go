package index

import "time"

// Progress says how much of a [Pipeline.Run] is done.
type Progress struct {
	Counts
	// ChunksPerSecond is the average over the run so far. It is 0 at the beginning of a run.
	ChunksPerSecond float64
	// Remaining is the estimated time for the rest of the run at the current rate. It is 0 if
	// unknown.
	Remaining time.Duration
	// Waited is the time that the run spent waiting for rate limits of the source. It is 0 if
	// unknown.
	Waited time.Duration
}

// Share returns the finished share of the run, from 0 to 1. It returns 0 if the total is unknown.
func (p Progress) Share() float64 {
	if p.Total <= 0 {
		return 0
	}
	return min(float64(p.Seen())/float64(p.Total), 1)
}

func progressOf(c Counts, elapsed, waited time.Duration) Progress {
	p := Progress{Counts: c, Waited: waited}
	if elapsed > 0 {
		p.ChunksPerSecond = float64(c.Chunks) / elapsed.Seconds()
	}
	if seen := c.Seen(); seen > 0 && c.Total > seen {
		p.Remaining = time.Duration(float64(elapsed) / float64(seen) * float64(c.Total-seen))
	}
	return p
}
