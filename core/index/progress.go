package index

import "time"

// Progress is how far a run is.
type Progress struct {
	Counts
	// ChunksPerSecond over the whole run so far; 0 at its beginning.
	ChunksPerSecond float64
	// Remaining is how long the rest will take at the pace so far; 0 when unknown.
	Remaining time.Duration
	// Waited is how much of the run was spent waiting for limits of the source; 0 when unknown.
	Waited time.Duration
}

// Share is how much of the run is done, from 0 to 1; 0 when unknown.
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
