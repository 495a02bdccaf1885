package session

import "errors"

// ErrDraining is returned by Store.Lease if the replica must run turns in isolation but still works
// on other turns. The replica gets no turns until the other turns have ended or were handed back.
// The replica must do that within a bounded time.
var ErrDraining = errors.New("turns wait to run in isolation in this process")

// When a replica dies, one of its turns may have caused it. So its turns are suspects and go into
// quarantine: they run again in one process in which nothing else runs, at most
// MaxConcurrentSuspects at once. Turns that end are cleared. If that process dies too, the turns
// running in it are a smaller group of suspects. Only deaths of a process that ran a single turn in
// isolation count against the turn (Turn.LoneDeaths).

// MaxConcurrentSuspects returns how many of the n turns of a dead replica may run concurrently, at
// least 1. Any of these turns may have caused the death. After a first death it is half of n,
// because most first deaths are accidents, such as a machine that was switched off. If the turns
// were suspects before (again), it is an eighth, so that fewer further processes die.
func MaxConcurrentSuspects(n int, again bool) int {
	if again {
		return max(1, (n+7)/8)
	}
	return max(1, (n+1)/2)
}
