package sourcetest

import (
	"flag"
	"os"
	"testing"
)

// stories is the default number of stories, which take seconds. -rapid.checks and RAPID_CHECKS
// override it.
const stories = "20"

// Main is the TestMain of a package. It sets the number of stories.
func Main(m *testing.M) {
	if os.Getenv("RAPID_CHECKS") == "" {
		if err := flag.Set("rapid.checks", stories); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run()) // which reads the flags: one that is given counts
}
