package index

import "time"

const (
	// interrupted is how long a run may stay unfinished before its process counts as dead.
	interrupted = 5 * time.Minute
	// firstRetry is the delay after the first failed run. It doubles with each further failure, up
	// to the interval of the source.
	firstRetry = time.Minute
	// AccessEvery is the interval at which the server reads permissions. A change that the source
	// does not report takes effect after this time at the latest.
	AccessEvery = 5 * time.Minute
)

// Next returns when a source should be read next, given its interval, its newest run and its number
// of consecutive failed runs. It returns the zero time if the source was never read.
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

// NextAccess returns when the nodes or groups of a source should be read next. began is the start
// of the newest run. touched is when that run last stored something, or zero if it has ended.
// failing is the number of consecutive failed runs.
func NextAccess(began, touched time.Time, failing int) time.Time {
	switch {
	case !touched.IsZero():
		return touched.Add(interrupted)
	case failing > 0:
		return began.Add(backoff(failing, AccessEvery))
	}
	return began.Add(AccessEvery)
}

func backoff(failures int, most time.Duration) time.Duration {
	wait := firstRetry
	for n := 1; n < failures && wait < most; n++ {
		wait *= 2
	}
	return min(wait, most)
}
