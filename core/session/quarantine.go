package session

import "errors"

// ErrDraining is returned by Store.Lease if the replica must run turns in isolation but still works
// on others. The replica gets no turns until the others have ended or were handed back. It must do
// that within a bounded time.
var ErrDraining = errors.New("turns wait to be run apart in this process")

// A replica dies of one of the turns that it holds, or of something else altogether; it is not
// known which. So its turns are suspects, and go into quarantine: they run again in one process in
// which nothing else runs, at most Beside of them concurrently. Whatever ends in peace is cleared.
// When that process dies too, those that ran in it at that moment are a smaller group, down to one
// that runs alone; only deaths of a process in which a turn was alone on purpose are its own
// (Turn.LoneDeaths).

// Beside returns how many of n turns, whose replica died, may run concurrently; at least 1. After a
// first death it returns half, which costs little: most first deaths are accidents, such as a
// machine that was switched off. If the turns were suspects before (again), it returns an eighth.
// So few more processes die before each remaining turn runs alone.
func Beside(n int, again bool) int {
	if again {
		return max(1, (n+7)/8)
	}
	return max(1, (n+1)/2)
}
