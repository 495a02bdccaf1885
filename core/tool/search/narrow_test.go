package search_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/document"
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
