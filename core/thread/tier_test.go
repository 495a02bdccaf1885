package thread_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/thread/threadtest"
)

func TestLocalTiers(t *testing.T) {
	t.Parallel()
	threadtest.TiersSuite(t, func(*testing.T) (one, other thread.Tiers) {
		tiers := &thread.LocalTiers{}
		return tiers, tiers
	})
}
