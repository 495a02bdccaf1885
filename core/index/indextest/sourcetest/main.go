package sourcetest

import (
	"flag"
	"os"
	"testing"
)

// stories is the default number of random tests, few enough to run within seconds. -rapid.checks
// and RAPID_CHECKS override it.
const stories = "20"

// Main runs a package's tests from its TestMain. It sets the number of random tests, unless
// RAPID_CHECKS does.
func Main(m *testing.M) {
	if os.Getenv("RAPID_CHECKS") == "" {
		if err := flag.Set("rapid.checks", stories); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run()) // Run parses the command line, so -rapid.checks overrides the default
}
