package notion_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/footnotehq/footnote/adapters/notion"
	"github.com/footnotehq/footnote/adapters/notion/notiontest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// A pass that is ended in the middle of a list goes on there, from its beginning where the cursor
// is not known any more; what stood on a page that was read just before the end is found all the
// same.
func TestAPassThatIsEndedGoesOn(t *testing.T) {
	t.Parallel()
	for _, expired := range []bool{false, true} {
		for killed := range 40 {
			w := notiontest.NewWorld()
			s := notiontest.NewServer(t, w)
			top := w.Page(nil, "Handbook", "x")
			w.Do(func() { top.Connected = true })
			var hidden *notiontest.Thing
			for i := range 30 {
				hidden = w.Page(w.Page(top, fmt.Sprint("Page ", i), "x"), "Hidden", "x")
			}
			s.Switch(func(is *notiontest.Switches) { is.Short, is.Omitted = 10, map[string]bool{hidden.ID: true} })
			readers := map[string]access.ACL{top.ID: {members}}
			store := new(indextest.Store)
			chunker, err := index.NewChunker(runes{}, index.ChunkSize{})
			if err != nil {
				t.Fatal(err)
			}
			ctx, kill := context.WithCancelCause(t.Context())
			pipeline := index.New(store, chunker, nil, index.Config{Workers: 2})
			_, err = pipeline.Run(ctx, access.DefaultTenant, killedAfter{connector(t, s, readers), killed, kill}, nil)
			if err != nil && !errors.Is(err, index.ErrPaused) {
				t.Fatal(err)
			}
			s.Switch(func(is *notiontest.Switches) { is.Expired = expired })
			if expired {
				s.Switch(func(is *notiontest.Switches) { is.Short = 0 })
			}
			if _, acls := stored(t, store, connector(t, s, readers)); len(acls) != 61 {
				t.Fatalf("after %d batches, cursors expired %v: %d pages are stored, the hidden one %v", killed, expired, len(acls), acls[hidden.ID])
			}
		}
	}
}

// killedAfter is a connector whose run is ended after some batches.
type killedAfter struct {
	*notion.Connector
	left int
	kill context.CancelCauseFunc
}

// Sync implements index.Connector.
func (k killedAfter) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		for b, err := range k.Connector.Sync(ctx, since) {
			if k.left--; k.left < 0 {
				k.kill(index.ErrPaused)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// Pages that only texts name are found wherever the run ends that read these texts.
func TestPagesThatTextsNameAreReadAfterAnEnd(t *testing.T) {
	t.Parallel()
	for killed := range 25 {
		w := notiontest.NewWorld()
		s := notiontest.NewServer(t, w)
		top := w.Page(nil, "Handbook", "x")
		w.Do(func() { top.Connected = true })
		omitted := make(map[string]bool)
		for i := range 20 {
			page := w.Page(top, fmt.Sprint("Page ", i), "x")
			omitted[page.ID], omitted[w.Page(page, "Below", "x").ID] = true, true
		}
		s.Switch(func(is *notiontest.Switches) { is.Omitted = omitted })
		readers := map[string]access.ACL{top.ID: {members}}
		store := new(indextest.Store)
		chunker, err := index.NewChunker(runes{}, index.ChunkSize{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, kill := context.WithCancelCause(t.Context())
		_, err = index.New(store, chunker, nil, index.Config{Workers: 2}).Run(ctx, access.DefaultTenant, killedAfter{connector(t, s, readers), killed, kill}, nil)
		if err != nil && !errors.Is(err, index.ErrPaused) {
			t.Fatal(err)
		}
		if _, acls := stored(t, store, connector(t, s, readers)); len(acls) != 41 {
			t.Fatalf("after %d batches %d pages are stored", killed, len(acls))
		}
	}
}
