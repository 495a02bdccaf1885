package session

import "errors"

// ErrDraining is what Store.Lease answers a replica that is to run turns apart, and still works on
// others: it gets nothing until these have ended or were handed back, which it sees to in a bounded
// time.
var ErrDraining = errors.New("turns wait to be run apart in this process")

// A replica dies of one of the turns that it holds, or of something else altogether; it is not
// known which. So its turns are suspects, and go into quarantine: they run again in one process in
// which nothing else runs, at most Beside of them concurrently. Whatever ends in peace is cleared.
// When that process dies too, those that ran in it at that moment are a smaller group, down to one
// that runs alone; only deaths of a process in which a turn was alone on purpose are its own
// (Turn.LoneDeaths).

// Beside is how many of n turns, whose replica died, may run concurrently. A first death is most
// often an accident, such as a machine that was switched off: then they run in halves, which costs
// little. Of turns that were suspects before (again), an eighth, so that few more processes die
// before each that is left runs alone. It is 1 at least.
func Beside(n int, again bool) int {
	if again {
		return max(1, (n+7)/8)
	}
	return max(1, (n+1)/2)
}
