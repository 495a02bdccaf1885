package index

import "time"

const (
	// interrupted is how long a run may last without an end before its process counts as dead.
	interrupted = 5 * time.Minute
	// firstRetry is the wait after the first failed run. It doubles with each further failure, up to
	// the interval.
	firstRetry = time.Minute
	// AccessEvery is how often serve reads who may read a source. A change takes effect at most this
	// late, if the source does not report it.
	AccessEvery = 5 * time.Minute
)

// Next returns when a source with an interval is due, given its newest run and the number of
// consecutive runs that failed. The zero time says that it was never read. Package sources decides
// whether it is read then.
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
	return last.FinishedAt.Add(backoff(failing, every))
}

// NextAccess returns when a loop over the nodes or groups of a source is due. began is the start of
// its newest run. touched is when that run last stored something, and zero once it has ended.
func NextAccess(began, touched time.Time, failing int) time.Time {
	switch {
	case !touched.IsZero():
		return touched.Add(interrupted)
	case failing > 0:
		return began.Add(backoff(failing, AccessEvery))
	}
	return began.Add(AccessEvery)
}

// backoff returns the wait after a number of failures: firstRetry, doubled with each further one,
// up to most.
func backoff(failures int, most time.Duration) time.Duration {
	wait := firstRetry
	for n := 1; n < failures && wait < most; n++ {
		wait *= 2
	}
	return min(wait, most)
}
