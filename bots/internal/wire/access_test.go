package wire_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/google/go-cmp/cmp"
)

// wiki is a source with one node and one document, which notes what of it is read.
type wiki struct {
	read   []string
	refuse string // what of it is refused
}

func (w *wiki) note(what string) error {
	w.read = append(w.read, what)
	if w.refuse == what {
		return fmt.Errorf("the wiki refuses the token; make another: %w", index.ErrRevoked)
	}
	return nil
}

func (*wiki) Source() document.Source {
	return document.Source{ID: "wiki", Kind: "wiki", Name: "https://wiki.example"}
}
func (*wiki) Settings() string { return "" }

func (w *wiki) Groups(context.Context, index.Checkpoint) iter.Seq2[index.GroupBatch, error] {
	return func(yield func(index.GroupBatch, error) bool) {
		yield(index.GroupBatch{Complete: true}, w.note("groups"))
	}
}

func (w *wiki) Nodes(context.Context, index.Checkpoint) iter.Seq2[index.NodeBatch, error] {
	return func(yield func(index.NodeBatch, error) bool) {
		yield(index.NodeBatch{Nodes: []index.Node{{ID: "1", Clauses: []access.ACL{{access.Members}}}}, Complete: true}, w.note("nodes"))
	}
}

func (w *wiki) Sync(context.Context, index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		d := indextest.Document("wiki:page", "Some text.")
		d.ACL = access.ACL{access.Node("wiki", "1")}
		yield(index.Batch{Documents: []index.Item{indextest.Item(d, d.UpdatedAt)}, Complete: true}, w.note("documents"))
	}
}

// Who may read a source is read before its documents, always where somebody asks, else when it is
// due; a refused credential hides it whatever shows that; a paused source is not read.
func TestAccessIsReadBeforeDocuments(t *testing.T) {
	t.Parallel()
	base, source := open(t), new(wiki)
	pipeline, err := base.Pipeline(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run := func(what string, refused error, want ...string) {
		t.Helper()
		source.read = nil
		if _, err := base.Run(t.Context(), pipeline, source, nil); !errors.Is(err, refused) {
			t.Errorf("%s: error %v, want %v", what, err, refused)
		}
		if diff := cmp.Diff(want, source.read); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	reads := func(what string, want bool) {
		t.Helper()
		got, err := base.Index.Readable(t.Context(), access.NewAudience(base.Tenant, access.Members), []document.ID{"wiki:page"})
		if err != nil || got["wiki:page"] != want {
			t.Errorf("%s members may read: %v, %v, want %v", what, got, err, want)
		}
	}
	run("at first", nil, "groups", "nodes", "documents")
	reads("at first", true)
	acls, err := base.Index.StoredACLs(t.Context(), base.Tenant, []document.ID{"wiki:page", "wiki:none"})
	if err != nil || len(acls) != 1 || !slices.Equal(acls["wiki:page"], access.ACL{access.Node("wiki", "1")}) {
		t.Errorf("stored access lists %v, %v", acls, err)
	}
	run("soon after", nil, "documents")
	base.By = "me"
	run("where somebody asks", nil, "groups", "nodes", "documents")
	base.By = ""
	source.refuse = "documents"
	run("when the documents are refused", index.ErrRevoked, "documents")
	reads("when the documents are refused", false)
	source.refuse = "groups"
	if _, err := base.DB.Pool.Exec(t.Context(), `update source_access set began_at = began_at - interval '1 hour'`); err != nil {
		t.Fatal(err)
	}
	run("when the groups are refused", index.ErrRevoked, "groups")
	reads("when the groups are refused", false)
	indexed, err := base.Index.Sources(t.Context(), base.Tenant)
	if err != nil || len(indexed) != 1 || !strings.Contains(indexed[0].Error, "make another") {
		t.Errorf("an operator sees %+v, %v", indexed, err)
	}
	source.refuse = ""
	base.By = "me"
	run("when the credential is accepted again", nil, "groups", "nodes", "documents")
	reads("then", true)
	if err := base.PauseSource(t.Context(), "wiki"); err != nil {
		t.Fatal(err)
	}
	run("while it is paused", sources.ErrPaused)
	reads("while it is paused", false)
	states, err := pgaccess.New(base.DB).States(t.Context(), base.Tenant)
	if err != nil || len(states) != 2 || slices.ContainsFunc(states, func(s sources.Loop) bool {
		return !s.Paused || s.CompleteAt.IsZero() || s.Until.IsZero() || s.Error != "" || s.Failing != 0
	}) {
		t.Errorf("the loops are at %+v, %v", states, err)
	}
}
