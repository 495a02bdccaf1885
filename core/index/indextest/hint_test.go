package indextest_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/index/indextest"
)

func TestHintsInMemory(t *testing.T) {
	t.Parallel()
	indextest.HintsSuite(t, new(indextest.Hints), "chat")
}
