package session

import "errors"

// ErrDraining is returned by Store.Lease if the replica must first end its other turns or hand them
// back, within a bounded time. After that it gets turns that must run without others, because they
// may have caused the death of a process.
var ErrDraining = errors.New("turns wait to run in isolation in this process")

// When a replica dies, one of its turns may have caused it. So its turns are suspects and go into
// quarantine: they run again in one process in which nothing else runs, at most
// MaxConcurrentSuspects at once. Turns that end are cleared. If that process dies too, the turns
// running in it are a smaller group of suspects. Only deaths of a process that ran a single turn in
// isolation count against the turn (Turn.LoneDeaths).

// MaxConcurrentSuspects returns how many of the n turns of a dead replica may run at the same time.
// Any of them may have caused the death. The result is half of n after the first death, and an
// eighth if the turns ran on a dead replica before (again). It is at least 1.
func MaxConcurrentSuspects(n int, again bool) int {
	if again {
		return max(1, (n+7)/8)
	}
	return max(1, (n+1)/2)
}
