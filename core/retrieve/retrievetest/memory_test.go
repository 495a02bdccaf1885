package retrievetest_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	retrievetest.Suite(t, func(*testing.T) retrievetest.Store { return retrievetest.NewMemory() })
}
