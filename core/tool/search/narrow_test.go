package search_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/google/go-cmp/cmp"
)

// A call may name sources, or kinds of them, as the prompt lists them, within those of the agent.
func TestSearchOfSomeSources(t *testing.T) {
	t.Parallel()
	catalogue := []tool.Source{{ID: "files-handbook", Name: "Handbook", Kind: "file"}, {ID: "web-manual", Name: "Manual", Kind: "web"}, {ID: "web-blog", Name: "Blog", Kind: "web"}}
	for _, tc := range []struct {
		name, args string
		catalogue  []tool.Source
		want       []document.SourceID
		says       string
	}{
		{"none", `{"queries":["q"]}`, catalogue, []document.SourceID{"of-the-agent"}, ""},
		{"a name", `{"queries":["q"],"sources":["handbook"]}`, catalogue, []document.SourceID{"files-handbook"}, ""},
		{"a kind and a name", `{"queries":["q"],"sources":["web","Blog"]}`, catalogue, []document.SourceID{"web-manual", "web-blog"}, ""},
		{"one alone", `{"queries":["q"],"sources":"Manual"}`, catalogue, []document.SourceID{"web-manual"}, ""},
		{"an unknown name", `{"queries":["q"],"sources":["wiki"]}`, catalogue, nil, `"Handbook", "Manual", "Blog"`},
		{"none is listed", `{"queries":["q"],"sources":["wiki"]}`, nil, []document.SourceID{"of-the-agent"}, ""},
	} {
		x := &index{}
		sc := scope("How?")
		sc.Sources, sc.Catalogue = []document.SourceID{"of-the-agent"}, tc.catalogue
		_, _, err := run(t, search.New(x, nil, budgettest.NewWords(), search.Config{}), tc.args, sc)
		if tc.says != "" {
			if err == nil || !strings.Contains(err.Error(), tc.says) || len(x.asked) != 0 {
				t.Errorf("%s: error %v", tc.name, err)
			}
			continue
		}
		if err != nil || len(x.asked) != 1 || !cmp.Equal(x.asked[0].Sources, tc.want) {
			t.Errorf("%s: searched %+v, %v", tc.name, x.asked, err)
		}
	}
}

// A list of sources that is a few minutes old refuses no source: it is read again once, within the
// sources of the scope.
func TestUnknownSourcesAreListedAgain(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, args string
		err        error
		lists      int
		want       []document.SourceID
		says       string
	}{
		{"a new source", `{"queries":["q"],"sources":["Uploads","Handbook"]}`, nil, 1, []document.SourceID{"uploads", "files-handbook"}, ""},
		{"a known source", `{"queries":["q"],"sources":["Handbook"]}`, nil, 0, []document.SourceID{"files-handbook"}, ""},
		{"an unknown source", `{"queries":["q"],"sources":["wiki"]}`, nil, 1, nil, `name one of "Handbook", "Uploads"`},
		{"a source outside of the scope", `{"queries":["q"],"sources":["Board"]}`, nil, 1, nil, `name one of "Handbook", "Uploads"`},
		{"no list", `{"queries":["q"],"sources":["Uploads"]}`, errors.New("away"), 1, nil, `name one of "Handbook",`},
	} {
		x, lists := &index{}, 0
		sc := scope("How?")
		sc.Sources, sc.Catalogue = []document.SourceID{"files-handbook", "uploads"}, []tool.Source{{ID: "files-handbook", Name: "Handbook"}}
		_, _, err := run(t, search.New(x, nil, budgettest.NewWords(), search.Config{List: func(context.Context, access.Audience) ([]tool.Source, error) {
			lists++
			return []tool.Source{{ID: "files-handbook", Name: "Handbook"}, {ID: "uploads", Name: "Uploads"}, {ID: "board", Name: "Board"}}, tc.err
		}}), tc.args, sc)
		if lists != tc.lists {
			t.Errorf("%s: listed %d times", tc.name, lists)
		}
		if tc.says != "" {
			if err == nil || !strings.Contains(err.Error()+",", tc.says) || strings.Contains(err.Error(), `one of "Board`) || len(x.asked) != 0 {
				t.Errorf("%s: error %v", tc.name, err)
			}
		} else if err != nil || len(x.asked) != 1 || !cmp.Equal(x.asked[0].Sources, tc.want) {
			t.Errorf("%s: searched %+v, %v", tc.name, x.asked, err)
		}
	}
}

// writing is a graph that says who wrote what.
type writing struct {
	knowledge.Graph
	asked []knowledge.Question
}

func (w *writing) Named(_ context.Context, q knowledge.Question) ([]knowledge.Named, error) {
	if slices.Contains(q.Names, "ann lee") {
		return []knowledge.Named{{Form: "ann lee", Kind: knowledge.Person}}, nil
	}
	return nil, nil
}

func (w *writing) Statements(_ context.Context, q knowledge.Question) ([]knowledge.Statement, error) {
	w.asked = append(w.asked, q)
	return []knowledge.Statement{
		{Relation: knowledge.Authored, Document: document.Ref{ID: "b"}}, {Relation: knowledge.Authored, Document: document.Ref{ID: "a"}},
		{Relation: knowledge.Authored, Document: document.Ref{ID: "b"}},
	}, nil
}

// A call may name authors: documents that they wrote are searched, within those of the scope.
func TestSearchOfSomeAuthors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, args string
		none       bool // nothing is known of authors
		want       []document.ID
		says       string
	}{
		{"none", `{"queries":["q"]}`, false, []document.ID{"a", "b", "c"}, ""},
		{"one", `{"queries":["q"],"authors":["Ann Lee"],"period":"2026"}`, false, []document.ID{"b", "a"}, ""},
		{"one who is known", `{"queries":["q"],"authors":["Bo","Ann Lee"]}`, false, []document.ID{"b", "a"}, ""},
		{"one who wrote nothing", `{"queries":["q"],"authors":"Bo"}`, false, nil, `no document names ["Bo"] as its author`},
		{"of another name", `{"queries":["q"],"authors":"Ann Lee Cooper"}`, false, nil, `no document names ["Ann Lee Cooper"] as its author`},
		{"no graph", `{"queries":["q"],"authors":"Ann Lee"}`, true, nil, "leave authors out"},
	} {
		x, graph := &index{}, &writing{}
		config := search.Config{Graph: graph}
		if tc.none {
			config.Graph = nil
		}
		sc := scope("How?")
		sc.Documents = []document.ID{"a", "b", "c"}
		_, _, err := run(t, search.New(x, nil, budgettest.NewWords(), config), tc.args, sc)
		if tc.says != "" {
			if err == nil || !strings.Contains(err.Error(), tc.says) || len(x.asked) != 0 {
				t.Errorf("%s: error %v", tc.name, err)
			}
			continue
		}
		if err != nil || len(x.asked) == 0 || !cmp.Equal(x.asked[0].Documents, tc.want) {
			t.Errorf("%s: searched %+v, %v", tc.name, x.asked, err)
		}
		for _, q := range graph.asked {
			if q.Audience.Key() != sc.Audience.Key() || !cmp.Equal(q.Documents, sc.Documents) || !cmp.Equal(q.Relations, []knowledge.Relation{knowledge.Authored}) {
				t.Errorf("%s: asked for %+v", tc.name, q)
			}
		}
	}
}

// Calls for documents of different authors are not merged; those of the same ones stay so.
func TestMergeKeepsAuthors(t *testing.T) {
	t.Parallel()
	finder := search.New(&index{}, nil, budgettest.NewWords(), search.Config{})
	merged, err := finder.Merge([]json.RawMessage{json.RawMessage(`{"queries":["a"],"authors":["Ann"]}`), json.RawMessage(`{"queries":["b"],"authors":["Ann"]}`)})
	if want := `{"queries":["a","b"],"authors":["Ann"]}`; err != nil || string(merged) != want {
		t.Errorf("merged %s, %v", merged, err)
	}
	if _, err := finder.Merge([]json.RawMessage{json.RawMessage(`{"queries":["a"],"authors":["Ann"]}`), json.RawMessage(`{"queries":["b"]}`)}); err == nil {
		t.Error("calls of different authors are merged")
	}
}
