package confluence_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/core/index"
)

// large makes a space of so many pages within one another, one of 500 restricted.
func large(s *site, pages int) {
	eng, ada := s.Space("ENG", s.Site[0]), s.User("ada")
	all := make([]*confluencetest.Content, 0, pages)
	for i := range pages {
		var parent *confluencetest.Content
		if i > 0 {
			parent = all[(i-1)/8]
		}
		p := s.Page(eng, parent, fmt.Sprintf("page %d", i), "<p>The printer hums since Monday.</p>")
		if i%500 == 250 {
			s.Do(func() { p.Read = []confluencetest.Subject{ada, s.Bot} })
		}
		all = append(all, p)
	}
	s.Pass(2 * time.Hour)
}

// pass reads all documents that it is given, with their texts if load says so, and says what it
// took.
func (s *site) pass(at index.Checkpoint, load bool) (requests, items int, next index.Checkpoint) {
	s.T.Helper()
	mark := s.Mark()
	items, next = s.Yielded(at, load)
	return s.Mark() - mark, items, next
}

// BenchmarkLargeSpace is of 50,000 pages at a server without limits that runs beside. What is
// measured holds the server's own time; texts are read, and not cut or stored.
func BenchmarkLargeSpace(b *testing.B) {
	atlassiantest.Benchmark(b, func(cloud bool) (at index.Checkpoint, first, quiet, later, readers atlassiantest.Pass) {
		s := newSite(b, cloud, nil)
		large(s, 50_000)
		_, _, at = s.pass(nil, false)
		s.Pass(time.Minute)
		quiet = func(at index.Checkpoint) (int, int) {
			requests, items, _ := s.pass(at, false) // what was yielded has not changed, and is not read
			return requests, items
		}
		first = func(index.Checkpoint) (int, int) {
			requests, items, _ := s.pass(nil, true)
			return requests, items
		}
		later = func(at index.Checkpoint) (int, int) {
			s.Pass(time.Hour)
			return quiet(at)
		}
		return at, first, quiet, later, func(index.Checkpoint) (int, int) {
			mark := s.Mark()
			told := s.nodes().Told
			return s.Mark() - mark, told
		}
	})
}
