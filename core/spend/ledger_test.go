package spend_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/spend/spendtest"
)

func TestLedgerInMemory(t *testing.T) {
	t.Parallel()
	spendtest.Suite(t, func(*testing.T) ([]spendtest.Ledger, spendtest.Clock) {
		var now time.Time
		m := &spendtest.Memory{Now: func() time.Time { return now }}
		return []spendtest.Ledger{m, m}, func(at time.Time) { now = at }
	})
}
