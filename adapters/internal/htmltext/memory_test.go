package htmltext_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/htmltext"
	"github.com/footnotehq/footnote/core/footprint/footprinttest"
	"golang.org/x/sync/errgroup"
)

// Eight pages of short elements at a time, more than the pool has room for without limits.
func TestElementsWithoutEndInLittleMemory(t *testing.T) {
	footprinttest.Limited(t, 512<<20, func(t *testing.T) {
		for _, element := range []string{"<b>", "<p>a", "<h2>a", "<h1>a</h1>", "<li>a", "<table><tr><td>a", "<tr><td>", "<a href=b>c</a>", "<pre>a</pre>", "<div><span>", "<dl><dt>a", "a<br>", "<!--x-->"} {
			source := strings.Repeat(element, 1<<20/len(element))
			var group errgroup.Group
			for range 8 {
				group.Go(func() error {
					_, err := htmltext.Read(t.Context(), source)
					return err
				})
			}
			if err := group.Wait(); err != nil {
				t.Errorf("%q: %v", element, err)
			}
		}
	})
}
