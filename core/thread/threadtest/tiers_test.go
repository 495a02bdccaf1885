package threadtest_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/thread/threadtest"
)

func TestTiers(t *testing.T) {
	t.Parallel()
	threadtest.TiersSuite(t, func(*testing.T) (one, other thread.Tiers) {
		tiers := &threadtest.Tiers{}
		return tiers, tiers
	})
}
