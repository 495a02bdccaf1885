package index_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// outlined makes a document of a block that comes again and again.
func outlined(size int, add func(o *document.Outline)) *document.Document {
	var o document.Outline
	for last := -1; o.Size() < size && o.Size() > last; {
		last = o.Size()
		add(&o)
	}
	return &document.Document{Sections: o.Sections()}
}

// hostileOutlines are documents that once took the square of their length, or more memory than
// there is.
var hostileOutlines = map[string]func(o *document.Outline){
	"headings":          func(o *document.Outline) { o.Heading(1, "a", "a") },
	"headings, deeper":  func(o *document.Outline) { o.Heading(2, "a", "") },
	"falling headings":  func(o *document.Outline) { o.Heading(6-o.Size()%6, "a", "") },
	"short sections":    func(o *document.Outline) { o.Heading(1, "a", ""); o.Block(document.Paragraph, "b") },
	"one-letter blocks": func(o *document.Outline) { o.Block(document.Paragraph, "a") },
	"tables":            func(o *document.Outline) { o.Block(document.Table, "a | b\nc | d") },
	"sentences":         func(o *document.Outline) { o.Block(document.Paragraph, strings.Repeat("! ", 50_000)) },
	"lines of code":     func(o *document.Outline) { o.Block(document.Code, strings.Repeat("a\n", 50_000)) },
	"items":             func(o *document.Outline) { o.Block(document.List, strings.Repeat("- a\n", 25_000)) },
	"one word":          func(o *document.Outline) { o.Block(document.Paragraph, strings.Repeat("a", 100_000)) },
	"rows":              func(o *document.Outline) { o.Block(document.Table, strings.Repeat("| \n", 30_000)) },
	"a table's wide head": func(o *document.Outline) {
		o.Block(document.Table, strings.Repeat("a | ", 500)+strings.Repeat("\nb", 5000))
	},
	"terms": func(o *document.Outline) {
		o.Heading(10+o.Size()%2000, strings.Repeat("t", 100), "t")
	},
}

// Eight times as much text takes about eight times as long; what grows with the square takes
// sixty-four times.
func TestChunkingIsLinear(t *testing.T) {
	const small, factor = 20_000, 16 // what is not linear takes 256 times as long and more
	c := chunker(t, index.ChunkSize{})
	for name, add := range hostileOutlines {
		t.Run(name, func(t *testing.T) {
			took := func(size int) time.Duration {
				d := outlined(size, add)
				best := time.Hour
				for range 3 {
					began := time.Now()
					cut(t, c, d)
					best = min(best, time.Since(began))
				}
				return best
			}
			if a, b := took(small), took(small*factor); b > 5*factor*a && b > 200*time.Millisecond {
				t.Errorf("%d bytes take %v, and %d times as many %v", small, a, factor, b)
			}
		})
	}
}

// A text of nothing but headings becomes chunks of many headings, not a chunk of each.
func TestHeadingsAloneFillChunks(t *testing.T) {
	t.Parallel()
	d := outlined(100_000, hostileOutlines["headings"])
	if n := len(cut(t, chunker(t, index.ChunkSize{Max: 64}), d)); n == 0 || n > len(d.Sections)/20 {
		t.Errorf("%d headings make %d chunks", len(d.Sections), n)
	}
}

// What is repeated with every passage stays short, so that the index of a document is about as
// large as its text.
func TestNothingLongIsRepeatedWithEveryPassage(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("title ", 20_000)
	var o document.Outline
	for level := range 100 {
		o.Heading(level+1, long, long)
	}
	for range 200 {
		o.Block(document.Paragraph, prose(40, 8, "x"))
	}
	d := document.Document{Ref: document.Ref{ID: "s:a", Title: long}, Metadata: map[string]string{"tags": long}, Sections: o.Sections()}
	store := new(indextest.Store)
	source := &indextest.Connector{From: document.Source{ID: "s"}, Batches: []index.Batch{{Documents: []index.Item{indextest.Item(d, time.Time{})}}}}
	if _, err := index.New(store, chunker(t, index.ChunkSize{}), nil, index.Config{}).Run(t.Context(), "t", source, nil); err != nil {
		t.Fatal(err)
	}
	for _, e := range store.Entries("t") {
		for i, text := range e.SearchText {
			if before := len(text) - len(e.Chunks[i].Text); before > 12_000 || len(e.Chunks[i].Anchor) > document.MaxHeading {
				t.Errorf("chunk %d: %d bytes stand before it, its anchor has %d", i, before, len(e.Chunks[i].Anchor))
				return
			}
		}
	}
}

// A document that never comes to its end is a failure of its own, and the run goes on.
func TestDocumentsHaveATime(t *testing.T) {
	t.Parallel()
	endless := index.Item{ID: "s:endless", Load: func(ctx context.Context) (document.Document, error) {
		<-ctx.Done()
		return document.Document{}, context.Cause(ctx)
	}}
	large := document.Document{Ref: document.Ref{ID: "s:large"}}
	for range document.MaxBlocks + 1 {
		large.Sections = append(large.Sections, document.Section{Blocks: []document.Block{{Text: "a"}}})
	}
	waits := endless
	waits.ID, waits.Wait = "s:waits", time.Nanosecond
	var slow document.Document // loads at once, and takes long to cut
	slow.ID = "s:slow"
	for range 2000 {
		slow.Sections = append(slow.Sections, document.Section{Blocks: []document.Block{{Text: prose(20, 8, "x")}}})
	}
	good := document.Document{Ref: document.Ref{ID: "s:good"}, Sections: []document.Section{{Blocks: []document.Block{{Text: "Good."}}}}}
	store := new(indextest.Store)
	source := &indextest.Connector{From: document.Source{ID: "s"}, Batches: []index.Batch{{Documents: []index.Item{
		endless, waits, indextest.Item(large, time.Time{}), indextest.Item(slow, time.Time{}), indextest.Item(good, time.Time{}),
	}}}}
	counter := &stalling{unless: "Good."}
	c, err := index.NewChunker(counter, index.ChunkSize{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := index.New(store, c, nil, index.Config{Reading: 50 * time.Millisecond}).Run(t.Context(), access.DefaultTenant, source, nil)
	if err != nil || run.Counts.Indexed != 1 || run.Counts.Failed != 4 || !run.Succeeded {
		t.Fatalf("run %+v, %v", run.Counts, err)
	}
	for _, n := range run.Failures {
		want := "too long to read. Split it"
		if n.Name == "s:large" {
			want = "holds more than 250000"
		}
		if !strings.Contains(n.Sentence, want) {
			t.Errorf("%s: %q, want %q", n.Name, n.Sentence, want)
		}
	}
}

// stalling counts tokens more slowly than any document has time for.
type stalling struct{ unless string }

func (s *stalling) Count(text string) int {
	if text != s.unless {
		timer := time.NewTimer(60 * time.Millisecond) // more than Reading
		<-timer.C
	}
	return 1 + len(text)/4
}

// Documents that turn out to hold much more than their sizes said are not all held at once.
func TestLargeDocumentsTakeLittleMemory(t *testing.T) {
	t.Parallel()
	const count = 40
	var items []index.Item
	for i := range count {
		d := document.Document{Ref: document.Ref{ID: document.ID(fmt.Sprintf("s:%d", i))}, Sections: []document.Section{{Blocks: []document.Block{{Text: prose(20_000, 8, "word")}}}}}
		items = append(items, indextest.Item(d, time.Time{}))
	}
	store := &indextest.Store{Refuse: func(entries []index.Entry) error {
		held := 0
		for _, e := range entries {
			for _, text := range e.SearchText {
				held += len(text)
			}
		}
		if held > 64<<20 {
			return errors.New("too much at once")
		}
		return nil
	}}
	source := &indextest.Connector{From: document.Source{ID: "s"}, Batches: []index.Batch{{Documents: items}}}
	run, err := index.New(store, chunker(t, index.ChunkSize{}), nil, index.Config{Workers: 2}).Run(t.Context(), access.DefaultTenant, source, nil)
	if err != nil || run.Counts.Indexed != count || store.Puts() < 3 {
		t.Errorf("run %+v in %d groups, %v", run.Counts, store.Puts(), err)
	}
}
