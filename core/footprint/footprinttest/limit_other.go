//go:build !linux

package footprinttest

import "testing"

// limitData does nothing, because this system cannot limit a process's data. Only the runtime's own
// memory limit applies.
func limitData(*testing.T, uint64) {}
