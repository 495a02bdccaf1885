package jira_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/adapters/jira/jiratest"
	"github.com/footnotehq/footnote/core/index"
)

// large makes a project of so many issues, each of which whoever reported it may browse, a tenth of
// them with a security level.
func large(s *site, issues int) {
	eng := s.Project("ENG", jiratest.Holder{Type: "reporter"})
	board := s.Level(eng, "Board", users)
	var people []*jiratest.User
	for n := range 50 {
		people = append(people, s.User(fmt.Sprintf("u%d", n)))
	}
	for n := range issues {
		i := &jiratest.Issue{Project: eng, Summary: fmt.Sprintf("issue %d", n), Text: "The printer hums since Monday.", Reporter: people[n%len(people)]}
		if n%10 == 0 {
			i.Level = board
		}
		s.Add(i)
		s.Comment(i, &jiratest.Comment{Author: people[0], Text: "It does."})
	}
	s.Pass(2 * time.Hour)
	s.Issue(eng, "the newest", "x") // what was changed last is asked for by every pass
}

// pass reads all documents that it is given, and says what it took.
func (s *site) pass(at index.Checkpoint, load bool) (requests, items int, next index.Checkpoint) {
	s.T.Helper()
	mark := s.Mark()
	items, next = s.Yielded(at, load)
	return s.Mark() - mark, items, next
}

// What 5,000 issues cost, in requests: to read them the first time, to look whether anything has
// changed, to look for what was deleted, and to read who may read them.
func TestRequestsOfALargeProject(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		s := newSite(t, cloud, nil)
		large(s, 5_000)
		check := func(name string, requests, items, wantRequests, wantItems int) {
			t.Helper()
			t.Logf("%s: %d requests, %d documents", name, requests, items)
			if requests != wantRequests || items != wantItems {
				t.Errorf("%s: %d requests and %d documents, want %d and %d", name, requests, items, wantRequests, wantItems)
			}
		}
		first, quiet, ids, nodes, told, known := 63, 6, 8, 12, 52, 8
		if !cloud {
			first, quiet, ids, nodes, told, known = 62, 5, 11, 11, 51, 7
		}
		requests, items, at := s.pass(nil, true)
		check("the first pass", requests, items, first, 5_001)
		s.Pass(5 * time.Minute)
		requests, items, at = s.pass(at, false)
		check("a pass without changes", requests, items, quiet, 1)
		s.Pass(time.Hour)
		requests, items, _ = s.pass(at, false)
		check("a look at the ids", requests, items, ids, 1)

		mark := s.Mark()
		r := s.nodes()
		check("who may read", s.Mark()-mark, r.Told, nodes, told)
		s.Pass(5 * time.Minute)
		mark = s.Mark()
		r.again()
		check("who may read, five minutes later", s.Mark()-mark, r.Told, known, told)
	})
}

// BenchmarkLargeProject is of 50,000 issues, each of which its reporter may browse, at a server
// without limits that runs beside. What is measured holds the server's own time; texts are read,
// and not cut or stored.
func BenchmarkLargeProject(b *testing.B) {
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
