package index

import "time"

const (
	// interrupted is how long a run may have been going without an end before it is taken to be one
	// whose process died.
	interrupted = 5 * time.Minute
	// firstRetry is how soon a run that failed is repeated, doubled with each further failure up to
	// the usual time.
	firstRetry = time.Minute
	// AccessEvery is how often serve reads who may read a source: how late a change of that shows,
	// where the source does not tell of it.
	AccessEvery = 5 * time.Minute
)

// NextAccess returns when a loop over a source's nodes or groups is due, given when its newest run
// began, when that stored something last (zero once it has ended), and how many runs in a row have
// failed.
func NextAccess(began, touched time.Time, failing int) time.Time {
	switch {
	case !touched.IsZero():
		return touched.Add(interrupted)
	case failing > 0:
		return began.Add(min(firstRetry<<min(failing-1, 10), AccessEvery))
	}
	return began.Add(AccessEvery)
}

// Next returns when a source that is read every so often is read next, given its newest run and how
// many runs in a row have failed. It is the zero time, which has passed, for one that was never
// read, and for a schedule of 0 too: whoever asks has one.
func Next(every time.Duration, last Run, failing int) time.Time {
	switch {
	case last.StartedAt.IsZero():
		return time.Time{}
	case last.FinishedAt.IsZero() && !last.ResumesAt.IsZero():
		return last.ResumesAt
	case last.FinishedAt.IsZero():
		return last.StartedAt.Add(interrupted)
	case last.Succeeded:
		return last.StartedAt.Add(every)
	}
	wait := firstRetry
	for n := 1; n < failing && wait < every; n++ {
		wait *= 2
	}
	return last.FinishedAt.Add(min(wait, every))
}
