// Package dicetest provides a seeded random generator for tests.
package dicetest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// variable is the environment variable with the seed. As in pgregory.net/rapid, 0 and an empty
// value mean no seed.
const variable = "RAPID_SEED"

// Seed returns RAPID_SEED if it is set. Otherwise it returns a seed from the clock. It logs the
// seed, so that a run can be repeated.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if said := os.Getenv(variable); said != "" && said != "0" {
		var err error
		if seed, err = strconv.ParseUint(said, 10, 64); err != nil {
			t.Fatalf("%s is a number: %v", variable, err)
		}
	}
	t.Logf("%s=%d", variable, seed)
	return seed
}

// New returns a generator that is seeded with Seed.
func New(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 0)) //nolint:gosec // it draws tests
}
