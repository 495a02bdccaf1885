package sourcetest

import (
	"flag"
	"os"
	"testing"
)

// stories is how many of them a suite tells where -rapid.checks does not say: seconds of them. Each run tells others.
const stories = "20"

// Main is a package's TestMain: it has Suite tell a few stories, or as many as -rapid.checks says.
func Main(m *testing.M) {
	if err := flag.Set("rapid.checks", stories); err != nil {
		panic(err)
	}
	os.Exit(m.Run()) // which reads the flags: one that is given counts
}
