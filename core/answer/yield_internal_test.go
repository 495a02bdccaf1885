package answer

import (
	"testing"
	"testing/synctest"
	"time"
)

// Work lets intakes go first, and is never held up for good by a stream of them.
func TestWorkLetsIntakesGoFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var i intakes
		waits := func() time.Duration {
			began := time.Now()
			i.yield(t.Context())
			return time.Since(began)
		}
		if got := waits(); got != 0 {
			t.Errorf("without intakes it waited %s", got)
		}
		first, second := i.begin(), i.begin()
		time.AfterFunc(10*time.Millisecond, first)
		time.AfterFunc(30*time.Millisecond, second)
		if got := waits(); got != 30*time.Millisecond {
			t.Errorf("it waited %s, want until the last intake has ended", got)
		}
		end := i.begin()
		if got := waits(); got != yieldLimit {
			t.Errorf("it waited %s for an intake that does not end", got)
		}
		another := i.begin()
		if got := waits(); got != 0 {
			t.Errorf("it waited %s although intakes had gone first for long enough", got)
		}
		end()
		another()
		if got := waits(); got != 0 {
			t.Errorf("after the last intake it waited %s", got)
		}
	})
}
