package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/web"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

// A site that takes several pieces is read once in all: what a piece has read is not asked for
// again by the next, and not taken for gone at the end. What the site does not have any more goes.
func TestAnInterruptedCrawlGoesOn(t *testing.T) {
	t.Parallel()
	const pages = 400
	site := make(map[string]string)
	for n := range pages {
		links := ""
		for next := 2*n + 1; next <= 2*n+2 && next < pages; next++ {
			links += link(fmt.Sprintf("/p%d", next))
		}
		path := fmt.Sprintf("/p%d", n)
		if n == 0 {
			path = "/"
		}
		site[path] = page(fmt.Sprintf("Page %d", n), links)
	}
	site["/p2"] = `<link rel="canonical" href="/none">` + site["/p2"]
	w := newWebsite(t, site)
	i := newIndexer(t)
	connector, err := web.New(web.Options{URL: w.URL, Interval: time.Microsecond, AllowHosts: []string{"127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	for pass := range 2 {
		ctx, pause := context.WithCancelCause(t.Context())
		_, err = i.pipeline.Run(ctx, access.DefaultTenant, connector, func(index.Progress) {
			if bytes.Contains(i.store.Saved(access.DefaultTenant, connector.Source().ID).Checkpoint, []byte(`"pass"`)) {
				pause(index.ErrPaused)
			}
		})
		pause(nil)
		if !errors.Is(err, index.ErrPaused) {
			t.Fatalf("pass %d: the first piece ended with %v", pass, err)
		}
		first := w.requests()
		run, err := i.pipeline.Run(t.Context(), access.DefaultTenant, connector, nil)
		if err != nil {
			t.Fatal(err)
		}
		second := w.requests()
		// At the pause some pages had been read and not saved yet. When it comes depends on how
		// fast the machine is.
		if len(second) >= pages || len(first)+len(second) < pages || len(first)+len(second) > pages+100 {
			t.Errorf("pass %d: %d pages were asked for, and then %d", pass, len(first), len(second))
		}
		if c := run.Counts; c.Indexed+c.Unchanged < pages-2*pass || c.Removed != 2*pass || c.Failed != pass {
			t.Errorf("pass %d counts %+v", pass, c)
		}
		if n := len(i.documents(t, run)); n != pages-2*pass {
			t.Errorf("pass %d: %d documents are in the index", pass, n)
		}
		if checkpoint := i.store.Saved(access.DefaultTenant, connector.Source().ID).Checkpoint; strings.Contains(string(checkpoint), `"pass"`) {
			t.Errorf("pass %d ended in its middle", pass)
		}
		w.set("/p399", "404") // for the second pass
		w.set("/p10", "403")  // which reads it in its first piece
	}
}
