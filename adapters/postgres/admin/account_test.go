package admin_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access/accesstest"
)

func TestAccounts(t *testing.T) {
	t.Parallel()
	accesstest.AccountSuite(t, admin.NewAudiences(postgrestest.Open(t)), time.Now())
}
