package hostiletest

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// peak is the name of the variable that tells a child what it is.
const peak = "HOSTILETEST_PEAK"

// Peak calls read in its own process, and fails where that process takes more memory from the
// system than limit bytes, or dies. The test that calls it is run again in that process, up to
// there; it must do nothing before.
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

// EmptyRows is a table of many columns whose rows lack all cells, in about size bytes: a parser
// that fills them in takes the square of that.
func EmptyRows(size int) string {
	columns := size / 8
	return "|" + strings.Repeat("a|", columns) + "\n|" + strings.Repeat("-|", columns) + "\n" + strings.Repeat("|\n", 2*columns)
}
