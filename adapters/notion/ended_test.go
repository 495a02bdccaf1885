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

// Whatever was read and stored before it was noted what stands on it is read again by the run that
// goes on.
func TestPagesWhoseContentWasNotNotedAreReadAgain(t *testing.T) {
	t.Parallel()
	w := notiontest.NewWorld()
	s := notiontest.NewServer(t, w)
	top := w.Page(nil, "Handbook", "x")
	w.Do(func() { top.Connected = true })
	for i := range 20 {
		w.Page(top, fmt.Sprint("Page ", i), "x")
	}
	for ended := range 3 {
		c := connector(t, s, map[string]access.ACL{top.ID: {members}})
		var at index.Checkpoint
		var last []index.Item
		for batch, err := range c.Sync(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			if len(batch.Documents) > 0 {
				if last = batch.Documents; ended == 0 {
					break
				}
				ended--
			}
			if batch.Next != nil {
				at = batch.Next
			}
		}
		if at == nil {
			t.Fatal("nothing was noted")
		}
		for batch, err := range c.Sync(t.Context(), at) {
			if err != nil {
				t.Fatal(err)
			}
			if len(batch.Documents) == 0 {
				continue
			}
			if !batch.Resumed || batch.Documents[0].ID != last[0].ID || !batch.Documents[0].Again || !batch.Documents[len(batch.Documents)-1].Again {
				t.Errorf("it goes on with %v, again %v, and ended with %v", batch.Documents[0].ID, batch.Documents[0].Again, last[0].ID)
			}
			break
		}
	}
}
