package index_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestRunSkipsDocumentsThatCannotBeStored has a source name documents, principals and failures in
// ways that no database takes.
func TestRunSkipsDocumentsThatCannotBeStored(t *testing.T) {
	t.Parallel()
	store := new(indextest.Store)
	var items []index.Item
	bad := []document.ID{"", "docs:a\x00b", "docs:\xff", document.ID("docs:" + strings.Repeat("long", 1000))}
	for _, id := range bad {
		items = append(items, index.Item{ID: id, Load: func(context.Context) (document.Document, error) {
			t.Errorf("%q is read", id)
			return document.Document{}, nil
		}})
	}
	good := doc("good", "Text\x00 of it.")
	good.ACL = access.ACL{access.Members, "x\x00y"}
	good.Metadata = map[string]string{"key\x00": "value\x00"}
	items = append(items, indextest.Item(good, noon))
	c := complete(items...)
	c.Batches[0].Deleted = []document.ID{"docs:gone\x00"}
	c.Batches[0].Failures = []index.Notice{{Name: "n\x00", Sentence: "s\xff"}}
	run := mustRun(t, pipeline(t, store, nil), c)
	if run.Counts.Failed != len(bad)+1 || run.Counts.Indexed != 1 {
		t.Fatalf("the run did %+v", run.Counts)
	}
	for _, n := range run.Failures {
		if text := n.Name + n.Sentence; strings.Contains(text, "\x00") || !utf8.ValidString(text) {
			t.Errorf("%q cannot be stored", n.Name+n.Sentence)
		}
	}
}

// nodeSource yields one batch of nodes and of groups.
type nodeSource struct {
	*indextest.Connector
	nodes  index.NodeBatch
	groups index.GroupBatch
}

func (s nodeSource) Nodes(context.Context, index.Checkpoint) iter.Seq2[index.NodeBatch, error] {
	return func(yield func(index.NodeBatch, error) bool) { yield(s.nodes, nil) }
}

func (s nodeSource) Groups(context.Context, index.Checkpoint) iter.Seq2[index.GroupBatch, error] {
	return func(yield func(index.GroupBatch, error) bool) { yield(s.groups, nil) }
}

// accessStore keeps the last batches.
type accessStore struct {
	index.AccessStore
	reading bool // AccessRun.Reading
	nodes   index.NodeBatch
	groups  index.GroupBatch
}

func (s *accessStore) BeginAccess(_ context.Context, _ access.TenantID, of document.Source, loop index.Loop, _ bool) (index.AccessRun, error) {
	return index.AccessRun{Source: of.ID, Loop: loop, StartedAt: time.Now(), Reading: s.reading}, nil
}

func (s *accessStore) PutNodes(_ context.Context, _ access.TenantID, _ index.AccessRun, b index.NodeBatch) error {
	s.nodes = b
	return nil
}

func (s *accessStore) PutGroups(_ context.Context, _ access.TenantID, _ index.AccessRun, b index.GroupBatch) error {
	s.groups = b
	return nil
}

func (s *accessStore) EndAccess(context.Context, access.TenantID, index.AccessRun, error) error {
	return nil
}

func TestReadAccessSkipsNodesAndGroupsThatCannotBeStored(t *testing.T) {
	t.Parallel()
	source := nodeSource{
		complete(),
		index.NodeBatch{Nodes: []index.Node{{ID: "a\x00"}, {ID: "b", Parent: "\xff"}, {ID: "c", Clauses: []access.ACL{{"x", "y\x00"}}}}, Denied: []string{"d\x00"}},
		index.GroupBatch{People: []index.Person{{ID: "p\x00"}, {ID: "q"}}, Groups: []index.Group{{Principal: "g\x00"}, {Principal: "h", Members: []string{"q", "p\x00"}}}},
	}
	store := new(accessStore)
	if err := index.ReadAccess(t.Context(), store, new(indextest.Store), tenant, source, false); err != nil {
		t.Fatal(err)
	}
	want := accessStore{
		nodes:  index.NodeBatch{Nodes: []index.Node{{ID: "c", Clauses: []access.ACL{{"x"}}}}, Denied: []string{}},
		groups: index.GroupBatch{People: []index.Person{{ID: "q"}}, Groups: []index.Group{{Principal: "h", Members: []string{"q"}}}},
	}
	if diff := cmp.Diff(want.nodes, store.nodes, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.groups, store.groups, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// TestLongErrorsKeepTheirEnds has a source repeat foreign text in each error that it can return.
func TestLongErrorsKeepTheirEnds(t *testing.T) {
	t.Parallel()
	const most = 1100 // with the name of the source
	long := func(cause error) error {
		return fmt.Errorf("the value %q is not known. Correct it: %w", strings.Repeat("ü\x00", 64<<10), cause)
	}
	check := func(t *testing.T, text string) {
		t.Helper()
		if len(text) > most || !strings.Contains(text, "the value") || !strings.HasSuffix(text, index.ErrWithdrawn.Error()) || !utf8.ValidString(text) {
			t.Errorf("%d bytes, which begin with %.40q", len(text), text)
		}
	}
	c := complete(indextest.Broken("docs:failed", long(index.ErrWithdrawn)), indextest.Broken("docs:skipped", fmt.Errorf("%w: %w", long(index.ErrWithdrawn), index.ErrSkipped)))
	c.Batches[0].Failures = []index.Notice{{Name: "listed", Sentence: long(index.ErrWithdrawn).Error()}}
	run := mustRun(t, pipeline(t, new(indextest.Store), nil), c)
	if len(run.Failures) != 2 || len(run.Skipped) != 1 {
		t.Fatalf("failures %d, skipped %d", len(run.Failures), len(run.Skipped))
	}
	check(t, run.Failures[0].Sentence)
	check(t, run.Failures[1].Sentence)
	check(t, strings.TrimSuffix(run.Skipped[0].Sentence, ": "+index.ErrSkipped.Error()))
	check(t, index.Reason(long(index.ErrWithdrawn)))

	stopped := &indextest.Connector{From: c.From, Err: long(index.ErrWithdrawn)}
	_, err := pipeline(t, new(indextest.Store), nil).Run(t.Context(), tenant, stopped, nil)
	if !errors.Is(err, index.ErrWithdrawn) {
		t.Fatalf("the run ended with %v", err)
	}
	check(t, err.Error())
}
