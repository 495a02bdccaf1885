package spend_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/spend/spendtest"
)

func TestLedgerInMemory(t *testing.T) {
	t.Parallel()
	spendtest.Suite(t, func(*testing.T) []spendtest.Ledger {
		m := &spendtest.Memory{}
		return []spendtest.Ledger{m, m}
	})
}
