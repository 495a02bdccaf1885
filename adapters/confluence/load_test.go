package confluence_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
)

// What a search does not show, or fails to, is read by itself; a page without a storage format in
// the other form.
func TestTextsAreReadOneByOneWhereTheyMustBe(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		eng := s.Space("ENG", s.Site[0])
		want := make(map[*confluencetest.Content]string)
		var pages []*confluencetest.Content
		for i := range 30 {
			p := s.Page(eng, nil, fmt.Sprintf("page %d", i), fmt.Sprintf("<p>text %d</p>", i))
			pages, want[p] = append(pages, p), fmt.Sprintf("text %d", i)
		}
		s.Switch(func(w *confluencetest.Switches) {
			w.Unindexed = map[string]bool{pages[3].ID: true}
			if cloud { // on Data Center it cannot be read by itself either
				w.Poisoned = map[string]bool{pages[7].ID: true}
			}
		})
		if cloud {
			s.Do(func() {
				pages[9].Document = `{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"in the other form"}]}]}`
			})
			want[pages[9]] = "in the other form"
		}
		s.MustSync()
		s.mustHold(want)
	})
}

// A pass that is paused again and again, or killed, goes on where it was, and stores nothing twice.
func TestAPassGoesOnWhereItWas(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		want := make(map[*confluencetest.Content]string)
		for _, key := range []string{"ENG", "OPS", "HR"} {
			in := s.Space(key, s.Site[0])
			for i := range 60 {
				want[s.Page(in, nil, fmt.Sprintf("%s %d", key, i), fmt.Sprintf("<p>text %d</p>", i))] = fmt.Sprintf("text %d", i)
			}
		}
		s.Switch(func(w *confluencetest.Switches) { w.Short = 25 })
		s.Pass(time.Hour)
		stops := s.Stopped(3)
		s.mustHold(want)
		if puts := s.Store.Puts(); stops < 2 || puts > 180+stops*60 {
			t.Errorf("it was stopped %d times and stored %d documents", stops, puts)
		}
	})
}
