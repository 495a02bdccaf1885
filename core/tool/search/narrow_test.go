package search_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

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
