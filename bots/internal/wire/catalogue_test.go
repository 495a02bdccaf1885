package wire

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/tool"
)

func TestCatalogueIsKeptByAudience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		var err error
		c := &catalogue{logger: slog.New(slog.DiscardHandler), list: func(_ context.Context, audience access.Audience) ([]tool.Source, error) {
			asked++
			return []tool.Source{{Name: string(audience.Principals()[0])}}, err
		}}
		members, public := access.NewAudience(access.DefaultTenant, access.Members), access.NewAudience(access.DefaultTenant, access.Public)
		for range 2 {
			for _, a := range []access.Audience{members, public} {
				if got := c.Searchable(t.Context(), a); len(got) != 1 || got[0].Name != string(a.Principals()[0]) {
					t.Errorf("%v is shown %v", a.Principals(), got)
				}
			}
		}
		if asked != 2 {
			t.Errorf("asked %d times for two audiences", asked)
		}
		time.Sleep(catalogueKept)
		if c.Searchable(t.Context(), members); asked != 3 {
			t.Error("an old list is kept")
		}
		err = errors.New("slow")
		time.Sleep(catalogueKept)
		c.Searchable(t.Context(), members)
		if c.Searchable(t.Context(), members); asked != 4 {
			t.Error("a list that failed is asked for again at once")
		}
	})
}
