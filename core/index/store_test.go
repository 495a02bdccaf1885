package index_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

func TestTheStoreInMemoryIsAStore(t *testing.T) {
	t.Parallel()
	indextest.Suite(t, func(*testing.T) index.Store { return new(indextest.Store) })
}
