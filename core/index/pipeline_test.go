package index_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/google/go-cmp/cmp"
)

const tenant access.TenantID = "acme"

var (
	docs = document.Source{ID: "docs", Kind: "file", Name: "/srv/docs"}
	noon = time.Date(2026, 3, 1, 12, 0, 0, 987654321, time.UTC)
)

func pipeline(t *testing.T, store index.Store, model retrieve.Embedder) *index.Pipeline {
	t.Helper()
	return index.New(store, chunker(t, index.ChunkSize{}), model, index.Config{Group: 4, EmbedBatch: 3})
}

func complete(items ...index.Item) *indextest.Connector {
	return &indextest.Connector{From: docs, Batches: []index.Batch{{Documents: items, Total: len(items), Complete: true}}}
}

func doc(name string, text string) document.Document {
	return indextest.Document(document.ID("docs:"+name), text)
}

func mustRun(t *testing.T, p *index.Pipeline, c index.Connector) index.Run {
	t.Helper()
	run, err := p.Run(t.Context(), tenant, c, nil)
	if err != nil {
		t.Fatalf("Run() = %v", err)
	}
	return run
}

func TestRunIndexes(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	var items []index.Item
	for i := range 10 {
		items = append(items, indextest.Item(doc(fmt.Sprint(i), "Text of it.\x00\xff"), noon))
	}
	var reports []index.Progress
	run, err := pipeline(t, store, nil).Run(t.Context(), tenant, complete(items...), func(p index.Progress) { reports = append(reports, p) })
	if err != nil {
		t.Fatal(err)
	}
	if want := (index.Counts{Total: 10, Indexed: 10, Chunks: 10}); run.Counts != want || !run.Succeeded {
		t.Errorf("Run() = %+v, want %+v and success", run, want)
	}
	if len(reports) != 3 || reports[2].Indexed != 10 || reports[0].Indexed != 4 {
		t.Errorf("progress was reported as %+v, want three groups", reports)
	}
	e := store.Entries(tenant)[0]
	if e.Document.Source != docs.ID || e.Document.Kind != docs.Kind || e.Chunks[0].Text != "Text of it.\uFFFD" || e.Vectors != nil {
		t.Errorf("stored %+v", e)
	}
	if want := noon.Truncate(time.Microsecond); !e.UpdatedAt.Equal(want) {
		t.Errorf("the stamp is %v, want %v", e.UpdatedAt, want)
	}
	if saved := store.Saved(tenant, docs.ID); !saved.Succeeded || saved.LastSuccess.IsZero() {
		t.Errorf("saved %+v", saved)
	}
}

func TestUnchangedDocumentsCostNothing(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	p := pipeline(t, store, nil)
	loads := 0
	item := func(text string, modified time.Time) index.Item {
		return index.Item{ID: "docs:a", ModifiedAt: modified, Load: func(context.Context) (document.Document, error) {
			loads++
			d := doc("a", text)
			d.UpdatedAt = modified
			return d, nil
		}}
	}
	steps := []struct {
		name            string
		item            index.Item
		setting         string
		loaded, indexed int
	}{
		{"new", item("one", noon), "", 1, 1},
		{"the same time", item("two", noon), "", 0, 0},
		{"another time, the same text", item("one", noon.Add(time.Hour)), "", 1, 0},
		{"another time and text", item("two", noon.Add(time.Hour)), "", 1, 1},
		{"an older time is another time", item("one", noon), "", 1, 1},
		{"other settings", item("one", noon), "changed", 1, 0},
		{"the same settings again", item("one", noon), "changed", 0, 0},
		{"no time", item("one", time.Time{}), "changed", 1, 0},
	}
	for _, s := range steps {
		loads = 0
		c := complete(s.item)
		c.Setting = s.setting
		run := mustRun(t, p, c)
		if loads != s.loaded || run.Counts.Indexed != s.indexed || run.Counts.Unchanged != 1-s.indexed {
			t.Errorf("%s: %d loaded and %d indexed, want %d and %d", s.name, loads, run.Counts.Indexed, s.loaded, s.indexed)
		}
	}
}

// A change of anything that the index keeps of a document stores it again.
func TestChangesThatCount(t *testing.T) {
	t.Parallel()
	changes := map[string]func(*document.Document){
		"text":     func(d *document.Document) { d.Sections[0].Blocks[0].Text = "other" },
		"title":    func(d *document.Document) { d.Title = "other" },
		"address":  func(d *document.Document) { d.URL = "https://docs.example.org/other" },
		"metadata": func(d *document.Document) { d.Metadata = map[string]string{"tags": "other"} },
		"anchor":   func(d *document.Document) { d.Sections[0].Anchor = "other" },
		"heading":  func(d *document.Document) { d.Sections[0].Heading = []string{"other"} },
		"date":     func(d *document.Document) { d.UpdatedAt = d.UpdatedAt.Add(time.Hour) },
		"language": func(d *document.Document) { d.Sections[0].Blocks[0].Language = "go" },
		"kind":     func(d *document.Document) { d.Sections[0].Blocks[0].Kind = document.Code },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pipeline(t, new(indextest.Store), nil)
			mustRun(t, p, complete(indextest.Item(doc("a", "text"), time.Time{})))
			d := doc("a", "text")
			change(&d)
			if run := mustRun(t, p, complete(indextest.Item(d, time.Time{}))); run.Counts.Indexed != 1 {
				t.Errorf("another %s was taken for no change", name)
			}
		})
	}
}

// Who may read a document changes without the document being stored, and embedded, again.
func TestAccessChangesAlone(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	p := pipeline(t, store, nil)
	for _, acl := range []access.ACL{{access.Members}, {"group:hr", "group:law"}, {"group:law"}, {}, {access.Public}} {
		d := doc("a", "text")
		d.ACL = acl
		run := mustRun(t, p, complete(indextest.Item(d, time.Time{})))
		if e := store.Entries(tenant); run.Counts.Indexed+run.Counts.Shared != 1 || !slices.Equal(e[0].Document.ACL, acl) || store.Puts() != 1 {
			t.Fatalf("with the access list %v it may be read by %v, stored %d times", acl, e[0].Document.ACL, store.Puts())
		}
	}
	run := mustRun(t, p, complete(indextest.Item(doc("b", "text"), time.Time{})))
	if run.Counts.Removed != 1 {
		t.Errorf("the counts are %+v", run.Counts)
	}
}

// While a new version waits to be stored, only people who may read both versions read the old one.
func TestAccessIsTakenBeforeTheDocumentIsStored(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	p := pipeline(t, store, nil)
	d := doc("a", "salaries")
	d.ACL = access.ACL{"group:hr", "group:law", access.Members}
	mustRun(t, p, complete(indextest.Item(d, time.Time{})))
	store.Refuse = func([]index.Entry) error { return errors.New("the disk is full") }
	d = doc("a", "a friendly letter")
	d.ACL = access.ACL{"group:everybody", "group:law", "group:hr"}
	if run := mustRun(t, p, complete(indextest.Item(d, time.Time{}))); run.Counts.Failed != 1 {
		t.Fatalf("the counts are %+v", run.Counts)
	}
	e := store.Entries(tenant)[0]
	if want := (access.ACL{"group:hr", "group:law"}); !slices.Equal(e.Document.ACL, want) || e.Document.Text() != "salaries" {
		t.Errorf("%q may be read by %v, want %v", e.Document.Text(), e.Document.ACL, want)
	}
	store.Refuse = nil
	mustRun(t, p, complete(indextest.Item(d, time.Time{})))
	if e := store.Entries(tenant)[0]; !slices.Equal(e.Document.ACL, access.ACL{"group:everybody", "group:hr", "group:law"}) || e.Document.Text() != "a friendly letter" {
		t.Errorf("in the end %q may be read by %v", e.Document.Text(), e.Document.ACL)
	}
}

func TestOneBrokenDocumentDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	store.Refuse = func(entries []index.Entry) error {
		for _, e := range entries {
			if e.Document.ID == "docs:refused" {
				return errors.New("invalid value")
			}
		}
		return nil
	}
	run := mustRun(t, pipeline(t, store, nil), complete(
		indextest.Item(doc("a", "text"), noon),
		indextest.Broken("docs:broken", errors.New("it cannot be read. Check its permissions")),
		indextest.Item(doc("refused", "text"), noon),
		indextest.Broken("docs:binary", fmt.Errorf("it holds image/png: %w", index.ErrSkipped)),
		indextest.Item(doc("b", "text"), noon),
		indextest.Item(doc("a", "twice"), noon),
	))
	if diff := cmp.Diff([]document.ID{"docs:a", "docs:b"}, indextest.IDs(store.Entries(tenant))); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	var names []string
	for _, n := range run.Failures {
		names = append(names, n.Name)
	}
	if diff := cmp.Diff([]string{"docs:a", "docs:broken", "docs:refused"}, names); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	if run.Counts.Failed != 3 || run.Counts.Skipped != 1 || !strings.Contains(run.Skipped[0].Sentence, "image/png") {
		t.Errorf("Run() = %+v", run)
	}
}

func TestRemoval(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		batch   index.Batch
		err     error
		want    []document.ID
		removed int
	}{
		{"what a complete run does not meet is gone", index.Batch{Documents: []index.Item{indextest.Item(doc("a", "text"), noon)}, Complete: true}, nil, []document.ID{"docs:a"}, 2},
		{"an incomplete run removes nothing", index.Batch{Documents: []index.Item{indextest.Item(doc("a", "text"), noon)}}, nil, []document.ID{"docs:a", "docs:b", "docs:c"}, 0},
		{"nor one that failed", index.Batch{Complete: true}, errors.New("the disk is gone"), []document.ID{"docs:a", "docs:b", "docs:c"}, 0},
		{"what the source says is gone", index.Batch{Deleted: []document.ID{"docs:b", "wiki:a"}}, nil, []document.ID{"docs:a", "docs:c"}, 2},
		{
			"a document that cannot be read stays as it was",
			index.Batch{Documents: []index.Item{indextest.Broken("docs:a", errors.New("locked"))}, Complete: true}, nil, []document.ID{"docs:a"}, 2,
		},
		{
			"one that may not be shown as it was is taken out",
			index.Batch{Documents: []index.Item{indextest.Broken("docs:a", fmt.Errorf("its access list is broken: %w", index.ErrWithdrawn))}}, nil,
			[]document.ID{"docs:b", "docs:c"}, 1,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			store := new(indextest.Store)
			p := pipeline(t, store, nil)
			mustRun(t, p, complete(indextest.Item(doc("a", "text"), noon), indextest.Item(doc("b", "text"), noon), indextest.Item(doc("c", "text"), noon)))
			wiki := &indextest.Connector{From: document.Source{ID: "wiki"}, Batches: []index.Batch{{
				Documents: []index.Item{indextest.Item(indextest.Document("wiki:a", "text"), noon)}, Complete: true,
			}}}
			mustRun(t, p, wiki)
			run, err := p.Run(t.Context(), tenant, &indextest.Connector{From: docs, Batches: []index.Batch{tt.batch}, Err: tt.err}, nil)
			if (err != nil) != (tt.err != nil) || run.Succeeded == (tt.err != nil) {
				t.Errorf("Run() = %+v, %v", run, err)
			}
			if diff := cmp.Diff(append(tt.want, "wiki:a"), indextest.IDs(store.Entries(tenant))); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
			if run.Counts.Removed != tt.removed {
				t.Errorf("%d removed, want %d", run.Counts.Removed, tt.removed)
			}
		})
	}
}

var errStop = errors.New("stopped by the operator")

// A run that continues a stopped one ends with the same index, and stores nothing twice.
func TestStopAnywhereAndContinue(t *testing.T) {
	t.Parallel()
	connector := func() *indextest.Connector {
		c := &indextest.Connector{From: docs}
		for b := range 5 {
			var batch index.Batch
			for i := range 5 {
				batch.Documents = append(batch.Documents, indextest.Item(doc(fmt.Sprintf("%d-%d", b, i), "text"), noon))
			}
			batch.Next = index.Checkpoint(fmt.Sprint(b))
			batch.Complete = b == 4
			c.Batches = append(c.Batches, batch)
		}
		return c
	}
	for stop := range 5 {
		t.Run(fmt.Sprintf("before batch %d", stop), func(t *testing.T) {
			t.Parallel()
			store := new(indextest.Store)
			p := pipeline(t, store, &model{})
			ctx, cancel := context.WithCancelCause(t.Context())
			c := connector()
			c.Between = func(batch int) {
				if batch == stop {
					cancel(errStop)
				}
			}
			run, err := p.Run(ctx, tenant, c, nil)
			if !errors.Is(err, errStop) || run.Succeeded {
				t.Fatalf("Run() = %+v, %v, want to be stopped", run, err)
			}
			if saved := store.Saved(tenant, docs.ID); saved.FinishedAt.IsZero() || saved.Error == "" {
				t.Errorf("the outcome was not saved: %+v", saved)
			}
			at := string(store.Saved(tenant, docs.ID).Checkpoint)
			c = connector()
			run = mustRun(t, p, c)
			if string(c.Since) != at {
				t.Errorf("continued at %q instead of %q", c.Since, at)
			}
			if store.Puts() != 25 || len(store.Entries(tenant)) != 25 || run.Counts.Seen() != 25 {
				t.Errorf("%d stored, %d kept, want 25", store.Puts(), len(store.Entries(tenant)))
			}
		})
	}
}

// model embeds a text as its length.
type model struct {
	fail func(call int, texts []string) error
	dims int
	mu   sync.Mutex
	call int
}

func (m *model) Embed(_ context.Context, purpose retrieve.Purpose, texts []string) ([][]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.call++
	if m.fail != nil {
		if err := m.fail(m.call, texts); err != nil {
			return nil, err
		}
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = make([]float32, max(m.dims, 2))
		vectors[i][0], vectors[i][1] = float32(len(text)), float32(purpose)
	}
	return vectors, nil
}

func (m *model) Model() string   { return "lengths" }
func (m *model) Dimensions() int { return 2 }

// Text that a document has in the index already is not embedded again when another part of the
// document changes, or when it is cut by other settings.
func TestUnchangedTextKeepsItsVector(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	embedded := 0
	m := &model{fail: func(_ int, texts []string) error {
		embedded += len(texts)
		return nil
	}}
	p := pipeline(t, store, m)
	long := func(last string) document.Document {
		d := doc("a", "")
		for _, text := range []string{strings.Repeat("The first section says this. ", 180), strings.Repeat("The second one says that. ", 180), last} {
			d.Sections = append(d.Sections, document.Section{Blocks: []document.Block{{Text: text}}})
		}
		return d
	}
	first := mustRun(t, p, complete(indextest.Item(long("The end."), noon)))
	all := embedded
	if all != first.Counts.Chunks || all < 3 {
		t.Fatalf("%d texts were embedded of %d chunks", all, first.Counts.Chunks)
	}
	mustRun(t, p, complete(indextest.Item(long("Another end."), noon.Add(time.Hour))))
	if again := embedded - all; again != 1 {
		t.Errorf("%d texts were embedded again of %d, want the one that changed", again, all)
	}
	embedded = 0
	again := index.New(store, chunker(t, index.ChunkSize{}), m, index.Config{Again: true})
	if mustRun(t, again, complete(indextest.Item(long("Another end."), noon.Add(time.Hour)))); embedded != all {
		t.Errorf("a run that makes everything again embedded %d texts, want %d", embedded, all)
	}
}

func TestEmbedding(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		fail    func(call int, texts []string) error
		dims    int
		wantErr string
		stored  int
	}{
		{name: "works", stored: 10},
		{name: "a pause heals it", stored: 10, fail: func(call int, _ []string) error {
			if call%3 != 0 {
				return fmt.Errorf("status 503: %w", llm.ErrUnavailable)
			}
			return nil
		}},
		{name: "asked to wait", stored: 10, fail: func(call int, _ []string) error {
			if call == 1 {
				return &llm.RateLimitError{RetryAfter: time.Minute}
			}
			return nil
		}},
		{name: "one text that it never takes", stored: 9, fail: func(_ int, texts []string) error {
			for _, text := range texts {
				if strings.Contains(text, "number 4") {
					return llm.ErrBadRequest
				}
			}
			return nil
		}},
		{name: "down", wantErr: "not available", fail: func(int, []string) error { return llm.ErrUnavailable }},
		{name: "wrong dimension", wantErr: "set EMBEDDING_DIMENSIONS", dims: 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := new(indextest.Store)
				m := &model{fail: tt.fail, dims: tt.dims}
				var items []index.Item
				for i := range 10 {
					items = append(items, indextest.Item(doc(fmt.Sprint(i), fmt.Sprintf("Text number %d.", i)), noon))
				}
				p := index.New(store, chunker(t, index.ChunkSize{}), m, index.Config{Group: 5, EmbedBatch: 2, EmbedParallel: 1})
				_, err := p.Run(t.Context(), tenant, complete(items...), nil)
				if (err == nil) != (tt.wantErr == "") || (err != nil && !strings.Contains(err.Error(), tt.wantErr)) {
					t.Fatalf("Run() = %v, want %q", err, tt.wantErr)
				}
				entries := store.Entries(tenant)
				if len(entries) != tt.stored {
					t.Errorf("%d documents stored, want %d", len(entries), tt.stored)
				}
				for _, e := range entries {
					if e.Model != "lengths" || len(e.Vectors) != len(e.Chunks) || e.Vectors[0][0] != float32(len(e.SearchText[0])) {
						t.Errorf("%s has the vectors %v of %q", e.Document.ID, e.Vectors, e.Model)
					}
				}
			})
		})
	}
}

func TestAStoreThatIsDownEndsTheRun(t *testing.T) {
	t.Parallel()
	down := errors.New("the database does not answer")
	asked := 0
	store := &indextest.Store{Refuse: func([]index.Entry) error { asked++; return down }}
	var items []index.Item
	for i := range 100 {
		items = append(items, indextest.Item(doc(fmt.Sprint(i), "text"), noon))
	}
	run, err := pipeline(t, store, nil).Run(t.Context(), tenant, complete(items...), nil)
	if !errors.Is(err, down) || run.Succeeded || asked > 10 {
		t.Errorf("Run() = %v after %d attempts, want it to give up soon", err, asked)
	}
}

func TestNoticesAreCapped(t *testing.T) {
	t.Parallel()
	var items []index.Item
	for i := range index.MaxNotices + 50 {
		items = append(items, indextest.Broken(document.ID(fmt.Sprintf("docs:%d", i)), errors.New("broken")))
	}
	run := mustRun(t, pipeline(t, new(indextest.Store), nil), complete(items...))
	if run.Counts.Failed != len(items) || len(run.Failures) != index.MaxNotices {
		t.Errorf("%d failures counted and %d named", run.Counts.Failed, len(run.Failures))
	}
}

// A run that stores everything again begins its source anew and passes over nothing.
func TestAgainStoresWhatHasNotChanged(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	chunker, err := index.NewChunker(words{}, index.ChunkSize{})
	if err != nil {
		t.Fatal(err)
	}
	d := document.Document{Ref: document.Ref{ID: "s:a", Title: "A"}, ACL: access.ACL{access.Members},
		Sections: []document.Section{{Blocks: []document.Block{{Kind: document.Paragraph, Text: "Text."}}}}}
	modified := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, again := range []bool{false, false, true} {
		source := &indextest.Connector{From: document.Source{ID: "s", Name: "s"}, Setting: "x",
			Batches: []index.Batch{{Documents: []index.Item{indextest.Item(d, modified)}, Next: index.Checkpoint("here"), Complete: true}}}
		run, err := index.New(store, chunker, nil, index.Config{Again: again}).Run(t.Context(), access.DefaultTenant, source, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{1, 0, 1}[i]; run.Counts.Indexed != want || run.Counts.Removed != 0 {
			t.Errorf("run %d: %+v", i, run.Counts)
		}
		if fresh := i != 1; (len(source.Since) == 0) != fresh {
			t.Errorf("run %d begins at %q", i, source.Since)
		}
	}
}
