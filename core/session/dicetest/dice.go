// Package dicetest draws what happens in random tests.
package dicetest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// variable names the seed for pgregory.net/rapid too, to which 0 and an empty value are none as
// well.
const variable = "RAPID_SEED"

// Seed is RAPID_SEED, else drawn by the clock. The test's log tells it: a run is repeated with it.
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

// New draws by Seed.
func New(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 0)) //nolint:gosec // it draws tests
}
