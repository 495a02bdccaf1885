package confluence_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// Between two looks at everything, restricted contents of every kind keep their readers.
func TestRestrictedContentsOfEveryKindKeepTheirReaders(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		ada := s.User("ada")
		eng := s.Space("ENG", s.Site[0])
		post := s.Add(&confluencetest.Content{Type: "blogpost", Space: eng, Title: "post", Body: "<p>x</p>"})
		all := []*confluencetest.Content{post, s.Page(eng, nil, "page", "<p>x</p>")}
		if cloud {
			folder := s.Add(&confluencetest.Content{Type: "folder", Space: eng, Title: "folder"})
			s.Page(eng, folder, "below", "<p>x</p>")
			all = append(all, folder)
		}
		s.Do(func() {
			for _, c := range all {
				c.Read = []confluencetest.Subject{ada, s.Bot}
			}
		})
		r := s.nodes()
		check := func(when string) {
			t.Helper()
			for _, c := range all {
				if n, known := r.Nodes[eng.ID+":"+c.ID]; !known || len(n.Clauses) != 2 {
					t.Errorf("%s: the %s has the readers %v; denied %v", when, c.Type, n.Clauses, r.Denied)
				}
			}
		}
		next := func(when string, complete bool) {
			t.Helper()
			s.Pass(5 * time.Minute)
			if err := r.ReadNodes(t.Context(), s.Connector); err != nil {
				t.Fatal(err)
			}
			if r.Complete != complete {
				t.Errorf("%s: complete %v, want %v", when, r.Complete, complete)
			}
			check(when)
		}
		check("at first")
		next("five minutes later", false)
		next("ten minutes later", false)

		r.At = withoutKinds(t, r.At, eng.ID, all)
		next("after an upgrade", true)
		next("after that", false)

		s.Purge(post)
		all = all[1:]
		s.Pass(5 * time.Minute)
		if err := r.ReadNodes(t.Context(), s.Connector); err != nil {
			t.Fatal(err)
		}
		if _, known := r.Nodes[eng.ID+":"+post.ID]; known {
			t.Error("a deleted post has readers")
		}
		check("with a deleted post")
	})
}

// withoutKinds returns a checkpoint as earlier versions wrote it.
func withoutKinds(t *testing.T, at index.Checkpoint, space string, all []*confluencetest.Content) index.Checkpoint {
	t.Helper()
	var state map[string]any
	if err := json.Unmarshal(at, &state); err != nil {
		t.Fatal(err)
	}
	ids := make(atlassian.IDSet)
	for _, c := range all {
		ids[c.ID] = true
	}
	state["k"] = map[string]atlassian.IDSet{space: ids}
	old, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(old, at) {
		t.Fatal("the checkpoint has no kinds")
	}
	return old
}

// What it costs to read known restrictions again depends on how deep the pages are, and not on how
// many spaces have such pages.
func TestRequestsOfRestrictionsInManySpaces(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		const spaces, deep = 20, 5
		s := newSite(t, cloud, nil)
		ada := s.User("ada")
		for i := range spaces {
			in := s.Space(fmt.Sprintf("S%d", i), s.Site[0])
			var page *confluencetest.Content
			for range deep {
				page = s.Page(in, page, "page", "<p>x</p>")
			}
			s.Do(func() { page.Read = []confluencetest.Subject{ada, s.Bot} })
		}
		var r sourcetest.Readers
		if err := r.ReadNodes(t.Context(), s.Connector); err != nil {
			t.Fatal(err)
		}
		s.Pass(5 * time.Minute)
		mark := s.Mark()
		if err := r.ReadNodes(t.Context(), s.Connector); err != nil {
			t.Fatal(err)
		}
		want := 30 // each space for who may view it, 5 levels, the lists of 100 pages, and 4 for the site
		if !cloud {
			want = 25 // one search tells all levels
		}
		if got := s.Mark() - mark; got != want || r.Told != 2*spaces {
			t.Errorf("%d requests for %d nodes, want %d for %d", got, r.Told, want, 2*spaces)
		}
	})
}
