package access_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/access/accesstest"
)

func TestLocal(t *testing.T) {
	t.Parallel()
	one := access.NewLocal()
	accesstest.Suite(t, func() accesstest.Store { return one })
}

func TestLocalAccounts(t *testing.T) {
	t.Parallel()
	accesstest.AccountSuite(t, access.NewLocal(), time.Now())
}
