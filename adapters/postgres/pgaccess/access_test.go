package pgaccess_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess/pgaccesstest"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

func TestMain(m *testing.M) { sourcetest.Main(m) }

// Whatever happens to a source and to who reads it, nobody is shown what they may not read there.
func TestSourceSuite(t *testing.T) {
	t.Parallel()
	sourcetest.Suite(t, newTree, pgaccesstest.Open(t))
}
