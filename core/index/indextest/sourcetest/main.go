package sourcetest

import (
	"flag"
	"os"
	"testing"
)

// stories is how many of them a suite tells where neither -rapid.checks nor RAPID_CHECKS says:
// seconds of them.
const stories = "20"

// Main is a package's TestMain: it has Suite tell a few stories, or as many as the flag says.
func Main(m *testing.M) {
	if os.Getenv("RAPID_CHECKS") == "" {
		if err := flag.Set("rapid.checks", stories); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run()) // which reads the flags: one that is given counts
}
