package footprinttest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/footprint/footprinttest"
)

var sink []byte

func TestLittleMemorySuffices(t *testing.T) {
	footprinttest.Limited(t, 512<<20, func(*testing.T) { sink = make([]byte, 16<<20) })
}

// TestLittleMemoryIsExceeded shows that a test with too little memory fails. It runs itself as a
// child, since it must fail there.
func TestLittleMemoryIsExceeded(t *testing.T) {
	const child = "FOOTNOTE_TEST_DIES"
	if os.Getenv(child) != "" {
		footprinttest.Limited(t, 256<<20, func(*testing.T) {
			for i := range 64 {
				block := make([]byte, 64<<20)
				for at := 0; at < len(block); at += 4096 {
					block[at] = byte(i)
				}
				kept = append(kept, block)
			}
		})
		return
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLittleMemoryIsExceeded$", "-test.v")
	c.Env = append(os.Environ(), child+"=1")
	out, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "out of memory") && !strings.Contains(string(out), "cannot allocate") && !strings.Contains(string(out), "failed to allocate") {
		t.Errorf("a process with too little memory ended with %v\n%.2000s", err, out)
	}
}

var kept [][]byte
