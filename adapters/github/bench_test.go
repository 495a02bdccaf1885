package github_test

import (
	"fmt"
	"testing"

	"github.com/footnotehq/footnote/adapters/github/githubtest"
)

// BenchmarkIssues reads 10,000 issues with three comments each from a server without limits into an
// index in memory.
func BenchmarkIssues(b *testing.B) {
	const count = 10_000
	a := newAcme(b, nil)
	r := a.Repo(a.org, "app", githubtest.Private)
	for i := range count {
		th := a.Open(r, "issue", fmt.Sprintf("The printer of room %d is loud", i), "It hums all day long, and stops when somebody knocks at it.", a.ada)
		for j := range 3 {
			a.Say(th, a.ada, fmt.Sprintf("Turning off the fan %d of the printer helps for a while.", j))
		}
	}
	requests, rounds := 0, 0
	for b.Loop() {
		a.Again()
		mark := a.Mark()
		for batch, err := range a.Connector.Sync(b.Context(), nil) {
			if err != nil {
				b.Fatal(err)
			}
			for _, item := range batch.Documents {
				if _, err := item.Load(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		}
		requests += a.Mark() - mark
		rounds++
	}
	b.ReportMetric(float64(count*rounds)/b.Elapsed().Seconds(), "documents/s")
	b.ReportMetric(float64(requests/rounds), "requests")
}
