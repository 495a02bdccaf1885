package hostiletest

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

const peak = "HOSTILETEST_PEAK"

// Peak runs read in a child process. It fails if that process crashes or takes more than limit
// bytes from the operating system. The child process runs the calling test again, so the test must
// do nothing before it calls Peak.
func Peak(t *testing.T, limit uint64, read func()) {
	t.Helper()
	if os.Getenv(peak) == t.Name() {
		read()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if m.Sys > limit {
			t.Errorf("%d MB were taken, the limit is %d", m.Sys>>20, limit>>20)
		}
		return
	}
	var exact []string
	for part := range strings.SplitSeq(t.Name(), "/") {
		exact = append(exact, "^"+part+"$")
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+strings.Join(exact, "/"), "-test.v")
	child.Env = append(os.Environ(), peak+"="+t.Name(), fmt.Sprintf("GOMEMLIMIT=%d", limit/2))
	out, err := child.CombinedOutput()
	if len(out) > 4000 {
		out = out[len(out)-4000:]
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("the process ended with %v:\n%s", err, out)
	}
}

// EmptyRows returns a Markdown table of about size bytes with many columns, and with rows that have
// no cells. A parser that adds the missing cells takes quadratic memory.
func EmptyRows(size int) string {
	columns := size / 8
	return "|" + strings.Repeat("a|", columns) + "\n|" + strings.Repeat("-|", columns) + "\n" + strings.Repeat("|\n", 2*columns)
}
